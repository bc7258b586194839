import { createHmac, timingSafeEqual } from "node:crypto";

/** Of the content's SHA-256, enough that nobody finds another one. */
const CONTENT_BYTES = 16;
const UNTIL_BYTES = 4;
const MAC_BYTES = 12;
const TOKEN = /^[\w-]{43}$/u;

export interface LinkTo {
  /** The first 32 hex digits of the content's SHA-256. */
  readonly content: string;
  readonly name: string;
  /** Unix seconds. */
  readonly untilS: number;
}

/**
 * The token of a link: what it leads to and until when, signed together with the name (HMAC-SHA256, cut to 96 bits), as
 * base64url. It needs no list of links, and nobody can make one without the secret.
 */
export function signLink(secret: Uint8Array, { content, name, untilS }: LinkTo): string {
  const body = Buffer.alloc(CONTENT_BYTES + UNTIL_BYTES);
  body.write(content.slice(0, CONTENT_BYTES * 2), "hex");
  body.writeUInt32BE(untilS, CONTENT_BYTES);
  return Buffer.concat([body, macOf(secret, body, name)]).toString("base64url");
}

/** What the token says, whether or not its time is over; null when we did not sign it for this name. */
export function readLink(secret: Uint8Array, token: string, name: string): LinkTo | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  // The last character has bits to spare: a second way to write the same bytes is not ours.
  if (bytes.toString("base64url") !== token) return null;
  const body = bytes.subarray(0, CONTENT_BYTES + UNTIL_BYTES);
  if (!timingSafeEqual(bytes.subarray(body.length), macOf(secret, body, name))) return null;
  return {
    content: body.toString("hex", 0, CONTENT_BYTES),
    name,
    untilS: body.readUInt32BE(CONTENT_BYTES),
  };
}

function macOf(secret: Uint8Array, body: Uint8Array, name: string): Buffer {
  return createHmac("sha256", secret)
    .update("rialto media link\n")
    .update(body)
    .update(name)
    .digest()
    .subarray(0, MAC_BYTES);
}
