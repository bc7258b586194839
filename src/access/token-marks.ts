import { isObject, readJson, listOf } from "../lib/shapes.ts";
import { type Scope, SCOPES } from "./access.ts";

/** What a token may do, and until when. */
export interface TokenSpec {
  /** Key of the API account for which it speaks. */
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** Names of the gateways that it sees; null: all of the account, also those that are added. */
  readonly gateways: readonly string[] | null;
  /** What people call it. */
  readonly name: string;
  /** Unix ms; null: it does not end by itself. */
  readonly expiresMs: number | null;
  /** Requests a minute that may say something; null: as many as the default allows. */
  readonly postsPerMinute: number | null;
}

/** One text that counts for a token: two of them for a while after a rotation. */
export interface TokenKey {
  /** SHA-256 in base64url. */
  readonly sha256: string;
  /** Unix ms; null: as long as the token does. */
  readonly untilMs: number | null;
}

/** A token as the log has it. */
export interface TokenRecord extends TokenSpec {
  readonly createdMs: number;
  readonly keys: readonly TokenKey[];
}

/** `token/<8>` has the record, `token/<8>/used` the hour of its last use. */
export const TOKEN_STEM = "token/";
const USED = "/used";

export const markOf = (id: string): string => TOKEN_STEM + id;
export const usedMarkOf = (id: string): string => markOf(id) + USED;

/** All that the marks tell of: what cannot be read is no token. */
export function readTokenMarks(marks: ReadonlyMap<string, string>): {
  readonly records: ReadonlyMap<string, TokenRecord>;
  /** Unix ms. */
  readonly used: ReadonlyMap<string, number>;
  readonly unreadable: ReadonlySet<string>;
} {
  const unreadable = new Set<string>();
  const records = new Map<string, TokenRecord>();
  const used = new Map<string, number>();
  for (const [mark, value] of marks) {
    const id = mark.slice(TOKEN_STEM.length);
    if (id.endsWith(USED)) {
      const ms = Number(value);
      if (Number.isSafeInteger(ms)) used.set(id.slice(0, -USED.length), ms);
    } else {
      const record = readRecord(value);
      if (record === null) unreadable.add(id);
      else records.set(id, record);
    }
  }
  return { records, used, unreadable };
}

export const writeRecord = (record: TokenRecord): string => JSON.stringify(record);

function readRecord(text: string): TokenRecord | null {
  const value = readJson(text);
  if (!isObject(value)) return null;
  const { account, name, createdMs, gateways } = value;
  if (typeof account !== "string" || typeof name !== "string" || typeof createdMs !== "number") return null;
  // What is not a list would otherwise open all gateways.
  if (gateways !== null && !Array.isArray(gateways)) return null;
  return {
    account,
    name,
    createdMs,
    gateways: gateways === null ? null : listOf(gateways).filter((each) => typeof each === "string"),
    scopes: SCOPES.filter((scope) => listOf(value["scopes"]).includes(scope)),
    expiresMs: numberOf(value["expiresMs"]),
    postsPerMinute: numberOf(value["postsPerMinute"]),
    keys: listOf(value["keys"]).flatMap((key) =>
      isObject(key) && typeof key["sha256"] === "string"
        ? [{ sha256: key["sha256"], untilMs: numberOf(key["untilMs"]) }]
        : [],
    ),
  };
}

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
