import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * How a token is written: `rlt_<8>_<43>_<6>`: its public name, 256 random bits in base64url, and a checksum, by which
 * scanners for secrets know one without asking anybody (as GitHub's do).
 */
export interface TokenText {
  /** The eight characters that name it. */
  readonly id: string;
  /** SHA-256 of the whole text: what is kept of it. 256 random bits need no slow hash. */
  readonly digest: Buffer;
}

const ID_CHARS = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 8;
const SECRET_BYTES = 32;
const SUM_CHARS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SUM_LENGTH = 6;

const TEXT = /^rlt_(?<id>[a-z2-7]{8})_[\w-]{43}_(?<sum>[0-9A-Za-z]{6})$/u;
export const TOKEN_ID = /^[a-z2-7]{8}$/u;

/** `bytes`: so many of a good source of chance. */
export function newTokenId(bytes: (count: number) => Buffer): string {
  return Array.from(bytes(ID_LENGTH), (byte) => ID_CHARS[byte % ID_CHARS.length]).join("");
}

export function newTokenText(id: string, bytes: (count: number) => Buffer): string {
  const body = `rlt_${id}_${bytes(SECRET_BYTES).toString("base64url")}`;
  return `${body}_${checksum(body)}`;
}

/** Null: it is none, or was not copied whole. Says nothing of whether it counts. */
export function readToken(text: string): TokenText | null {
  const { id, sum } = TEXT.exec(text)?.groups ?? {};
  if (id === undefined || checksum(text.slice(0, -SUM_LENGTH - 1)) !== sum) return null;
  return { id, digest: digestOf(text) };
}

export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** CRC-32 in base 62. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let at = 0; at < SUM_LENGTH; at++) {
    text = (SUM_CHARS[rest % SUM_CHARS.length] ?? "") + text;
    rest = Math.floor(rest / SUM_CHARS.length);
  }
  return text;
}
