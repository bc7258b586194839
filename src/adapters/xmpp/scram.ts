import { createHash, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** A server that asks for more would keep us busy for seconds. */
const ITERATIONS_MAX = 1_000_000;
const SALT_MAX = 1024;
const derive = promisify(pbkdf2);

const HASHES = {
  "SCRAM-SHA-256": { hash: "sha256", bytes: 32 },
  "SCRAM-SHA-1": { hash: "sha1", bytes: 20 },
} as const;

export type ScramName = keyof typeof HASHES;

/** One login by SCRAM without channel binding (RFC 5802 §5, RFC 7677), by which the server proves itself as well. */
export class Scram {
  readonly #name: ScramName;
  readonly #password: string;
  readonly #nonce: string;
  readonly #bare: string;
  #signature: Buffer | null = null;

  /** `nonce`: printable ASCII without a comma. */
  constructor(name: ScramName, user: string, password: string, nonce: string) {
    this.#name = name;
    this.#password = password.normalize("NFKC");
    this.#nonce = nonce;
    this.#bare = `n=${user.normalize("NFKC").replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
  }

  get first(): string {
    return `n,,${this.#bare}`;
  }

  /** The answer to the server's challenge; throws when that is not one that can be answered safely. */
  async final(challenge: string): Promise<string> {
    const parts = attributes(challenge);
    const nonce = parts.get("r") ?? "";
    const salt = Buffer.from(parts.get("s") ?? "", "base64");
    const iterations = /^\d{1,9}$/u.test(parts.get("i") ?? "") ? Number(parts.get("i")) : 0;
    const sound = !parts.has("m") && nonce.startsWith(this.#nonce) && nonce.length > this.#nonce.length;
    if (!sound || iterations < 1 || iterations > ITERATIONS_MAX || salt.length === 0 || salt.length > SALT_MAX) {
      throw new Error("the server's challenge cannot be answered");
    }
    const { hash, bytes } = HASHES[this.#name];
    const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
    const salted = await derive(this.#password, salt, iterations, bytes, hash);
    const clientKey = hmac(salted, "Client Key");
    // "n,," in Base64: no channel binding.
    const withoutProof = `c=biws,r=${nonce}`;
    const said = `${this.#bare},${challenge},${withoutProof}`;
    const signature = hmac(createHash(hash).update(clientKey).digest(), said);
    const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
    this.#signature = hmac(hmac(salted, "Server Key"), said);
    return `${withoutProof},p=${proof.toString("base64")}`;
  }

  /** Whether the server's last message proves that it knows the password. */
  proves(message: string): boolean {
    const given = Buffer.from(attributes(message).get("v") ?? "", "base64");
    return (
      this.#signature !== null && given.length === this.#signature.length && timingSafeEqual(given, this.#signature)
    );
  }
}

function attributes(message: string): ReadonlyMap<string, string> {
  return new Map(message.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}
