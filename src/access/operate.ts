import type { Config } from "../config/config.ts";
import { isObject } from "../lib/shapes.ts";
import { type TokenJson, tokenJson } from "./token-json.ts";
import { readTokenRequest } from "./token-request.ts";
import { TOKEN_ID } from "./token-text.ts";
import type { Tokens } from "./tokens.ts";

const TOKEN_ACTIONS = ["create", "list", "revoke", "rotate"] as const;
export type TokenAction = (typeof TOKEN_ACTIONS)[number];

/** What an operator wants done; `asked`: as `readTokenRequest` has it. */
export interface TokenOrder {
  readonly action: TokenAction;
  readonly id: string;
  readonly asked: unknown;
}

export type TokenResult =
  | { readonly ok: true; readonly is: "made"; readonly token: string; readonly made: TokenJson }
  | { readonly ok: true; readonly is: "list"; readonly tokens: readonly TokenJson[] }
  | { readonly ok: true; readonly is: "revoked"; readonly id: string }
  /** `message`: for people. */
  | { readonly ok: false; readonly message: string };

/** Null: it is none. */
export function readTokenOrder(value: unknown): TokenOrder | null {
  if (!isObject(value)) return null;
  const action = TOKEN_ACTIONS.find((each) => each === value["action"]);
  const { id = "", asked = {} } = value;
  return action === undefined || typeof id !== "string" ? null : { action, id, asked };
}

/** Does it, for whoever may do everything. Rejects with a LogError. */
export async function operateTokens(
  { action, id, asked }: TokenOrder,
  { tokens, config, nowMs }: { readonly tokens: Tokens; readonly config: Config; readonly nowMs: number },
): Promise<TokenResult> {
  switch (action) {
    case "list":
      return { ok: true, is: "list", tokens: tokens.list().map(tokenJson) };
    case "create": {
      const request = readTokenRequest(asked, config, nowMs);
      if (!request.ok) return request;
      const { token, view } = await tokens.create(request.spec);
      return { ok: true, is: "made", token, made: tokenJson(view) };
    }
    case "revoke":
      if (await tokens.revoke(id)) return { ok: true, is: "revoked", id };
      return noSuchToken(id);
    case "rotate": {
      const made = await tokens.rotate(id);
      return made === null ? noSuchToken(id) : { ok: true, is: "made", token: made.token, made: tokenJson(made.view) };
    }
  }
}

/** What was given may be a whole token, which stands in no message. */
function noSuchToken(id: string): TokenResult {
  const shown = TOKEN_ID.test(id) ? `there is no token ${id}` : 'a token is named by the eight characters after "rlt_"';
  return { ok: false, message: `${shown}; "rialto token list" shows all` };
}
