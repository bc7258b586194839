import { createHash, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Prepared } from "./saslprep.ts";

/** A server that asks for more would keep us busy for seconds. RFC 7677 §4 wants 4096 at least. */
const ITERATIONS_MAX = 1_000_000;
const ITERATIONS_MIN = 4096;
const SALT_MAX = 1024;

const derive = promisify(pbkdf2);

/** Output of each hash in bytes. */
const HASHES = { sha1: 20, sha256: 32 } as const;

/** What was said so far: our first message, without its header, and our nonce. */
export interface ScramStart {
  readonly hash: keyof typeof HASHES;
  readonly message: string;
  readonly bare: string;
  readonly nonce: string;
}

/** Our last message, and the signature by which the server proves that it knows the password as well. */
export interface ScramFinal {
  readonly message: string;
  readonly serverSignature: Buffer;
}

/**
 * SCRAM without channel binding (RFC 5802 §5, RFC 7677). `nonce`: printable ASCII without a comma, which nobody can
 * guess.
 */
export function scramStart(hash: ScramStart["hash"], user: Prepared, nonce: string): ScramStart {
  const name = user.replaceAll("=", "=3D").replaceAll(",", "=2C");
  const bare = `n=${name},r=${nonce}`;
  return { hash, message: `n,,${bare}`, bare, nonce };
}

/** The answer to the server's challenge; null when that is not one that can be answered safely. */
export async function scramFinal(start: ScramStart, challenge: string, password: Prepared): Promise<ScramFinal | null> {
  const { hash } = start;
  const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
  const parts = attributes(challenge);
  const nonce = parts.get("r") ?? "";
  const salt = Buffer.from(parts.get("s") ?? "", "base64");
  const iterations = /^\d{1,9}$/u.test(parts.get("i") ?? "") ? Number(parts.get("i")) : 0;
  // An `m` is an extension that we would have to know.
  const sound = !parts.has("m") && nonce.startsWith(start.nonce) && nonce.length > start.nonce.length;
  const bounded = iterations >= ITERATIONS_MIN && iterations <= ITERATIONS_MAX;
  if (!sound || !bounded || salt.length === 0 || salt.length > SALT_MAX) return null;
  const salted = await derive(password, salt, iterations, HASHES[hash], hash);
  const clientKey = hmac(salted, "Client Key");
  // "n,," in Base64: no channel binding.
  const withoutProof = `c=biws,r=${nonce}`;
  const all = `${start.bare},${challenge},${withoutProof}`;
  const signature = hmac(createHash(hash).update(clientKey).digest(), all);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  return {
    message: `${withoutProof},p=${proof.toString("base64")}`,
    serverSignature: hmac(hmac(salted, "Server Key"), all),
  };
}

/** Whether the server's last message proves that it knows the password. */
export function scramProves(final: ScramFinal, message: string): boolean {
  const given = Buffer.from(attributes(message).get("v") ?? "", "base64");
  return given.length === final.serverSignature.length && timingSafeEqual(given, final.serverSignature);
}

/**
 * What the server's last message says against ours (RFC 5802 §7, `server-error`), such as `invalid-proof`; null when
 * that is nothing.
 */
export function scramError(message: string): string | null {
  return attributes(message).get("e") ?? null;
}

function attributes(message: string): ReadonlyMap<string, string> {
  return new Map(message.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}
