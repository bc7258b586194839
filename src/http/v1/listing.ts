import { ConsumerError } from "../../consumers/consumers.ts";
import { ProblemError } from "./problems.ts";
import type { JsonSchema, Reply } from "./route.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 200;
/** About so many characters of JSON are one page; one item may have more. */
const PAGE_CHARS = 256 * 1024;

/** Parameters of every list that comes in pages. */
export const listingQuery = {
  after: { type: "string", description: "`next` of the page before; absent: the first page." },
  limit: {
    type: "string",
    pattern: "^\\d+$",
    description: `At most so many: 1 to ${LIMIT_MAX}, ${LIMIT_DEFAULT} if absent. A page may have fewer.`,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** Property of the answer. */
export const NextSchema = {
  type: "string",
  description: "There are more: ask again with it as `after`.",
} as const satisfies JsonSchema;

interface Listing<T> {
  /** Property of the answer that holds the items. */
  readonly name: string;
  readonly items: readonly T[];
  /** Names an item, for `after`; items come in its order. */
  readonly key: (item: T) => string;
  /** As JSON has it. One that throws ConsumerError has been deleted meanwhile, or is not for the caller. */
  readonly view: (item: T) => unknown;
}

/** A page of a list. The items are looked at one after the other, and those of other pages not at all. */
export async function listed<T>(query: URLSearchParams, { name, items, key, view }: Listing<T>): Promise<Reply> {
  const limit = limitOf(query.get("limit"));
  const after = query.get("after") ?? "";
  const keyed = items.map((item) => ({ item, key: key(item) })).filter((each) => each.key > after);
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const parts: string[] = [];
  let [chars, looked] = [0, 0];
  while (looked < keyed.length && parts.length < limit && chars < PAGE_CHARS) {
    const part = await jsonOf(keyed[looked]?.item, view);
    looked += 1;
    if (part === null) continue;
    parts.push(part);
    chars += part.length;
  }
  const next = looked < keyed.length ? `,"next":${JSON.stringify(keyed[looked - 1]?.key)}` : "";
  return { status: 200, json: `{"${name}":[${parts.join(",")}]${next}}` };
}

async function jsonOf<T>(item: T | undefined, view: (item: T) => unknown): Promise<string | null> {
  if (item === undefined) return null;
  try {
    return JSON.stringify(await view(item));
  } catch (error) {
    if (error instanceof ConsumerError) return null;
    throw error;
  }
}

/** Throws a ProblemError `bad_request`. */
function limitOf(text: string | null): number {
  if (text === null) return LIMIT_DEFAULT;
  const limit = /^\d{1,6}$/u.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  const errors = [{ pointer: "/limit", detail: `must be a number from 1 to ${LIMIT_MAX}` }];
  throw new ProblemError("bad_request", `limit must be a number from 1 to ${LIMIT_MAX}`, { errors });
}
