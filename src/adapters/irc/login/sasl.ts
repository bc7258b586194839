/** How to log in (IRCv3 "SASL Authentication"). */
export type IrcMechanism = "PLAIN" | "EXTERNAL" | "SCRAM-SHA-256";

/**
 * Whether the server takes it: `offered` is the value of its `sasl` capability, which older servers leave empty; those
 * have no SCRAM.
 */
export function takesMechanism(offered: string, mechanism: IrcMechanism): boolean {
  return (offered === "" && mechanism !== "SCRAM-SHA-256") || offered.toUpperCase().split(",").includes(mechanism);
}

/** The parameters of the AUTHENTICATE lines that answer `AUTHENTICATE +`, for PLAIN (RFC 4616). */
export function plainChunks(user: string, password: string): readonly string[] {
  return chunks(Buffer.from(`\0${user}\0${password}`).toString("base64"));
}

/** The same for a message of SCRAM. */
export function scramChunks(message: string): readonly string[] {
  return chunks(Buffer.from(message).toString("base64"));
}

/** The same for EXTERNAL: the certificate says it all. */
export function externalChunks(): readonly string[] {
  return chunks("");
}

const CHUNK = 400;

/** A chunk shorter than 400 bytes is the last one, so a full one is followed by an empty one, written `+`. */
function chunks(base64: string): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < base64.length; at += CHUNK) out.push(base64.slice(at, at + CHUNK));
  if (base64.length % CHUNK === 0) out.push("+");
  return out;
}

/** Far more than any server's message. */
const GATHERED_MAX = 16 * 1024;

/** Puts the chunks of the server's messages together. */
export class ChunkReader {
  #base64 = "";

  /** The message that this AUTHENTICATE line completes; null: there is more to come, or it is too much. */
  take(chunk: string): string | null {
    if (chunk !== "+" && this.#base64.length < GATHERED_MAX) this.#base64 += chunk;
    if (chunk.length === CHUNK) return null;
    const message = Buffer.from(this.#base64, "base64").toString();
    this.#base64 = "";
    return message;
  }
}
