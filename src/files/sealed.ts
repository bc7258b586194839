import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { FileId } from "../contract/ids.ts";
import { fileIdAgain } from "./file-id.ts";

const UNTIL_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Longer ids get no link: an address has to fit into what people send each other. */
const ID_MAX_BYTES = 700;

interface SealedLink {
  readonly id: FileId;
  /** Unix seconds. */
  readonly untilS: number;
}

/**
 * Tokens of links to files that nobody has fetched yet: the file id and the end of the link, encrypted, because an id
 * names accounts and people, and signed together with the name (AES-256-GCM). The nonce is made of the content, so that
 * the same link is always written the same way.
 */
export class Seal {
  readonly #key: Uint8Array;
  readonly #nonceKey: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#key = derive(secret, "rialto sealed link: key\n");
    this.#nonceKey = derive(secret, "rialto sealed link: nonce\n");
  }

  /** As base64url; null when the id is too long. */
  close({ id, untilS }: SealedLink, name: string): string | null {
    if (Buffer.byteLength(id) > ID_MAX_BYTES) return null;
    const until = Buffer.alloc(UNTIL_BYTES);
    until.writeUInt32BE(untilS);
    const body = Buffer.concat([until, Buffer.from(id)]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    const nonce = createHmac("sha256", this.#nonceKey).update(length).update(body).update(name).digest();
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce.subarray(0, NONCE_BYTES));
    cipher.setAAD(Buffer.from(name));
    const closed = Buffer.concat([cipher.update(body), cipher.final()]);
    return Buffer.concat([nonce.subarray(0, NONCE_BYTES), closed, cipher.getAuthTag()]).toString("base64url");
  }

  /** Whether or not its time is over; null when we did not make it for this name. */
  open(token: string, name: string): SealedLink | null {
    const bytes = Buffer.from(token, "base64url");
    const end = bytes.length - TAG_BYTES;
    // A second way to write the same bytes is not ours.
    if (end < NONCE_BYTES + UNTIL_BYTES || bytes.toString("base64url") !== token) return null;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(end));
    try {
      const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
      return { id: fileIdAgain(body.toString("utf8", UNTIL_BYTES)), untilS: body.readUInt32BE() };
    } catch {
      return null;
    }
  }
}

function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return createHmac("sha256", secret).update(purpose).digest();
}
