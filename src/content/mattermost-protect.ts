import { endOfUrl } from "./links.ts";
import { NextMatch } from "./next-match.ts";

/**
 * Words as Mattermost shows them again: backslashes before signs of formatting, and an invisible space where none
 * helps: in names of people, rooms and emoji. The engines of its clients for the web and for phones differ; only what
 * both read alike is used.
 */

/** Of no width. It parts what would be taken together. */
export const APART = "\u200b";

/** Where something may have a meaning: signs, and what clients turn into links. */
const PLACES =
  /[\\`*_~&@:<]|\](?=[(:]|$)|(?:(?:https?|ftp|mailto|tel|mattermost)(?=:)|www\d{0,3}(?=\.))|[\p{L}\d.-]{1,128}\.\p{L}{2,4}(?=\/)/giu;

/** A text within a line. */
export function protectWords(text: string): string {
  let written = "";
  let from = 0;
  const ahead = aheadOf(text);
  PLACES.lastIndex = 0;
  for (let found = PLACES.exec(text); found !== null; found = PLACES.exec(text)) {
    const at = found.index;
    const [sign] = found;
    const [end, own] = sign.length > 1 ? word(text, at, sign, ahead) : [at + 1, signAt(text, at, sign, ahead)];
    written += text.slice(from, at) + own;
    from = end;
    PLACES.lastIndex = end;
  }
  return written + text.slice(from);
}

/** What comes next behind a place. */
interface Ahead {
  /** What makes a token in angle brackets an address. */
  readonly address: NextMatch;
  readonly end: NextMatch;
  readonly close: NextMatch;
  readonly space: NextMatch;
  /** What is no plain character of an address. */
  readonly odd: NextMatch;
}

const aheadOf = (text: string): Ahead => ({
  address: new NextMatch(/@|:\/|www\d{0,3}\./gi, text),
  end: new NextMatch(/[\s>]/g, text),
  close: new NextMatch(/>/g, text),
  space: new NextMatch(/\s/g, text),
  odd: new NextMatch(/[^\p{L}\p{N}_./?=%#+,!;'"()\s-]|(?<![A-Za-z\d])_|_(?![A-Za-z\d])/gu, text),
});

const isAlnum = (char: string): boolean => /^[a-z0-9]$/i.test(char);

/** One sign, and what it is written as. */
function signAt(text: string, at: number, sign: string, ahead: Ahead): string {
  const before = text.charAt(at - 1);
  const next = text.charAt(at + 1);
  const isFree = /^\s$/.test(before) && /^\s$/.test(next);
  const isInWord = isAlnum(before) && isAlnum(next);
  switch (sign) {
    case "\\":
      return backslash(text, at, next);
    case "*":
      return isFree ? sign : `\\${sign}`;
    case "_":
      return isFree || isInWord ? sign : `\\${sign}`;
    case "~": {
      const own = before === "~" || next === "~" ? `\\${sign}` : sign;
      return !isAlnum(before) && /^[\w-]$/.test(next) ? own + APART : own;
    }
    case "]":
      // Engines find a link's brackets behind backslashes, too.
      return sign + APART;
    case "&":
      return startsWith(text, at, /&#?\w{1,32};/y) ? "&amp;" : sign;
    case "@":
      return isPing(text, at, before) ? sign + APART : sign;
    case ":":
      return startsWith(text, at, /:(?:[\w+-]{0,64}[a-z+-][\w+-]{0,64}|100|1234):/iy) ? sign + APART : sign;
    case "<":
      return isTag(text, at, ahead) ? "&lt;" : sign;
    default:
      return `\\${sign}`;
  }
}

/** One before a word is text by itself, and two of them are two: only before signs it is protected. */
function backslash(text: string, at: number, next: string): string {
  if (startsWith(text, at + 1, /https?:/iy)) return `\\${APART}`;
  const isText = /^[^\s!-/:-@[-`{-~]$/u.test(next) || next === " " || next > "\x7f";
  return isText ? "\\" : "\\\\";
}

/** What engines take whole, or what begins a block of HTML. A name in angle brackets before other words is none. */
function isTag(text: string, at: number, ahead: Ahead): boolean {
  const address = ahead.address.from(at + 1);
  if (address < text.length && address <= at + 1 + WORD_MAX && address < ahead.end.from(at + 1)) return true;
  if (!startsWith(text, at, /<[a-z/!?]/iy)) return false;
  const begins = /(?:^|\n) {0,3}$/.test(text.slice(Math.max(at - 4, 0), at));
  if (!startsWith(text, at, NAME)) return begins || ahead.close.from(at) < Math.min(at + WORD_MAX, text.length);
  return begins && (startsWith(text, at, HTML_BLOCK) || startsWith(text, at, ALONE));
}

