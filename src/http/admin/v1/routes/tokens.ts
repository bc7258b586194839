import { SCOPES } from "../../../../access/access.ts";
import type { TokenResult } from "../../../../access/operate.ts";
import { errorsAt } from "../../../v1/check.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type JsonSchema, ok, type Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";

const nullableText = { type: ["string", "null"] } as const satisfies JsonSchema;
const names = { type: "array", items: { type: "string" } } as const satisfies JsonSchema;

const TokenSchema = {
  type: "object",
  required: ["id", "account", "name", "scopes", "gateways", "created"],
  properties: {
    id: { type: "string", description: "The eight characters that name it." },
    account: { type: "string" },
    name: { type: "string" },
    scopes: names,
    gateways: { type: ["array", "null"], items: { type: "string" }, description: "null: all of the account." },
    created: { type: "string" },
    expires: nullableText,
    last_used: { ...nullableText, description: "The hour of its last use." },
    old_until: { ...nullableText, description: "Until when the text before the last rotation counts." },
    posts_per_minute: { type: ["integer", "null"] },
  },
} as const satisfies JsonSchema;

const MadeSchema = {
  ...TokenSchema,
  required: ["token", ...TokenSchema.required],
  properties: { token: { type: "string", description: "Shown this once." }, ...TokenSchema.properties },
} as const satisfies JsonSchema;

const TokensSchema = {
  type: "object",
  required: ["tokens", "accounts"],
  properties: {
    tokens: { type: "array", items: TokenSchema },
    accounts: {
      type: "array",
      description: "For which tokens can be made.",
      items: { type: "object", properties: { account: { type: "string" }, gateways: names } },
    },
  },
} as const satisfies JsonSchema;

const ORDER = {
  account: { type: "string", description: "Of the HTTP API, such as api.game." },
  gateways: { ...TokenSchema.properties.gateways, description: "What it sees; absent or null: all." },
  scopes: { type: "array", items: { enum: SCOPES }, description: "Absent: read and write." },
  name: { type: "string", description: "What it is for." },
  expires: { ...nullableText, description: "For how long it counts, such as 90d." },
  posts_per_minute: { type: ["integer", "null"] },
} as const satisfies JsonSchema;

const unknown = { about: "There is no such token." };

/** Tokens of programs that use `/v1` of the accounts, all of them. */
export const tokensRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/tokens",
    needs: "admin",
    id: "listTokens",
    summary: "The tokens of all accounts of the HTTP API",
    about: "Never with their texts.",
    answers: { 200: { about: "The oldest first.", schema: TokensSchema } },
    handle: async (_call, { operator, access: { apis } }) => {
      const done = await operator.tokens({ action: "list", id: "", asked: {} });
      return ok({ tokens: done.ok && done.is === "list" ? done.tokens : [], accounts: apis() });
    },
  },
  {
    method: "POST",
    path: "/v1/admin/tokens",
    needs: "admin",
    id: "createToken",
    summary: "Makes a token",
    body: {
      type: "object",
      additionalProperties: false,
      required: ["account"],
      properties: ORDER,
    },
    answers: { 201: { about: "Made.", schema: MadeSchema }, 422: { about: "It cannot be made so." } },
    handle: async ({ body }, { operator }) => {
      const done = await operator.tokens({ action: "create", id: "", asked: body });
      if (!done.ok) throw new ProblemError("unprocessable", done.message, { errors: errorsAt(done.message, ORDER) });
      return { status: 201, body: madeOf(done) };
    },
  },
  {
    method: "DELETE",
    path: "/v1/admin/tokens/{id}",
    needs: "admin",
    id: "revokeToken",
    summary: "Ends a token, and what it holds open",
    answers: { 204: { about: "It counts no more." }, 404: unknown },
    handle: async ({ params }, { operator }) => {
      const done = await operator.tokens({ action: "revoke", id: params["id"] ?? "", asked: {} });
      if (!done.ok) throw new ProblemError("not_found", done.message);
      return { status: 204 };
    },
  },
  {
    method: "POST",
    path: "/v1/admin/tokens/{id}/rotate",
    needs: "admin",
    id: "rotateToken",
    summary: "Makes a new text of a token",
    about: "The one before counts for another day.",
    answers: { 200: { about: "Made.", schema: MadeSchema }, 404: unknown },
    handle: async ({ params }, { operator }) => {
      const done = await operator.tokens({ action: "rotate", id: params["id"] ?? "", asked: {} });
      if (!done.ok) throw new ProblemError("not_found", done.message);
      return ok(madeOf(done));
    },
  },
];

function madeOf(done: Extract<TokenResult, { ok: true }>) {
  if (done.is !== "made") throw new Error("no token was made");
  return { token: done.token, ...done.made };
}
