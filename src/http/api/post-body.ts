import { parse as parseQuery } from "node:querystring";
import { findJsonError } from "../../lib/json-error.ts";
import { positionAt } from "../../lib/position.ts";
import { type FileDraft, readFile } from "./file-drafts.ts";
import { type Flaw, flawOfPost } from "./post-shape.ts";
import { problem, type HttpProblem } from "./problem.ts";
import { PostedFileSchema, PostSchema, type PostedMessage } from "./schema.ts";
import { isObject } from "../../lib/shapes.ts";

/** A posted message after checking: what the client decides. */
export interface Draft {
  readonly text: string;
  readonly username: string;
  readonly userid: string;
  readonly avatar: string;
  readonly gateway: string;
  readonly parent_id: string;
  /** The message that it acts on, for clients with FullEvents. */
  readonly id: string;
  readonly event: string;
  readonly files: readonly FileDraft[];
  readonly hops: number;
}

export type ParsedPost =
  | { readonly ok: true; readonly draft: Draft }
  | { readonly ok: false; readonly problem: HttpProblem };

/** Names of the service itself: a client may not act as the service. */
const RESERVED_EVENTS: ReadonlySet<string> = new Set([
  "api_connected",
  "api_error",
  "failure",
  "rejoin_channels",
  "get_channel_members",
  "avatar_download",
  "file_delete",
]);

const KEY_CHARS_MAX = 16;
const FORM_FIELDS_MAX = 1000;

/**
 * Bodies up to this length are told where their JSON breaks; finding the place costs more than it is worth in a longer
 * one.
 */
const LOCATED_CHARS = 1024 * 1024;

const BYTE_ORDER_MARK = 0xfeff;

const refuse = (message: string): ParsedPost => ({ ok: false, problem: problem(400, message) });

/** JSON body of `POST /api/message`. Invalid UTF-8 becomes U+FFFD; an empty body and `null` are an empty message. */
export function parseJsonPost(body: Buffer): ParsedPost {
  const text = body.toString("utf8");
  const source = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  if (source.trim() === "") return check({});
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return refuse(describeSyntaxError(source));
  }
  if (value === null) return check({});
  if (!isObject(value)) {
    return refuse(`the body must be a JSON object such as {"text":"hello"}; got ${kindOf(value)}`);
  }
  return check(value);
}

/** Form body (`application/x-www-form-urlencoded`); of a repeated field the last counts. */
export function parseFormPost(body: Buffer): ParsedPost {
  // Not URLSearchParams: its time grows with the square of the number of fields.
  const form = parseQuery(body.toString("utf8"), "&", "=", { maxKeys: FORM_FIELDS_MAX });
  const fields = Object.fromEntries(Object.entries(form).map(([key, value]) => [key, [value].flat().at(-1)]));
  const hops = fields["hops"];
  return check({ ...fields, Extra: null, hops: hops === undefined ? null : Number(hops) });
}

function check(value: Readonly<Record<string, unknown>>): ParsedPost {
  const post = withKnownKeys(value, POST_KEYS);
  if (isObject(post["Extra"])) {
    const extra = withKnownKeys(post["Extra"], EXTRA_KEYS);
    if (Array.isArray(extra["file"])) {
      extra["file"] = extra["file"].map((file: unknown) => (isObject(file) ? tolerantFile(file) : file));
    }
    post["Extra"] = extra;
  }
  // To most clients it means nothing, and some send what they like.
  if (post["id"] !== undefined && typeof post["id"] !== "string") delete post["id"];
  const flaw = flawOfPost(post);
  return flaw === null ? accept(post) : refuse(describeFlaw(flaw));
}

function accept(post: PostedMessage): ParsedPost {
  const event = wellFormed(post.event);
  if (RESERVED_EVENTS.has(event)) return { ok: false, problem: reservedEvent(event) };
  const files: FileDraft[] = [];
  for (const [index, file] of (post.Extra?.file ?? []).entries()) {
    const read = readFile(file);
    if (typeof read === "string") return refuse(`Extra.file[${index}]${read}`);
    files.push(read);
  }
  return {
    ok: true,
    draft: {
      text: wellFormed(post.text),
      username: wellFormed(post.username),
      userid: wellFormed(post.userid),
      avatar: wellFormed(post.avatar),
      gateway: wellFormed(post.gateway),
      parent_id: wellFormed(post.parent_id),
      id: wellFormed(post.id),
      event,
      files,
      hops: post.hops ?? 0,
    },
  };
}

export function reservedEvent(event: string): HttpProblem {
  return problem(
    400,
    `event "${event}" is one of the service's own and cannot be posted; leave event empty or use another`,
  );
}

/** A lone surrogate is not a character; like invalid UTF-8 it becomes U+FFFD. */
const wellFormed = (text: string | undefined): string => (text ?? "").toWellFormed();

const keysByLowerCase = (schema: { readonly properties: object }): ReadonlyMap<string, string> =>
  new Map(Object.keys(schema.properties).map((key) => [key.toLowerCase(), key]));

const POST_KEYS = keysByLowerCase(PostSchema);
const EXTRA_KEYS: ReadonlyMap<string, string> = new Map([["file", "file"]]);
const FILE_KEYS = keysByLowerCase(PostedFileSchema);

/** Only the keys the schema knows, in its spelling, without nulls. */
function withKnownKeys(
  given: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    // No known key is longer; of a stranger's million keys not all need another spelling.
    const name = key.length > KEY_CHARS_MAX ? undefined : (known.get(key) ?? known.get(key.toLowerCase()));
    if (name !== undefined && given[key] !== null) out[name] = given[key];
  }
  return out;
}

/** Some clients send numbers and flags as text, which the reference takes for "not given". */
function tolerantFile(file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const out = withKnownKeys(file, FILE_KEYS);
  for (const field of ["Size", "Avatar"]) {
    if (typeof out[field] === "string") delete out[field];
  }
  return out;
}

function describeFlaw({ path, message, value }: Flaw): string {
  const field = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `${field.slice(1)} ${message}; got ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object"
    ? "an object"
    : typeof value === "number"
      ? `the number ${value}`
      : `a ${typeof value}`;
}

function describeSyntaxError(source: string): string {
  const error = source.length > LOCATED_CHARS ? null : findJsonError(source);
  if (error === null) return "the body is not valid JSON";
  const { line, column } = positionAt(source, error.offset);
  return `the body is not valid JSON: ${error.expected} was expected at line ${line}, column ${column} (offset ${error.offset})`;
}
