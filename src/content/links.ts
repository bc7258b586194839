/** Schemes of addresses that may become something to click on. */
const SCHEMES = /^(?:https?:\/\/|mailto:|xmpp:|ircs?:\/\/|matrix:)[^\s<>"]+$/i;
const LENGTH_MAX = 4096;

/** Whether an address may be written as a link; one that may not is shown as text. */
export function isLinkable(href: string): boolean {
  return href.length <= LENGTH_MAX && SCHEMES.test(href);
}

const FOUND = /https?:\/\/[^\s<>[\]"`\\]+/giy;

/**
 * Where the address that begins at `at` ends, `at` when none does. Punctuation and marks after it are no part of it.
 */
export function endOfUrl(text: string, at: number): number {
  FOUND.lastIndex = at;
  const found = FOUND.exec(text)?.[0];
  if (found === undefined) return at;
  let end = found.length;
  let closing = found.split(")").length - found.split("(").length;
  for (; end > 0; end -= 1) {
    const last = found.charAt(end - 1);
    if (last === ")" && closing > 0) closing -= 1;
    else if (!TRAILING.has(last)) break;
  }
  // The scheme alone is no address.
  return /^https?:\/\/./i.test(found.slice(0, end)) ? at + end : at;
}

/** Whether a text ends in an address that would continue if something but a space followed. */
export function endsInUrl(text: string): boolean {
  const word = /\S+$/u.exec(text.slice(-URL_MAX))?.[0] ?? "";
  return /https?:\/\/[^\s<>[\]"`\\]+$/i.test(word);
}

const URL_MAX = 2048;

const TRAILING = new Set("?!.,:;*_~'|");

/**
 * What is shown of a link where nothing can be clicked on: the words, the address, or the words and then the address.
 */
export function shownLink(words: string, href: string): "words" | "address" | "both" {
  if (words === href || /^[\s\p{C}]*$/u.test(words)) return "address";
  return href === "" || href === `mailto:${words}` ? "words" : "both";
}
