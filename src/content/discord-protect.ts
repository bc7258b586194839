import { endOfDiscordUrl, quietUrlAt } from "./discord-links.ts";
import { tokenAt } from "./discord-tokens.ts";
import { endOfUrl } from "./links.ts";

/**
 * Words as Discord shows them again: backslashes before signs of formatting, which its clients leave out, and an
 * invisible space where none helps.
 */

/** Of no width. It parts what would be taken together. */
export const APART = "\u200b";

/**
 * Text of others, of any lines, as it is shown in the same words; it formats nothing and mentions nobody but everybody:
 * `@everyone` and `@here` stay, because `allowed_mentions` of each message says whether they call anybody.
 */
export function protectDiscord(text: string): string {
  const isStrict = text.includes("://");
  return text
    .split("\n")
    .map((line) => protectDiscordStart(protectDiscordLine(line, isStrict)))
    .join("\n");
}

/**
 * A whole line. `isStrict`: no sign of formatting stays without its backslash, not even one that begins nothing in this
 * line and might in others, or in an address.
 */
export function protectDiscordLine(line: string, isStrict: boolean): string {
  return protect(line, "", isStrict);
}

/** A part of a line: nobody knows what stands beside it. */
export function protectDiscordPart(text: string, isStrict: boolean): string {
  return protect(text, UNKNOWN, isStrict);
}

/** The same where an address at its end would go on. */
export function partDiscordUrl(text: string, isStrict: boolean): string {
  return protectDiscordPart(text, isStrict).replace(/(?<=^|\s)https?:\/\/[^\s<>]+$/i, "<$&>");
}

const UNKNOWN = "\ufffd";
/** Where something may have a meaning. */
const PLACES = /[\\`*_~|:<(]|https?:\/\//gi;

/** `edge`: what stands before and behind the text. */
function protect(text: string, edge: "" | typeof UNKNOWN, isStrict: boolean): string {
  let written = "";
  let from = 0;
  PLACES.lastIndex = 0;
  for (let found = PLACES.exec(text); found !== null; found = PLACES.exec(text)) {
    const at = found.index;
    const [sign] = found;
    const beside = { before: text.charAt(at - 1) || edge, next: text.charAt(at + 1) || edge };
    const isFree = !isStrict && beginsNothing(sign, beside);
    const [own, end] = sign.length > 1 ? address(text, at, sign) : [isFree ? sign : signAt(text, at, beside), at + 1];
    written += text.slice(from, at) + own;
    from = end;
    PLACES.lastIndex = end;
  }
  return written + text.slice(from);
}

interface Beside {
  readonly before: string;
  readonly next: string;
}

function beginsNothing(sign: string, { before, next }: Beside): boolean {
  if (sign === "*") return /^\s$/.test(before) && /^\s$/.test(next);
  return sign === "_" && isWord(before) && isWord(next);
}

const isWord = (char: string): boolean => /^[a-z\d]$/i.test(char);

/** One sign, and what it is written as. */
function signAt(text: string, at: number, { before, next }: Beside): string {
  const sign = text.charAt(at);
  switch (sign) {
    case "\\":
      return /^[\dA-Za-z\s]?$/.test(next) && !startsWith(text, at + 1, /https?:/iy) ? sign : "\\\\";
    case "~":
    case "|":
      return [sign, UNKNOWN].some((char) => char === before || char === next) ? `\\${sign}` : sign;
    case ":":
      return startsWith(text, at, /:(?:[\w+-]{0,64}[a-z+-][\w+-]{0,64}|100|1234):/iy) ? "\\:" : sign;
    case "<":
      return openAngle(text, at);
    case "(": {
      // Behind a bracket it would begin the address of a link.
      const isBehind = before === "]" || before === UNKNOWN;
      return isBehind && startsWith(text, at, /\(\s{0,8}(?:<?http|$)/iy) ? "\\(" : sign;
    }
    default:
      return `\\${sign}`;
  }
}

/** Servers look for people whatever is before their names; what only clients read may have a backslash there. */
function openAngle(text: string, at: number): string {
  if (startsWith(text, at, /<(?:@[!&]?|#)\d/y)) return "<\\";
  return tokenAt(text, at) === null && quietUrlAt(text, at) === null ? "<" : "\\<";
}

function startsWith(text: string, at: number, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** What Discord ends an address before, as everybody does. */
const ENDED_MAX = 17;
const ENDED = /(?:[.,:;"')\]]{0,16}(?:\s|$))/y;

/** An address, and where it ends; one that Discord would end elsewhere stands between `<` and `>`. */
function address(text: string, at: number, scheme: string): readonly [written: string, end: number] {
  const end = endOfUrl(text, at);
  if (end === at) return [`${scheme.slice(0, -2)}\\//`, at + scheme.length];
  const url = text.slice(at, end);
  const isEnded = startsWith(text, end, ENDED) && endOfDiscordUrl(text, at, end + ENDED_MAX) === end;
  return [isEnded ? url : `<${url}>`, end];
}

/** A written line, or a style at its beginning, that begins nothing: no heading, subtext, quote and list. */
export function protectDiscordStart(line: string): string {
  const begun = line.replace(/^([ *_~|[]*)(?=#{1,3}\s|-#\s|>(?:>>)?\s|[-+*]\s)/, "$1\\");
  return begun === line ? line.replace(/^([ *_~|[]*\d{1,9})(?=\.\s)/, "$1\\") : begun;
}
