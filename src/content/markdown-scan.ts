/** What stands beside a mark: it decides whether the mark can begin or end something. */
export const SPACE = 0;
export const PUNCTUATION = 1;
export const WORD = 2;

/** The kind of a code unit; the edges of a text are space. */
export function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return ASCII[code] ?? SPACE;
  if (Number.isNaN(code)) return SPACE;
  const char = text.charAt(at);
  if (/^\s$/u.test(char)) return SPACE;
  return /^[\p{P}\p{S}]$/u.test(char) ? PUNCTUATION : WORD;
}

const ASCII: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  if (/^\s$/.test(String.fromCharCode(code))) return SPACE;
  return /^[!-/:-@[-`{-~]$/.test(String.fromCharCode(code)) ? PUNCTUATION : WORD;
});

/** What a backslash takes its meaning from, and a line's end. */
export const ESCAPABLE = /^[!-/:-@[-`{-~\n]$/;

/** An absolute address or a mail address in angle brackets. */
export const AUTOLINK =
  // oxlint-disable-next-line eslint/no-control-regex -- as CommonMark says
  /<(?:(?<url>[a-z][a-z0-9+.-]{1,31}:[^\s<>\0-\x1f]{0,2000})|(?<mail>[\w.!#$%&'*+/=?^`{|}~-]{1,200}@[a-z0-9](?:[a-z0-9.-]{0,200}[a-z0-9])?))>/giy;

/** The content of a code span: line breaks are spaces, and one space on both sides is no part of it. */
export function codeText(raw: string): string {
  const text = raw.replaceAll("\n", " ");
  const padded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
  return padded ? text.slice(1, -1) : text;
}

/** Lengths are bounded, so that many unfinished links take no more time than their number. */
const TARGET = /\(\s{0,9}(?:<(?<angle>(?:[^<>\n\\]|\\.){0,2000})>|(?<bare>[^\s<][^\s]{0,2000})?)/y;
const TITLE = /(?:\s{1,9}(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)))?\s{0,9}\)/y;

/** `(address "title")` at a place; null when there is none. */
export function readTarget(text: string, at: number): { readonly href: string; readonly end: number } | null {
  if (text.charAt(at) !== "(") return null;
  TARGET.lastIndex = at;
  const match = TARGET.exec(text);
  if (match === null) return null;
  const bare = match.groups?.["bare"];
  const raw = match.groups?.["angle"] ?? (bare === undefined ? "" : balanced(bare));
  if (raw === null) return null;
  const behind = bare === undefined ? at + match[0].length : at + match[0].length - bare.length + raw.length;
  const window = text.slice(behind, behind + TITLE_MAX);
  TITLE.lastIndex = 0;
  const title = TITLE.exec(window);
  if (title === null) return null;
  return { href: raw.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1"), end: behind + title[0].length };
}

const TITLE_MAX = 500;

/** The address up to the parenthesis that ends it; null when its parentheses are not in pairs. */
function balanced(bare: string): string | null {
  let depth = 0;
  for (let at = 0; at < bare.length; at += 1) {
    const char = bare.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && --depth < 0) return bare.slice(0, at);
  }
  return depth === 0 ? bare : null;
}
