/** Schemes of addresses that may become something to click on. */
const SCHEMES = /^(?:https?:\/\/|mailto:|xmpp:|ircs?:\/\/|matrix:)[^\s<>"]+$/i;
const LENGTH_MAX = 4096;

/** Whether an address may be written as a link; one that may not is shown as text. */
export function isLinkable(href: string): boolean {
  return href.length <= LENGTH_MAX && SCHEMES.test(href);
}

const FOUND = /https?:\/\/[^\s<>[\]"`\\]+/giy;

/**
 * Where the address that begins at `at` ends, `at` when none does. Punctuation after it is no part of it, and neither
 * is a mark of formatting that was opened before it.
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
    else if (!TRAILING.has(last) || (MARKS.has(last) && !isOpen(text, at, last))) break;
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
const MARKS = new Set("*_~");

/** Whether the last of these marks before the address begins something, as in `_see https://example.org/_`. */
function isOpen(text: string, at: number, mark: string): boolean {
  const last = text.lastIndexOf(mark, at - 1);
  if (at === 0 || last === -1) return false;
  return !/[\p{L}\p{N}]/u.test(text.charAt(last - 1)) && !/\s/u.test(text.charAt(last + 1));
}

/**
 * What is shown of a link where nothing can be clicked on: the words, the address, or the words and then the address.
 */
export function shownLink(words: string, href: string): "words" | "address" | "both" {
  if (words === href || /^[\s\p{C}]*$/u.test(words)) return "address";
  return href === "" || href === `mailto:${words}` ? "words" : "both";
}
