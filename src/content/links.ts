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

/**
 * Whether the words of a link look like an address that it does not lead to: people take it for that. Addresses of one
 * host are the same here.
 */
export function looksElsewhere(words: string, href: string): boolean {
  const plain = words.normalize("NFKC").replaceAll(/\p{Cf}+/gu, "");
  const host = (SHOWN.exec(plain) ?? BARE.exec(plain.trim()))?.groups?.["host"];
  if (host === undefined) return false;
  const [shown, leads] = [hostOf(`http://${host}`), hostOf(href)];
  return shown === "" || (shown !== leads && !leads.endsWith(`.${shown}`));
}

/** An address, or what browsers make one of. */
const SHOWN = /(?:[a-z][a-z\d+.-]{0,20}:\/\/|(?<![\p{L}\p{N}.@])(?=www\.))(?<host>[^\s<>"()[\]|/?#]+)/iu;
/** A host alone, but no name of a file. */
const BARE =
  /^(?<host>(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?!(?:cc|cs|go|hs|js|kt|md|pl|ps|py|rb|rs|sh|so|ts|vb)\b)(?:[a-z]{2}|com|net|org|edu|gov|info|biz|dev|app|cloud|online|shop|site|xyz))(?:[/:?#]\S*)?$/iu;

function hostOf(address: string): string {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return host.replace(/^www\./, "").replace(/\.$/, "");
}
