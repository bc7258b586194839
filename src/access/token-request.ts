import type { Config } from "../config/config.ts";
import { parseSpan } from "../lib/duration.ts";
import { isObject } from "../lib/shapes.ts";
import { type Scope, SCOPES } from "./access.ts";
import type { TokenSpec } from "./token-marks.ts";

export type TokenRequest =
  | { readonly ok: true; readonly spec: TokenSpec }
  /** `message`: for people. */
  | { readonly ok: false; readonly message: string };

const NAME_CHARS = 64;
const EXPIRES_MAX_MS = 3_660 * 24 * 60 * 60 * 1000;
const POSTS_MAX = 6_000_000;

/**
 * What somebody asks for who wants a token: `{"account", "gateways"?, "scopes"?, "name"?, "expires"?,
 * "posts_per_minute"?}`, checked against the configuration. Without scopes it reads and writes; without gateways it
 * sees all. Pure.
 */
export function readTokenRequest(value: unknown, config: Config, nowMs: number): TokenRequest {
  if (!isObject(value)) return no("the body must be a JSON object");
  const { account, gateways = null, scopes = ["read", "write"], name = "" } = value;
  const apis = [...config.accounts.values()].filter(({ protocol }) => protocol === "api");
  const found = apis.find((each) => typeof account === "string" && each.key === account.toLowerCase());
  if (found === undefined) {
    const names = apis.map((each) => each.name).join(", ");
    return no(`a token is for an account of the HTTP API, and ${shown(account)} is none of them: ${names}`);
  }
  const list = scopesOf(scopes);
  if (list === null) return no(`scopes must be some of ${SCOPES.join(", ")}`);
  const own = config.gateways.filter(({ bridges }) => bridges.some((bridge) => bridge.account === found.key));
  const names = own.map((gateway) => gateway.name);
  if (!isTextsOrNull(gateways) || gateways?.length === 0) return no("gateways must be a list of names, or left out");
  const unknown = gateways?.find((gateway) => !names.includes(gateway));
  if (unknown !== undefined)
    return no(`${found.name} is in no gateway ${shown(unknown)}; its gateways are: ${names.join(", ")}`);
  if (typeof name !== "string" || name.length > NAME_CHARS || /\p{Cc}/u.test(name))
    return no(`the name must be a text of at most ${NAME_CHARS} characters on one line`);
  const expiresMs = expiryOf(value["expires"] ?? null, nowMs);
  if (expiresMs === undefined) return no('expires must be a duration such as "12h" or "90d"');
  const postsPerMinute = value["posts_per_minute"] ?? null;
  if (postsPerMinute !== null && !isCount(postsPerMinute))
    return no(`posts_per_minute must be a number from 1 to ${POSTS_MAX}`);
  const unique = gateways === null ? null : [...new Set(gateways)];
  return { ok: true, spec: { account: found.key, scopes: list, gateways: unique, name, expiresMs, postsPerMinute } };
}

const no = (message: string): TokenRequest => ({ ok: false, message });

const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : "nothing");

function scopesOf(value: unknown): readonly Scope[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const list = SCOPES.filter((scope) => value.includes(scope));
  return list.length === new Set<unknown>(value).size ? list : null;
}

const isTextsOrNull = (value: unknown): value is readonly string[] | null =>
  value === null || (Array.isArray(value) && value.every((each) => typeof each === "string"));

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= POSTS_MAX;

/** Null: it does not end; undefined: not readable. */
function expiryOf(value: unknown, nowMs: number): number | null | undefined {
  if (value === null) return null;
  const span = typeof value === "string" ? parseSpan(value) : null;
  return span === null || span <= 0 || span > EXPIRES_MAX_MS ? undefined : nowMs + span;
}
