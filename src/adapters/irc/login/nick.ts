/**
 * What to try when the wanted nick is taken: `nick_`, `nick__`, then four random digits. `tried`: how many were, the
 * wanted one included.
 */
export function nextNick(wanted: string, tried: number, nicklen: number, random: () => number): string {
  const suffix = tried <= 2 ? "_".repeat(Math.max(tried, 1)) : String(Math.floor(random() * 10_000)).padStart(4, "0");
  return cut(wanted, nicklen - suffix.length) + suffix;
}

/**
 * The user name for USER: what comes before the `@` to others. What is not allowed in it is left out; servers cut what
 * is too long for them.
 */
export function identOf(text: string): string {
  const ident = text.replaceAll(/[^A-Za-z0-9._-]/g, "").replace(/^[^A-Za-z0-9]+/, "");
  return ident === "" ? "rialto" : ident;
}

/** At least one character, none of them half. */
function cut(text: string, length: number): string {
  const most = Math.max(length, 1);
  return text.length <= most
    ? text
    : text
        .slice(0, most)
        .toWellFormed()
        .replace(/\ufffd$/, "");
}
