import { PROBLEMS } from "./problems.ts";
import type { AnswerShape, JsonSchema, Operation } from "./route.ts";
import { SCHEMAS } from "./schemas.ts";

/** The version of the API, not of the program: additions count it up, and nothing is taken away within 1. */
const API_VERSION = "1.0.0";

const PROBLEM = { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } };

/** Who may ask, in words; empty: everybody. */
export function neededBy(needs: Operation["needs"]): string {
  switch (needs) {
    case null:
      return "";
    case "any":
      return "any credential";
    case "secret":
      return "the account's Token, or the scope `admin`";
    case "token":
      return "the account's Token, or any token";
    case "read":
    case "write":
    case "moderate":
    case "admin":
      return `the scope \`${needs}\``;
  }
}

/** The description of these routes as OpenAPI 3.1 has it. */
export function describeRoutes(routes: readonly Operation[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: "3.1.1",
    info: {
      title: "Rialto API",
      version: API_VERSION,
      description:
        "One log of what people said, for programs: read it by name, say something, and know what became of it. Pass over keys and types that you do not know.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: `Everything below \`/v1/${name}\`.` })),
    paths,
    components: {
      schemas: SCHEMAS,
      responses: {
        Problem: {
          description: `A refusal. ${Object.keys(PROBLEMS).length} codes have their own page below /v1/problems.`,
          ...PROBLEM,
        },
      },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The account's Token, or one of `rialto token create`.",
        },
        ticket: {
          type: "apiKey",
          in: "query",
          name: "ticket",
          description: "Of `POST /v1/tickets`, for one stream or socket.",
        },
      },
    },
  };
}

function operationOf(route: Operation): JsonSchema {
  const needed = neededBy(route.needs);
  const description = [route.about ?? "", needed === "" ? "" : `Needs ${needed}.`].filter((words) => words !== "");
  const parameters = parametersOf(route);
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(description.length > 0 && { description: description.join("\n\n") }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: bodyOf(route.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, answerOf(route, status, answer)]),
      ),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

/** An open account takes requests without a credential: the description cannot know whether it is one. */
function securityOf({ needs, stream }: Operation): readonly JsonSchema[] {
  if (needs === null) return [];
  const withCredential = [{ bearer: [] }, ...(stream === true ? [{ ticket: [] }] : [])];
  return needs === "secret" || needs === "token" || needs === "admin" ? withCredential : [{}, ...withCredential];
}

function parametersOf({ path, query = {}, headers = {} }: Operation): readonly JsonSchema[] {
  const inPath = Array.from(path.matchAll(/\{(?<name>\w+)\}/gu), ({ groups }) => groups?.["name"] ?? "");
  return [
    ...inPath.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: "header",
      description,
      schema: { type: "string" },
    })),
  ];
}

function bodyOf(body: JsonSchema | "stream"): JsonSchema {
  if (body !== "stream") return { content: { "application/json": { schema: body } } };
  return { required: true, content: { "application/octet-stream": { schema: {} } } };
}

function answerOf({ stream, path }: Operation, status: string, { about, schema, type }: AnswerShape): JsonSchema {
  const description = about;
  if (Number(status) >= 400) return { description, ...PROBLEM };
  if (stream === true && status === "200" && !path.endsWith("/socket")) {
    return { description, content: { "text/event-stream": { schema: schema ?? { type: "string" } } } };
  }
  if (type !== undefined) return { description, content: { [type]: { schema: schema ?? {} } } };
  return { description, ...(schema !== undefined && { content: { "application/json": { schema } } }) };
}

/** `/v1/consumers/{name}/pull` → `consumers`. */
export function tagOf({ path }: Pick<Operation, "path">): string {
  return path.split("/")[2] ?? "";
}
