import { isObject, readJson } from "../../lib/shapes.ts";

/**
 * What two processes say to each other about their tunnels, as messages of NATS. A message to a tunnel is a kind, its
 * number among those of this direction, and what follows:
 *
 *     kind u8 | number u32 | body
 *
 * One to the process itself is a kind and the process that says it, as text, before its body.
 */

/** Most bytes of a message. */
export const WORD_BYTES = 64 * 1024;
const HEAD_BYTES = 5;
/** Most bytes of a tunnel in one message. */
export const PART_BYTES = WORD_BYTES - HEAD_BYTES;

export const Kind = {
  /** Body: JSON of a TunnelOpening. */
  open: 1,
  accept: 2,
  data: 3,
  /** Nothing more comes this way. */
  end: 4,
  /** So many bytes more were taken, or the end (0): u32. */
  taken: 5,
  /** The tunnel is over, both ways. Body: why, as text; empty: as it should be. */
  close: 6,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface Remote {
  readonly address: string;
  readonly port: number;
}

/** What a tunnel is asked for with. */
export interface TunnelOpening {
  /** The process that asks. */
  readonly run: string;
  readonly account: string;
  /** The client. */
  readonly remote: Remote;
}

export interface Word {
  readonly kind: number;
  readonly number: number;
  readonly body: Buffer;
}

/** Room for a message with a body of so many bytes, which the caller fills in. */
export function wordOf(
  kind: Kind,
  number: number,
  bodyBytes: number,
): { readonly word: Buffer; readonly body: Buffer } {
  const word = Buffer.allocUnsafe(HEAD_BYTES + bodyBytes);
  word[0] = kind;
  word.writeUInt32BE(number, 1);
  return { word, body: word.subarray(HEAD_BYTES) };
}

/** Null: it is none. */
export function readWord(data: Uint8Array): Word | null {
  if (data.length < HEAD_BYTES) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  return { kind: bytes.readUInt8(0), number: bytes.readUInt32BE(1), body: bytes.subarray(HEAD_BYTES) };
}

/** The number after this one; they begin anew after the last. */
export const nextNumber = (number: number): number => (number + 1) >>> 0;

/** Null: it is none. */
export function readOpening(body: Buffer): TunnelOpening | null {
  const value = readJson(body.toString("utf8"));
  if (!isObject(value)) return null;
  const { run, account, remote } = value;
  if (typeof run !== "string" || typeof account !== "string" || !isObject(remote)) return null;
  const { address, port } = remote;
  if (typeof address !== "string" || typeof port !== "number") return null;
  return { run, account, remote: { address, port } };
}

/** That a process lives, with what it has said in each of its tunnels to another. */
export const ALIVE = 1;
/** A process asks another to repeat this number: then all that it said before has come. */
export const MARK = 2;
export const MARKED = 3;

const ID_BYTES = 16;
const ENTRY_BYTES = ID_BYTES + 4;
const RUN_MAX = 255;

export interface PeerWord {
  readonly kind: number;
  readonly run: string;
  readonly body: Buffer;
}

export function peerWordOf(kind: number, run: string, body: Uint8Array): Buffer {
  const name = Buffer.from(run).subarray(0, RUN_MAX);
  return Buffer.concat([Buffer.from([kind, name.length]), name, body]);
}

/** Null: it is none. */
export function readPeerWord(data: Uint8Array): PeerWord | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const [kind, length] = bytes;
  if (kind === undefined || length === undefined || bytes.length < 2 + length) return null;
  return { kind, run: bytes.toString("utf8", 2, 2 + length), body: bytes.subarray(2 + length) };
}

export interface TunnelCount {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Of the next message in this tunnel. */
  readonly number: number;
}

/** Bodies of as many ALIVE as it takes. */
export function aliveBodies(all: readonly TunnelCount[]): readonly Buffer[] {
  const perWord = Math.floor((WORD_BYTES - RUN_MAX - 2) / ENTRY_BYTES);
  const bodies: Buffer[] = [];
  for (let from = 0; from < all.length; from += perWord) {
    const part = all.slice(from, from + perWord);
    const body = Buffer.alloc(part.length * ENTRY_BYTES);
    for (const [index, { id, number }] of part.entries()) {
      body.write(id, index * ENTRY_BYTES, "hex");
      body.writeUInt32BE(number, index * ENTRY_BYTES + ID_BYTES);
    }
    bodies.push(body);
  }
  return bodies;
}

export function readAlive(body: Buffer): readonly TunnelCount[] {
  return Array.from({ length: Math.floor(body.length / ENTRY_BYTES) }, (_, index) => {
    const at = index * ENTRY_BYTES;
    return { id: body.toString("hex", at, at + ID_BYTES), number: body.readUInt32BE(at + ID_BYTES) };
  });
}

/** Of a MARK and a MARKED. */
export function countBody(count: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(count);
  return body;
}

/** Null: it is none. */
export const readCount = (body: Buffer): number | null => (body.length === 8 ? body.readDoubleBE(0) : null);
