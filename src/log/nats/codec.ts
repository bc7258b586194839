import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LogError } from "../errors.ts";
import type { Commit } from "../sqlite/group-commit.ts";

/** The first byte of a commit says how the rest is to be read: a newer way gets another number. */
const PLAIN = 1;
const PACKED = 2;
/** Longer ones are compressed, in bytes. */
const PACK_BYTES = 4096;
/** Most bytes that a commit may have once unpacked. */
const UNPACKED_BYTES = 512 * 1024 * 1024;

/** Whose message it is; as its `Nats-Msg-Id` it makes a repeat known to the servers. */
export interface MessageId {
  readonly node: string;
  readonly run: string;
  /** Counted from 1; 0: a fence. */
  readonly number: number;
  readonly epoch: number;
  /** Counted from 1. */
  readonly part: number;
  readonly parts: number;
}

export function idText({ node, run, number, epoch, part, parts }: MessageId): string {
  return `${node}/${run}/${number}/${epoch}/${part}/${parts}`;
}

/** Null when it is none of ours. */
export function parseId(text: string): MessageId | null {
  const found = /^([\w.-]{1,64})\/([\w-]{1,64})\/(\d{1,15})\/(\d{1,15})\/(\d{1,6})\/(\d{1,6})$/.exec(text);
  if (found === null) return null;
  const [, node = "", run = "", ...numbers] = found;
  const [number = 0, epoch = 0, part = 0, parts = 0] = numbers.map(Number);
  return part >= 1 && part <= parts ? { node, run, number, epoch, part, parts } : null;
}

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
    const reason = error instanceof Error ? error.message : String(error);
    throw new LogError(
      "format",
      `The stream has a message that this version of Rialto cannot read: ${reason}. Update this node.`,
    );
  }
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
    ["undefined", "object"].includes(typeof fields.get("cut"))
  );
}
