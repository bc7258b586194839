import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LogError } from "../errors.ts";
import { isObject, listOf, parseAs } from "../../lib/shapes.ts";
import type { EpochClaim } from "../fence.ts";
import type { Commit } from "../sqlite/group-commit.ts";

/** The first byte of a commit says how the rest is to be read: a newer way gets another number. */
const PLAIN = 1;
const PACKED = 2;
/** Longer ones are compressed, in bytes. */
const PACK_BYTES = 4096;
/** Most bytes that a commit may have once unpacked. */
const UNPACKED_BYTES = 512 * 1024 * 1024;

const KINDS = ["commit", "claim", "vote", "import"] as const;

/** Whose message it is; as its `Nats-Msg-Id` it makes a repeat known to the servers. */
export interface MessageId {
  readonly node: string;
  readonly run: string;
  readonly is: (typeof KINDS)[number];
  /** Counted from 1, each kind by itself; a vote has the place that it is about, and an import is the first of all. */
  readonly number: number;
  /** Counted from 1. */
  readonly part: number;
  readonly parts: number;
}

export function idText({ node, run, is, number, part, parts }: MessageId): string {
  return `${node}/${run}/${is}/${number}/${part}/${parts}`;
}

/** Null when it is none of ours. */
export function parseId(text: string): MessageId | null {
  const found = /^([\w.-]{1,64})\/([\w-]{1,64})\/(commit|claim|vote|import)\/(\d{1,15})\/(\d{1,6})\/(\d{1,6})$/.exec(
    text,
  );
  if (found === null) return null;
  const [, node = "", run = "", kind, ...numbers] = found;
  const [number = 0, part = 0, parts = 0] = numbers.map(Number);
  const is = KINDS.find((each) => each === kind);
  return is !== undefined && part >= 1 && part <= parts ? { node, run, is, number, part, parts } : null;
}

export const encodeClaims = (claims: readonly EpochClaim[]): Buffer => Buffer.from(JSON.stringify(claims));

/** Throws a LogError `format` for what no Rialto of this version has written. */
export function decodeClaims(body: Uint8Array): readonly EpochClaim[] {
  try {
    const claims = listOf(JSON.parse(Buffer.from(body).toString("utf8")));
    if (claims.length > 0 && claims.every(isClaim)) return claims;
    throw new Error("it is no claim");
  } catch (error) {
    throw unreadable(error);
  }
}

function isClaim(value: unknown): value is EpochClaim {
  const texts = ["account", "node", "run"];
  return (
    isObject(value) &&
    texts.every((field) => typeof value[field] === "string" && value[field] !== "") &&
    Number.isSafeInteger(value["epoch"])
  );
}

/** With which log a stream begins: SHA-256 of its file, in hex. */
export interface ImportNote {
  readonly sha256: string;
}

export const encodeImport = ({ sha256 }: ImportNote): Buffer => Buffer.from(JSON.stringify({ sha256 }));

/** Throws a LogError `format` for what no Rialto of this version has written. */
export function decodeImport(body: Uint8Array): ImportNote {
  try {
    return parseAs(Buffer.from(body).toString("utf8"), isImport);
  } catch (error) {
    throw unreadable(error);
  }
}

const isImport = (value: unknown): value is ImportNote =>
  isObject(value) && typeof value["sha256"] === "string" && /^[0-9a-f]{64}$/.test(value["sha256"]);

export function encodeCommit(commit: Commit): Buffer {
  const text = Buffer.from(JSON.stringify(commit));
  if (text.length <= PACK_BYTES) return Buffer.concat([Buffer.of(PLAIN), text]);
  const packed = zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return Buffer.concat([Buffer.of(PACKED), packed]);
}

/** Throws a LogError `format` for what no Rialto of this version has written. */
export function decodeCommit(body: Uint8Array): Commit {
  try {
    const rest = body.subarray(1);
    if (body[0] !== PLAIN && body[0] !== PACKED) throw new Error("it is of a kind that this version does not know");
    const text = body[0] === PACKED ? zstdDecompressSync(rest, { maxOutputLength: UNPACKED_BYTES }) : rest;
    const value: unknown = JSON.parse(Buffer.from(text).toString("utf8"));
    if (isCommit(value)) return value;
    throw new Error("it is not a commit");
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): LogError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LogError(
    "format",
    `The stream has a message that this version of Rialto cannot read: ${reason}. Update this node.`,
  );
}

/** Who may write to the stream is trusted with what it means; this tells a commit from anything else. */
function isCommit(value: unknown): value is Commit {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const labels = fields.get("labels");
  return (
    fields.get("is") === "commit" &&
    ["counts", "subjects", "subjectOf", "payloads", "extras"].every((column) => Array.isArray(fields.get(column))) &&
    (labels === null || Array.isArray(labels)) &&
    typeof fields.get("notes") === "object" &&
    ["cut", "owners"].every((field) => ["undefined", "object"].includes(typeof fields.get(field)))
  );
}
