import { createHash, timingSafeEqual } from "node:crypto";

/** Says whether a request with this `Authorization` header may pass. */
export type Guard = (authorization: string | undefined) => boolean;

/**
 * Bearer token check (RFC 6750 §2.1), scheme in any case. Digests of equal length are compared, so the time tells
 * nothing about the token. Without a token everybody passes, whatever the header says.
 */
export function compileGuard(token: string | null): Guard {
  if (token === null || token === "") return () => true;
  const expected = digest(Buffer.from(token, "utf8"));
  return (authorization) => {
    const match = /^bearer +(.*)$/i.exec(authorization ?? "");
    // Header bytes arrive as Latin-1 characters; the token is compared by its UTF-8 bytes.
    return match !== null && timingSafeEqual(digest(Buffer.from((match[1] ?? "").trim(), "latin1")), expected);
  };
}

const digest = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();
