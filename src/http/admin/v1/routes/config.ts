import { ProblemError } from "../../../v1/problems.ts";
import { ok, type Reply, type Route } from "../../../v1/route.ts";
import type { ConfigDeps } from "../config-deps.ts";
import type { AdminV1Deps } from "../deps.ts";

/** Of JSON, in which a text of 1 MiB may be twice as long. */
const BODY_MAX = 4 * 1024 * 1024;
const TEXT_BODY = {
  type: "object",
  required: ["text"],
  additionalProperties: false,
  properties: { text: { type: "string", maxLength: 1024 * 1024, description: "The whole configuration." } },
} as const;
const list = (items: object): object => ({ type: "array", items });
const STRING = { type: "string" };
const FLAW = {
  type: "object",
  properties: {
    severity: { enum: ["error", "warning"] },
    code: STRING,
    line: { type: "integer" },
    column: { type: "integer" },
    endColumn: { type: "integer" },
    message: STRING,
    remedy: STRING,
  },
};
const VERSION = {
  type: "object",
  properties: { id: STRING, atMs: { type: "integer" }, bytes: { type: "integer" } },
};

/** The configuration file, as operators edit it from a page. */
export const configRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/config",
    needs: "admin",
    id: "getConfiguration",
    summary: "The configuration file, without its secrets.",
    headers: { "If-None-Match": "The ETag of an earlier answer: the file is sent only if it is another one." },
    about:
      "Each secret is shown as a mask such as `<kept:3f9a0c2b1d>`. Written back, a mask stands for its secret again, wherever it has been moved to among values that are secret. What the environment sets is not in it. The `ETag` is for `PUT`.",
    answers: {
      200: {
        about: "The file.",
        schema: {
          type: "object",
          properties: {
            path: { type: ["string", "null"], description: "Null: Rialto runs its built-in example." },
            creates: { type: ["string", "null"], description: "The file that the first `PUT` creates." },
            text: STRING,
            format: { enum: ["toml", "yaml", "json"] },
            writable: { type: "boolean" },
            why: { type: "string", description: "Why it cannot be written from here." },
            versions: list(VERSION),
          },
        },
      },
      304: { about: "It is still the file of this ETag." },
    },
    handle: async ({ request }, { config }) => {
      const known = request.headers["if-none-match"];
      if (known !== undefined && known === (await config.etag())) return { status: 304, headers: { ETag: known } };
      const { etag, ...view } = await config.read();
      return { status: 200, body: view, headers: { ETag: etag } };
    },
  },
  {
    method: "GET",
    path: "/v1/admin/config/versions/{id}",
    needs: "admin",
    id: "getConfigurationVersion",
    summary: "A configuration that was replaced, without its secrets.",
    about: "The last ten are kept in the data folder. Their masks stand for their secrets in `PUT` as well.",
    answers: { 200: { about: "Its text.", schema: { type: "object", properties: { text: STRING } } } },
    handle: async ({ params }, { config }) => {
      const found = await config.version(params["id"] ?? "");
      if (found === null) throw new ProblemError("not_found", "there is no such version of the configuration");
      return ok(found);
    },
  },
  {
    method: "POST",
    path: "/v1/admin/check",
    needs: "admin",
    id: "checkConfiguration",
    summary: "What is wrong with a configuration, and what it would change.",
    about: "As `rialto check`, with the environment of the running program. Nothing is changed.",
    body: TEXT_BODY,
    bodyMax: BODY_MAX,
    answers: {
      200: {
        about: "Problems at their places in the given text; without errors also what would change.",
        schema: {
          type: "object",
          properties: { problems: list(FLAW), changes: list(STRING), needsRestart: list(STRING) },
        },
      },
    },
    handle: async ({ body }, { config }) => ok(await config.check(textOf(body))),
  },
  {
    method: "PUT",
    path: "/v1/admin/config",
    needs: "admin",
    id: "putConfiguration",
    summary: "Replaces the configuration file, and goes on with it.",
    about:
      "It is checked first: with an error nothing changes. While Rialto runs its built-in example, the file is created, for its owner alone. Otherwise it keeps its mode and owner, and what it was is kept as a version. One at a time.",
    headers: { "If-Match": "The ETag of the file that the text was made of." },
    body: TEXT_BODY,
    bodyMax: BODY_MAX,
    answers: {
      200: {
        about: "It is written, and what runs has changed. The ETag is its new one.",
        schema: { type: "object", properties: { changes: list(STRING), needsRestart: list(STRING) } },
      },
      409: { about: "The file is not Rialto's to write; `detail` says why." },
      412: { about: "The file is another one meanwhile." },
      422: {
        about: "It has errors. Nothing has changed.",
        schema: { type: "object", properties: { problems: list(FLAW) } },
      },
    },
    handle: async ({ body, request }, { config }) => await written(config, textOf(body), request.headers["if-match"]),
  },
  {
    method: "POST",
    path: "/v1/admin/reload",
    needs: "admin",
    id: "reload",
    summary: "Reads the configuration file again, and goes on with it.",
    answers: { 200: { about: "As `rialto reload --json` prints it.", schema: { type: "object" } } },
    handle: async (_call, { operator }) => {
      if (operator.reload === null) throw new ProblemError("conflict", "Rialto runs without a configuration file");
      return ok(await operator.reload());
    },
  },
];

const textOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "text" in body ? String(body.text) : "";

async function written(config: ConfigDeps, text: string, etag: string | undefined): Promise<Reply> {
  if (etag === undefined || etag === "*") {
    const detail = "send the ETag of GET /v1/admin/config as If-Match, so that nobody's change is lost";
    throw new ProblemError("bad_request", detail);
  }
  const made = await config.write(text, etag);
  switch (made.is) {
    case "written": {
      const { changes, needsRestart } = made;
      return { status: 200, body: { changes, needsRestart }, headers: { ETag: made.etag } };
    }
    case "changed":
      throw new ProblemError("precondition_failed", "the configuration file has changed meanwhile", {
        headers: { ETag: made.etag },
      });
    case "not_ours":
      throw new ProblemError("conflict", made.why);
    case "refused":
      throw new ProblemError("unprocessable", "the configuration has errors; nothing has changed", {
        more: { problems: made.problems },
      });
  }
}
