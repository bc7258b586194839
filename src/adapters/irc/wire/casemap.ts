/** Which letters are one to a server (ISUPPORT CASEMAPPING). */
export type Casemapping = "ascii" | "rfc1459" | "rfc1459-strict";

/** A nick or channel as the server compares it: two that fold alike are the same. RFC 2812 §2.2 for the braces. */
export function casefold(mapping: Casemapping, text: string): string {
  const lower = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  if (mapping === "ascii") return lower;
  const braces = lower.replaceAll("[", "{").replaceAll("]", "}").replaceAll("\\", "|");
  return mapping === "rfc1459" ? braces.replaceAll("~", "^") : braces;
}
