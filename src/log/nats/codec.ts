import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LogError } from "../errors.ts";
import { isObject, isTexts, listOf, readJson } from "../../lib/shapes.ts";
import type { EpochClaim } from "../fence.ts";
import type { Commit } from "../sqlite/group-commit.ts";

/** The first byte of a commit says how the rest is to be read: a newer way gets another number. */
const PLAIN = 1;
const PACKED = 2;
/**
 * Numbers for versions to come. A message with one of these stops a node, because only a newer version can apply it.
 * Nodes skip everything else that they cannot read, so a newer version must not write anything else.
 */
const NEWER_MIN = 3;
const NEWER_MAX = 8;
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

/** Null when it is damaged, or not of Rialto. */
export function decodeClaims(body: Uint8Array): readonly EpochClaim[] | null {
  const claims = listOf(readJson(Buffer.from(body).toString("utf8")));
  return claims.length > 0 && claims.every(isClaim) ? claims : null;
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

/** Null when it is damaged, or not of Rialto. */
export function decodeImport(body: Uint8Array): ImportNote | null {
  const note = readJson(Buffer.from(body).toString("utf8"));
  return isImport(note) ? note : null;
}

const isImport = (value: unknown): value is ImportNote =>
  isObject(value) && typeof value["sha256"] === "string" && /^[0-9a-f]{64}$/.test(value["sha256"]);

export function encodeCommit(commit: Commit): Buffer {
  const text = Buffer.from(JSON.stringify(commit));
  if (text.length <= PACK_BYTES) return Buffer.concat([Buffer.of(PLAIN), text]);
  const packed = zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return Buffer.concat([Buffer.of(PACKED), packed]);
}

/** Null when it is damaged, or not of Rialto. Throws a LogError `stream` when only a newer version can read it. */
export function decodeCommit(body: Uint8Array): Commit | null {
  const [kind = 0] = body;
  if (kind >= NEWER_MIN && kind <= NEWER_MAX) {
    throw new LogError(
      "stream",
      "The stream has a commit of a newer version of Rialto, which this version cannot read. Update this node.",
    );
  }
  if (kind !== PLAIN && kind !== PACKED) return null;
  const text = kind === PACKED ? unpacked(body.subarray(1)) : body.subarray(1);
  const commit = text && readJson(Buffer.from(text).toString("utf8"));
  return isCommit(commit) ? commit : null;
}

function unpacked(body: Uint8Array): Buffer | null {
  try {
    return zstdDecompressSync(body, { maxOutputLength: UNPACKED_BYTES });
  } catch {
    return null;
  }
}

/**
 * Whether the value has the shape of a commit, so that a damaged one cannot stop the thread that applies it. What a
 * commit of this shape means is not checked: whoever can write to the stream is trusted.
 */
function isCommit(value: unknown): value is Commit {
  if (!isObject(value) || value["is"] !== "commit" || !areEntries(value)) return false;
  const isOptional = (field: string): boolean => value[field] === undefined || isObject(value[field]);
  return (
    Array.isArray(value["extras"]) &&
    (value["notes"] === null || isObject(value["notes"])) &&
    ["cut", "owners"].every(isOptional)
  );
}

/** Whether the columns of the entries belong together. */
function areEntries({ counts, subjects, subjectOf, labels, payloads }: Readonly<Record<string, unknown>>): boolean {
  if (!isTexts(subjects) || !isTexts(payloads) || (labels !== null && !isTexts(labels))) return false;
  const entries = listOf(counts).reduce<number>((sum, count) => (isIndex(count) ? sum + count : NaN), 0);
  const columns = [payloads, listOf(subjectOf), labels ?? payloads];
  return (
    Array.isArray(counts) &&
    columns.every(({ length }) => length === entries) &&
    listOf(subjectOf).every((at) => isIndex(at) && at < subjects.length)
  );
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
