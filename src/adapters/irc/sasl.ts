/** How to log in (IRCv3 "SASL Authentication"). */
export type Mechanism = "PLAIN" | "EXTERNAL";

/** Whether the server takes it: `offered` is the value of its `sasl` capability, which older servers leave empty. */
export function takesMechanism(offered: string, mechanism: Mechanism): boolean {
  return offered === "" || offered.toUpperCase().split(",").includes(mechanism);
}

/** The parameters of the AUTHENTICATE lines that answer `AUTHENTICATE +`, for PLAIN (RFC 4616). */
export function plainChunks(user: string, password: string): readonly string[] {
  return chunks(Buffer.from(`\0${user}\0${password}`).toString("base64"));
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
