import { describe, expect, test } from "vitest";
import { DOCS_POLICY, docsPage } from "./docs-page.ts";
import { describeRoutes } from "./openapi.ts";
import { PROBLEMS } from "./problems.ts";
import type { Route } from "./route.ts";
import { v1Routes } from "./routes/index.ts";
import { SCHEMAS } from "./schemas.ts";
import { v1Stage } from "./stage.suite.ts";

const description = JSON.parse(JSON.stringify(describeRoutes(v1Routes))) as {
  paths: Record<string, Record<string, { operationId: string; security: object[]; parameters?: { name: string }[] }>>;
};
const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));

/** Every `$ref` in it. */
function refsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "$ref" ? [String(inner)] : refsIn(inner)));
}

const route = (more: Partial<Route>): Route => ({
  method: "GET",
  path: "/v1/things/{name}",
  needs: "read",
  id: "getThing",
  summary: "A thing.",
  answers: { 200: { about: "It.", schema: { type: "object" } }, 404: { about: "None." } },
  handle: () => ({ status: 200 }),
  ...more,
});
const operationOf = (one: Route): unknown =>
  (describeRoutes([one])["paths"] as Record<string, Record<string, unknown>>)[one.path]?.[one.method.toLowerCase()];

describe("the description", () => {
  test("has every route, each under a name of its own", () => {
    expect(operations).toHaveLength(v1Routes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(v1Routes.length);
  });

  test("each reference leads somewhere", () => {
    for (const ref of new Set(refsIn(description))) {
      const at = ref.split("/").slice(1);
      expect(at.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], description)).toBeDefined();
    }
  });

  test("each schema is referred to, and an event is always one of them", () => {
    const known = new Set(refsIn(description).map((ref) => ref.split("/").at(-1)));
    expect(Object.keys(SCHEMAS).filter((name) => !known.has(name))).toEqual([]);
    expect(JSON.stringify(description)).not.toMatch(/"event":\{"type":"object"/u);
  });

  test("the page and a file have their content described", () => {
    const contentOf = (of: string): unknown =>
      (description.paths[of]?.["get"] as { responses?: Record<string, { content?: object }> } | undefined)?.responses?.[
        "200"
      ]?.content;
    expect(contentOf("/v1/docs")).toMatchObject({ "text/html": {} });
    expect(contentOf("/v1/files/{id}")).toMatchObject({ "application/octet-stream": {} });
  });

  test("a route's parameters, body, answers and rights", () => {
    const described = operationOf(
      route({
        method: "PUT",
        query: { wait: { type: "string" } },
        headers: { "If-Match": "Its ETag." },
        body: { type: "object" },
      }),
    );
    expect(described).toMatchObject({
      security: [{}, { bearer: [] }],
      description: "Needs the scope `read`.",
      parameters: [
        { name: "name", in: "path", required: true },
        { name: "wait", in: "query" },
        { name: "If-Match", in: "header" },
      ],
      requestBody: { content: { "application/json": {} } },
      responses: {
        200: { content: { "application/json": {} } },
        404: { content: { "application/problem+json": {} } },
        default: { $ref: "#/components/responses/Problem" },
      },
    });
  });

  test.for([
    [null, []],
    ["any", [{}, { bearer: [] }]],
    ["secret", [{ bearer: [] }]],
    ["admin", [{ bearer: [] }]],
  ] as const)("needs %s", ([needs, security]) => {
    expect(operationOf(route({ needs }))).toMatchObject({ security });
  });

  test("a stream is one of events, and takes a ticket", () => {
    expect(operationOf(route({ stream: true }))).toMatchObject({
      security: [{}, { bearer: [] }, { ticket: [] }],
      responses: { 200: { content: { "text/event-stream": {} } } },
    });
  });
});

describe("the page", () => {
  const page = docsPage(v1Routes);

  test("has every route, schema and problem", () => {
    for (const { id } of v1Routes) expect(page).toContain(`<article id="${id}">`);
    for (const name of Object.keys(SCHEMAS)) expect(page).toContain(`id="schema-${name}"`);
    for (const code of Object.keys(PROBLEMS)) expect(page).toContain(`<code>${code}</code>`);
  });

  test("has no script, and nothing from elsewhere", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|javascript:|style=/iu);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//iu);
    expect(DOCS_POLICY).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'/u);
    expect(DOCS_POLICY).not.toMatch(/unsafe/u);
  });

  test("what a route says cannot become markup", () => {
    const evil = docsPage([route({ summary: "<script>x</script>", about: '"><img src=x onerror=y>' })]);
    expect(evil).not.toMatch(/<script|<img/u);
  });

  test("is served to everybody, under its policy", async () => {
    const stage = await v1Stage({ token: "secret" });
    const answer = await stage.ask("GET", "/v1/docs", { token: null });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toBe(DOCS_POLICY);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.text).toBe(page);
    const { status, body } = await stage.ask("GET", "/v1/openapi.json", { token: null });
    expect({ status, body }).toEqual({ status: 200, body: description });
  });

  test.each(["/v1/docs", "/v1/openapi.json"])(
    "%s is sent packed, and not again to a client that has it",
    async (path) => {
      const { url } = await v1Stage({ token: "secret" });
      const ask = async (headers: Readonly<Record<string, string>>): Promise<Response> =>
        await fetch(url + path, { headers: { "Accept-Encoding": "identity", ...headers } });
      const [plain, packed] = [await ask({}), await ask({ "Accept-Encoding": "gzip" })];
      expect([plain.status, plain.headers.get("cache-control")]).toEqual([200, "no-cache"]);
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(
        Number(plain.headers.get("content-length")) / 3,
      );
      expect(await packed.text()).toBe(await plain.text());
      for (const { headers } of [plain, packed]) {
        const accepted = headers.get("content-encoding") ?? "identity";
        const again = await ask({ "If-None-Match": headers.get("etag") ?? "", "Accept-Encoding": accepted });
        expect([again.status, await again.text()]).toEqual([304, ""]);
      }
    },
  );
});