const NAME = /<[a-z][\w-]{0,64}>/iy;
const ALONE = /<[a-z][\w-]{0,64}>\s*(?:\n|$)/iy;
/** Names by which a block begins (CommonMark 4.6). */
const HTML_BLOCK =
  /<(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|pre|script|search|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|ul)>/iy;

function startsWith(text: string, at: number, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Within a word it names nobody, unless it is a name that calls the whole room. */
function isPing(text: string, at: number, before: string): boolean {
  if (startsWith(text, at, /@(?:all|channel|here|everyone)(?![a-z0-9])/iy)) return true;
  return !isAlnum(before) && startsWith(text, at, /@[\w.-]/y);
}

/** Where something ends that a client may turn into a link, and how it is written. */
function word(text: string, at: number, sign: string, ahead: Ahead): readonly [end: number, written: string] {
  const before = text.charAt(at - 1);
  const isAfterMark = before === "_" && !isAlnum(text.charAt(at - 2));
  const isWord = isAlnum(before) || (before === "_" && !isAfterMark);
  const end = /^https?$/i.test(sign) && !isWord ? endOfUrl(text, at) : at;
  if (end > at)
    return [
      end,
      (/\p{L}|\p{N}/u.test(before) ? APART : "") + address(text.slice(at, end), isAfterMark ? null : text.slice(end)),
    ];
  if (!isWord && /^www/i.test(sign)) {
    const lead = text.slice(Math.max(at - WORD_MAX, 0), at);
    const url = lead + SCHEME + text.slice(at, at + WORD_MAX);
    const ended = at + Math.max(endOfUrl(url, lead.length) - lead.length - SCHEME.length, 0);
    const written = address(text.slice(at, ended), isAfterMark ? null : text.slice(ended));
    // Between angle brackets, an address needs a scheme.
    if (ended > at + sign.length + 1) return [ended, written.replace(/^</, `<${SCHEME}`)];
  }
  // Its signs would be part of the address, and so would their backslashes.
  const isPlain = ahead.odd.from(at + sign.length + 1) >= Math.min(ahead.space.from(at), at + WORD_MAX);
  const [last = ""] = sign.slice(-1);
  if (isPlain && !isWord && !isAfterMark) return [at + sign.length, sign];
  return /^[a-z]+$/i.test(sign) && text.charAt(at + sign.length) === ":"
    ? [at + sign.length + 1, `${sign}:${APART}`]
    : [at + sign.length, sign.slice(0, -1) + APART + last];
}

const WORD_MAX = 2_048;
const SCHEME = "http://";
/** What all clients take for one address, and for nothing else. */
const CLEAN = /^(?:[\p{L}\p{N}/]|[-.?=&%#+,@!'$:]|(?<=[A-Za-z\d])_(?=[A-Za-z\d])|\([^()*_~]*\))*$/u;
const ENDED = /^(?:$|\s|[.,;:!?)\]'"]{1,16}(?:\s|$))/u;

/** `rest`: what follows; null: an engine may not see that it begins. */
function address(url: string, rest: string | null): string {
  const safe = url
    .replaceAll(/@(?=(?:all|channel|here|everyone)(?![a-z0-9]))/gi, "%40")
    // Clients read entities in addresses, too.
    .replaceAll(/(&#?\w{1,32});/g, "$1%3B");
  if (rest === null) return `<${safe}>`;
  const isEntity = rest.startsWith(";") && /&#?\w{1,32}$/.test(safe);
  return CLEAN.test(safe) && ENDED.test(rest) && !isEntity ? safe : `<${safe}>`;
}

/**
 * A text that is in this format already, of another server or team: the names in it are those of others. `isKnown`:
 * somebody here has the name.
 */
export function withoutNames(text: string, isKnown: (name: string) => boolean): string {
  const quiet = text.replaceAll(/@(?=[\w.-])/g, (sign, at: number) => {
    if (!isPing(text, at, text.charAt(at - 1))) return sign;
    return isKnown(/^[\w.-]*/.exec(text.slice(at + 1, at + 65))?.[0] ?? "") ? sign : sign + APART;
  });
  return quiet.replaceAll(/(?<![A-Za-z0-9~])~(?=[\w-])/g, `~${APART}`);
}

/** A written line that begins nothing: no heading, quote, list, rule, table and block of code. */
export function protectBegin(line: string): string {
  if (/^(?: {4}| {0,3}\t| *={1,} *$)/.test(line)) return APART + line;
  const listed = line.replace(/^( *)(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|-+ *$|[*_](?=\s))/, "$1\\");
  if (listed !== line) return listed;
  const numbered = line.replace(/^( *\d{1,9})(?=[.)](?:\s|$))/, "$1\\");
  return /^[ |:-]*$/.test(line) && line.includes("-") ? line.replace("|", String.raw`\|`) : numbered;
}
