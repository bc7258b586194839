import { Compile } from "typebox/schema";
import { beforeAll, describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import type { Answer } from "../support/http.ts";
import { KEYS } from "../support/shape.ts";
import { useRialto } from "../support/suite.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Node = Readonly<Record<string, Json>>;

const accounts = { sender: {}, reader: {}, closed: { Token: "t" }, out: {} };
const rialto = useRialto({
  config: toml({ accounts, gateways: { g: { inout: ["sender", "reader", "closed"], out: ["out"] } } }),
});

test("GET /api/health is exactly OK, text/plain, without a newline", async () => {
  const answer = await rialto().client("sender").request("/api/health");
  expect([answer.status, answer.text]).toEqual([200, "OK"]);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain(;|$)/);
  expect(answer.headers["content-length"]).toBe("2");
});

describe("GET /api/openapi.json", () => {
  let document: Node;
  beforeAll(async () => {
    document = (await rialto().client("closed").request("/api/openapi.json")).json() as Node;
  });

  /** Walks `a.b.c`; `/` stays part of a name. */
  function at(path: readonly string[], from: Json = document): Json {
    let node = follow(from);
    for (const name of path) node = follow((node as Node)[name] ?? null);
    return node;
  }

  function follow(node: Json): Json {
    const reference = node !== null && typeof node === "object" ? (node as Node)["$ref"] : undefined;
    if (typeof reference !== "string") return node;
    const names = reference.replace(/^#\//, "").split("/");
    return at(names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")));
  }

  /** The schema with its references put in place. */
  function whole(node: Json): Json {
    const found = follow(node);
    if (Array.isArray(found)) return found.map((each: Json) => whole(each));
    if (found === null || typeof found !== "object") return found;
    return Object.fromEntries(Object.entries(found as Node).map(([key, value]) => [key, whole(value)]));
  }

  function everyNode(node: Json, found: Node[] = []): Node[] {
    if (Array.isArray(node)) for (const each of node as Json[]) everyNode(each, found);
    else if (node !== null && typeof node === "object") {
      found.push(node as Node);
      for (const each of Object.values(node as Node)) everyNode(each, found);
    }
    return found;
  }

  const operation = (path: string, method: string): Node => at(["paths", path, method]) as Node;
  const responses = (path: string, method: string): Node => at(["responses"], operation(path, method)) as Node;
  const schemaOf = (path: string, method: string, status: string, type = "application/json"): Json =>
    whole(at([status, "content", type, "schema"], responses(path, method)));
  const fits = (schema: Json, value: unknown): boolean => Compile(schema as object).Check(value);

  test("is OpenAPI 3.1, version 0.1.0, as JSON", async () => {
    const answer: Answer = await rialto().client("sender").request("/api/openapi.json");
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    expect(document["openapi"]).toMatch(/^3\.1\.\d+$/);
    expect(at(["info", "version"])).toBe("0.1.0");
    expect(at(["info", "title"])).toBeTypeOf("string");
  });

  test("§7.1: has every path of the API, the WebSocket too, and no other", () => {
    const routes = Object.entries(document["paths"] as Node).map(
      ([path, item]) => `${Object.keys(item as Node).join()} ${path}`,
    );
    expect(routes.toSorted()).toEqual([
      "get /api/health",
      "get /api/messages",
      "get /api/openapi.json",
      "get /api/stream",
      "get /api/websocket",
      "post /api/message",
    ]);
  });

  test("§7.2: the stream is application/json and its description tells of lines and the greeting", () => {
    const ok = at(["200"], responses("/api/stream", "get")) as Node;
    expect(Object.keys(ok["content"] as Node)).toEqual(["application/json"]);
    const told = JSON.stringify(operation("/api/stream", "get"));
    expect(told).toMatch(/api_connected/);
    expect(told).toMatch(/line/i);
  });

  test("§7.3: Extra has its capital, may be null, and holds a list of files", async () => {
    const message = (schemaOf("/api/messages", "get", "200") as Node)["items"] as Node;
    const { properties } = message as { properties: Node };
    expect(Object.keys(properties)).toContain("Extra");
    expect(Object.keys(properties)).not.toContain("extra");
    expect(fits(properties["Extra"]!, null)).toBe(true);
    expect(fits(properties["Extra"]!, { file: "x" })).toBe(false);
  });

  test("§7.4: timestamp is a date-time, and its examples are", () => {
    const message = (schemaOf("/api/messages", "get", "200") as Node)["items"] as { properties: Node };
    expect(message.properties["timestamp"]).toMatchObject({ type: "string", format: "date-time" });
    expect(JSON.stringify(document)).not.toContain("1541361213");
  });

  test("§7.5: every security requirement names a scheme that is defined", () => {
    const schemes = Object.keys(at(["components", "securitySchemes"]) as Node);
    const used = everyNode(document).flatMap((node) =>
      Array.isArray(node["security"]) ? (node["security"] as Node[]).flatMap((each) => Object.keys(each)) : [],
    );
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !schemes.includes(name))).toEqual([]);
    expect(Object.values(at(["components", "securitySchemes"]) as Node)).toMatchObject([
      { type: "http", scheme: "bearer" },
    ]);
  });

  test("§7.6: a token may be needed or not, never for health and this document; 401 is described, with its header", () => {
    for (const path of ["/api/health", "/api/openapi.json"]) expect(operation(path, "get")["security"]).toEqual([]);
    for (const [path, method] of [
      ["/api/messages", "get"],
      ["/api/stream", "get"],
      ["/api/message", "post"],
      ["/api/websocket", "get"],
    ] as const) {
      const security = (operation(path, method)["security"] ?? document["security"]) as Node[];
      expect(security.some((each) => Object.keys(each).length === 0)).toBe(true);
      expect(security.some((each) => Object.keys(each).length === 1)).toBe(true);
      expect(JSON.stringify(at(["401"], responses(path, method)))).toMatch(/WWW-Authenticate/i);
    }
  });

  test("§7.7: the body of a POST lists all fields that a client may send, and requires none that the service does not", async () => {
    const schema = whole(
      at(["requestBody", "content", "application/json", "schema"], operation("/api/message", "post")),
    );
    const { properties } = schema as { properties: Node };
    for (const key of ["text", "username", "userid", "avatar", "gateway", "parent_id", "event", "Extra"]) {
      expect(Object.keys(properties)).toContain(key);
    }
    for (const body of [{}, { text: "x" }, { text: "x", userid: "u", account: "a", foo: 1, Extra: null }]) {
      expect(fits(schema, body)).toBe(true);
      expect((await rialto().client("sender").post(body)).status).toBe(200);
    }
    for (const body of [{ text: 5 }, { text: "x", Extra: "x" }, []]) {
      expect(fits(schema, body)).toBe(false);
      expect(
        (
          await rialto()
            .client("sender")
            .post(body as object as Node)
        ).status,
      ).toBe(400);
    }
  });

  test("§7.8: forms are described, and every error with its {message} body", () => {
    const content = at(["requestBody", "content"], operation("/api/message", "post")) as Node;
    expect(Object.keys(content).toSorted()).toEqual(["application/json", "application/x-www-form-urlencoded"]);
    const statuses = Object.keys(responses("/api/message", "post"));
    for (const status of ["200", "400", "401", "403", "404", "413", "415", "422", "503"]) {
      expect(statuses).toContain(status);
      if (status === "200") continue;
      const schema = schemaOf("/api/message", "post", status);
      expect(fits(schema, { message: "why" })).toBe(true);
      expect(fits(schema, {})).toBe(false);
    }
    expect(JSON.stringify(document["paths"])).toMatch(/Idempotency-Key/);
  });

  test("§7.9: health is text/plain", () => {
    expect(Object.keys(at(["200", "content"], responses("/api/health", "get")) as Node)).toEqual(["text/plain"]);
  });

  test("§7.10: id and parent_id are described as they are", () => {
    const message = (schemaOf("/api/messages", "get", "200") as Node)["items"] as { properties: Node };
    expect(JSON.stringify(message.properties["id"])).toMatch(/empty/i);
    expect(JSON.stringify(document)).not.toContain("msg-parent-not-found");
  });

  test("§7.11: messages are objects whose 13 keys are all required, and the description says what a poll takes", () => {
    const message = (schemaOf("/api/messages", "get", "200") as Node)["items"] as Node;
    expect(message["type"]).toBe("object");
    expect((message["required"] as string[]).toSorted()).toEqual(KEYS.toSorted());
    const told = JSON.stringify(operation("/api/messages", "get"));
    expect(told).toMatch(/Buffer/);
    expect(told).toMatch(/oldest/i);
  });

  test("§7.12: events are told in the document itself", () => {
    const message = (schemaOf("/api/messages", "get", "200") as Node)["items"] as { properties: Node };
    expect(JSON.stringify(message.properties["event"])).toMatch(/user_action/);
    expect(JSON.stringify(document)).not.toMatch(/github\.com/);
  });

  test("holds together: references resolve, responses are described, operations are named once", () => {
    const nodes = everyNode(document);
    const references = nodes.map((node) => node["$ref"]).filter((reference) => typeof reference === "string");
    for (const reference of references) {
      expect(reference).toMatch(/^#\//);
      expect(follow({ $ref: reference })).not.toBeNull();
    }
    const operations = Object.values(document["paths"] as Node).flatMap((item) =>
      Object.values(item as Node),
    ) as Node[];
    const ids = operations.map((each) => each["operationId"]);
    expect(new Set(ids).size).toBe(operations.length);
    for (const each of operations) {
      for (const response of Object.values(each["responses"] as Node)) {
        expect((follow(response) as Node)["description"]).toBeTypeOf("string");
      }
    }
  });

  test("describes what the service really sends: messages, answers, errors", async () => {
    const file = { Name: "a", Data: "QQ==" };
    const posted = await rialto()
      .client("sender")
      .post({ text: "real", username: "bob", Extra: { file: [file] } });
    await rialto().client("sender").post({ text: "plain" });
    expect(fits(schemaOf("/api/message", "post", "200"), posted.json())).toBe(true);
    const polled = await rialto().client("reader").poll();
    expect(polled.length).toBeGreaterThanOrEqual(2);
    expect(fits(schemaOf("/api/messages", "get", "200"), polled)).toBe(true);
    expect(fits(schemaOf("/api/messages", "get", "200"), [{ text: "x" }])).toBe(false);
    const bodies = { "400": "{", "404": '{"text":"x","gateway":"nope"}' };
    for (const [status, body] of Object.entries(bodies)) {
      const answer = await rialto().client("sender").post(body);
      expect(answer.status).toBe(Number(status));
      expect(fits(schemaOf("/api/message", "post", status), answer.json())).toBe(true);
    }
  });
});
