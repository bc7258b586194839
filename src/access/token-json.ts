import type { NewToken, TokenView } from "./tokens.ts";

/** A token as programs are shown it. Times are RFC 3339. */
export interface TokenJson {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly gateways: readonly string[] | null;
  readonly created: string;
  readonly expires: string | null;
  /** The hour of its last use. */
  readonly last_used: string | null;
  /** Until when the text before the last rotation counts. */
  readonly old_until: string | null;
  readonly posts_per_minute: number | null;
}

export function tokenJson(view: TokenView): TokenJson {
  return {
    id: view.id,
    account: view.account,
    name: view.name,
    scopes: view.scopes,
    gateways: view.gateways,
    created: timeOf(view.createdMs),
    expires: timeOrNull(view.expiresMs),
    last_used: timeOrNull(view.usedMs),
    old_until: timeOrNull(view.oldUntilMs),
    posts_per_minute: view.postsPerMinute,
  };
}

/** The text first: it is shown this once. */
export const newTokenJson = ({ token, view }: NewToken): { readonly token: string } & TokenJson => ({
  token,
  ...tokenJson(view),
});

const timeOf = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms));
