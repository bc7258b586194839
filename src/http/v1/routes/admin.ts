import { type Access, maySee } from "../../../access/access.ts";
import { newTokenJson, tokenJson } from "../../../access/token-json.ts";
import { readTokenRequest } from "../../../access/token-request.ts";
import type { Tokens, TokenView } from "../../../access/tokens.ts";
import { isObject } from "../../../lib/shapes.ts";
import type { V1Deps } from "../deps.ts";
import { listed, listingQuery, NextSchema } from "../listing.ts";
import { ownGateways } from "../own-gateways.ts";
import { ProblemError } from "../problems.ts";
import { type Call, type Reply, type Route } from "../route.ts";
import { type AccountDesk, accountActRoutes } from "./account-acts.ts";

type TokenDeps = Pick<V1Deps, "tokens" | "account" | "config" | "clock">;

/** A token of another account, or of gateways that the caller does not see, is none of the caller's business. */
function isSeen({ account, gateways }: Pick<TokenView, "account" | "gateways">, access: Access): boolean {
  if (account !== access.account) return false;
  return gateways === null ? access.gateways === null : gateways.every((gateway) => maySee(access, gateway));
}

function found(tokens: Tokens, { access, params }: Call): string {
  const view = tokens.get(params["id"] ?? "");
  if (view === null || !isSeen(view, access)) throw new ProblemError("not_found", "there is no such token");
  return view.id;
}

async function create({ body, access }: Call, { tokens, account, config, clock }: TokenDeps): Promise<Reply> {
  const asked = { ...(isObject(body) && body), account: account().name };
  const read = readTokenRequest(asked, config(), clock.nowMs());
  if (!read.ok) throw new ProblemError("unprocessable", read.message);
  if (!isSeen(read.spec, access))
    throw new ProblemError("forbidden", "a token limited to gateways makes tokens for those only: name them");
  return { status: 201, body: newTokenJson(await tokens.create(read.spec)) };
}

async function rotate(call: Call, { tokens }: TokenDeps): Promise<Reply> {
  const made = await tokens.rotate(found(tokens, call));
  if (made === null) throw new ProblemError("not_found", "there is no such token");
  return { status: 201, body: newTokenJson(made) };
}

const nullable = (type: string, description: string) => ({ type: [type, "null"], description });
const time = (description: string) => ({ type: ["string", "null"], format: "date-time", description });
const properties = {
  id: { type: "string", description: "The eight characters that name it." },
  account: { type: "string" },
  name: { type: "string" },
  scopes: { type: "array", items: { enum: ["read", "write", "moderate", "admin"] } },
  gateways: { type: ["array", "null"], items: { type: "string" }, description: "Those that it sees; null: all." },
  created: { type: "string", format: "date-time" },
  expires: time("Null: it does not end by itself."),
  last_used: time("The hour of its last use."),
  old_until: time("Until when the text before the last rotation counts."),
  posts_per_minute: nullable("integer", "How many requests a minute may say something; null: the default."),
};
const tokenSchema = { type: "object", properties, required: Object.keys(properties) };
const newTokenSchema = {
  type: "object",
  properties: { token: { type: "string", description: "Shown this once." }, ...properties },
  required: ["token", ...Object.keys(properties)],
};
const requestSchema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 64 },
    scopes: { type: "array", items: { enum: ["read", "write", "moderate", "admin"] }, minItems: 1 },
    gateways: { type: ["array", "null"], items: { type: "string" }, minItems: 1 },
    expires: { type: ["string", "null"], description: 'A duration: `"12h"`, `"90d"`.' },
    posts_per_minute: { type: ["integer", "null"], minimum: 1 },
  },
};

/** Accounts that are in a gateway of the caller's own account. */
function deskOf(deps: V1Deps): AccountDesk {
  const { config, control, status } = deps;
  return {
    keyOf: (name, { access }) => {
      if (access.gateways !== null) {
        throw new ProblemError(
          "forbidden",
          "a token that is limited to gateways pauses no account: others have it too",
        );
      }
      const bridges = ownGateways(access, deps).flatMap((gateway) => gateway.bridges);
      return bridges.find(({ account }) => account === name.toLowerCase())?.account ?? null;
    },
    isOfApi: (key) => config().accounts.get(key)?.protocol === "api",
    control,
    status,
    view: ({ account, state }) => ({ account, state }),
  };
}

/** What only the scope `admin` opens. */
export const adminRoutes: readonly Route[] = [
  ...accountActRoutes(deskOf),
  {
    method: "GET",
    path: "/v1/admin/tokens",
    needs: "admin",
    id: "listTokens",
    summary: "The tokens of the account.",
    query: listingQuery,
    answers: {
      200: {
        about: "All that the caller sees, the oldest first.",
        schema: {
          type: "object",
          properties: { tokens: { type: "array", items: tokenSchema }, next: NextSchema },
          required: ["tokens"],
        },
      },
    },
    handle: async ({ access, query }, { tokens }) =>
      await listed(query, {
        name: "tokens",
        items: tokens.list().filter((view) => isSeen(view, access)),
        key: ({ createdMs, id }) => `${String(createdMs).padStart(16, "0")}-${id}`,
        view: tokenJson,
      }),
  },
  {
    method: "POST",
    path: "/v1/admin/tokens",
    needs: "admin",
    id: "createToken",
    summary: "A new token for the account.",
    body: requestSchema,
    answers: {
      201: { about: "The token, with its text.", schema: newTokenSchema },
      422: { about: "A gateway that the account is not in, or a duration that cannot be read." },
    },
    handle: create,
  },
  {
    method: "DELETE",
    path: "/v1/admin/tokens/{id}",
    needs: "admin",
    id: "revokeToken",
    summary: "The token counts no more; its streams and sockets end.",
    answers: { 204: { about: "Done." }, 404: { about: "There is no such token." } },
    handle: async (call, { tokens }) => {
      await tokens.revoke(found(tokens, call));
      return { status: 204 };
    },
  },
  {
    method: "POST",
    path: "/v1/admin/tokens/{id}/rotate",
    needs: "admin",
    id: "rotateToken",
    summary: "A new text for the token; the one before counts for another day.",
    answers: { 201: { about: "The token, with its text.", schema: newTokenSchema }, 404: { about: "No such token." } },
    handle: rotate,
  },
];
