/** Bytes of a content, both counted from 0 and included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What a Range header asks for (RFC 9110 §14): null for all of it, which is also the answer to several ranges at once
 * and to what is no range; "none" when nothing of it exists.
 */
export function readRange(header: string | undefined, bytes: number): ByteRange | "none" | null {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/iu.exec(header ?? "");
  const [, from = "", to = ""] = match ?? [];
  if (match === null || (from === "" && to === "")) return null;
  if (from === "") {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? "none" : { first: bytes - length, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== "" && Number(to) < first) return null;
  return first >= bytes ? "none" : { first, last };
}
