import { isUnseen } from "./controls.ts";
import { endOfUrl } from "./links.ts";
import { CHAT, type Dialect } from "./markdown-dialect.ts";

/** A run of marks, a bracket or the end of a link, with the backslashes before it: what a pair begins or ends with. */
export interface Token {
  readonly is: "*" | "_" | "~" | "|" | "[" | "]";
  /** After its backslashes. */
  readonly at: number;
  readonly end: number;
  readonly slashes: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** After the last character before it that is no sign and no blank. */
  readonly content: number;
  /** Of a link's end. */
  readonly href: string;
}

/** A code span; protected by a backslash it is text. */
export interface CodeSpan {
  readonly is: "code";
  readonly at: number;
  readonly end: number;
  readonly slashes: number;
  /** Where the marks that close it begin. */
  readonly close: number;
  /** Backslashes before these, which belong to the code. */
  readonly closeSlashes: number;
  readonly text: string;
}

/** What is written one way and read another: a sign behind its backslash, an entity, an address between `<` and `>`. */
interface Instead {
  readonly is: "instead";
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

/** What comes before an opener, and after a closer. */
export const BEFORE_OPENER = /[\s([{"'\p{Pi}\p{Pf}\p{Ps}]/u;
export const BEHIND_CLOSER = /[\s.,;:!?)\]}"'\p{Pi}\p{Pf}\p{Pe}…、。，．：；！？]/u;
/** Beside these, all marks but single ones begin and end styles: letters of other scripts, emoji, any other sign. */
const FOREIGN = /^[^\p{ASCII}\p{Cc}]$/u;
export const BEFORE_LONG_OPENER = new RegExp(`${BEFORE_OPENER.source}|${FOREIGN.source}`, "u");
export const BEHIND_LONG_CLOSER = new RegExp(`${BEHIND_CLOSER.source}|${FOREIGN.source}`, "u");

/** The tokens of one line in their order, in time proportional to its length. */
export function scan(line: string, dialect: Dialect = CHAT): readonly (Token | CodeSpan | Instead)[] {
  return new Scanner(line, dialect).scan();
}

class Scanner {
  readonly #line: string;
  readonly #dialect: Dialect;
  readonly #found: (Token | CodeSpan | Instead)[] = [];
  readonly #ends: Ends;
  /** Where an opener may stand because another one ends there. */
  #chain = -1;
  #content = 0;
  /** Up to where `#content` has looked. */
  #seen = 0;
  /** Looked for once there is a code span. */
  #ticks: ReadonlyMap<number, number[]> | null = null;
  #brackets = 0;

  constructor(line: string, dialect: Dialect) {
    this.#line = line;
    this.#dialect = dialect;
    this.#ends = new Ends(line);
  }

  scan(): readonly (Token | CodeSpan | Instead)[] {
    const { special } = this.#dialect;
    for (let at = 0; ;) {
      special.lastIndex = at;
      const match = special.exec(this.#line);
      if (match === null) return this.#found;
      at = this.#special(match.index, match[0]);
    }
  }

  /** Gives where to continue. */
  #special(at: number, sign: string): number {
    const char = sign.charAt(0);
    if (char === "\\" || char === "&" || char === "<") return this.#instead(at, sign);
    if (char === "`") return this.#code(at);
    if (char === "[") return this.#bracket(at);
    if (char === "]") return this.#linkEnd(at);
    if (this.#dialect.runs[char] !== undefined) return this.#run(at, char as Token["is"]);
    return isWord(this.#line, at - 1) ? at + 1 : Math.max(endOfUrl(this.#line, at), at + 1);
  }

  #instead(at: number, sign: string): number {
    const end = at + sign.length;
    const whole = sign.startsWith("<") ? sign.slice(1, -1) : (ENTITIES[sign.toLowerCase()] ?? sign);
    this.#found.push({ is: "instead", at, end, text: sign.startsWith("\\") ? sign.slice(1) : whole });
    this.#content = this.#seen = end;
    return end;
  }

  #run(at: number, is: Token["is"]): number {
    const end = runEnd(this.#line, at);
    if (this.#dialect.runs[is]?.includes(end - at) !== true) return end;
    const opens = this.#opens(at, end);
    const closes = this.#closes(at, end);
    if (opens || closes) this.#put({ is, at, end, opens, closes, href: "" });
    if (opens) this.#chain = end;
    return end;
  }

  #bracket(at: number): number {
    if (!this.#opens(at, at + 1)) return at + 1;
    this.#put({ is: "[", at, end: at + 1, opens: true, closes: false, href: "" });
    this.#brackets += 1;
    return at + 1;
  }

  #linkEnd(at: number): number {
    if (this.#brackets === 0 || this.#line.charAt(at + 1) !== "(") return at + 1;
    const href = targetAt(this.#line, at + 2);
    const end = at + 3 + (href?.length ?? 0);
    if (href === null || !this.#closes(at, end)) return at + 1;
    this.#put({ is: "]", at, end, opens: false, closes: true, href });
    return end;
  }

  #code(at: number): number {
    const begin = runEnd(this.#line, at);
    const length = begin - at;
    if (!this.#opens(at, begin)) return begin;
    this.#ticks ??= ticksIn(this.#line, this.#dialect);
    const closers = this.#ticks.get(length) ?? [];
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      if (close < begin) continue;
      const text = this.#line.slice(begin, close);
      if (isUnseen(text)) return begin;
      const end = close + length;
      const [slashes, closeSlashes] = [this.#slashes(at), this.#slashes(close)];
      this.#found.push({ is: "code", at, end, slashes, close, closeSlashes, text });
      this.#content = this.#seen = end;
      return end;
    }
    return begin;
  }

  /** Those that say something about the sign at a place; where every backslash does, none is left over. */
  #slashes(at: number): number {
    return this.#dialect.inWords ? 0 : slashesBefore(this.#line, at);
  }

  #opens(at: number, end: number): boolean {
    if (this.#dialect.inWords) {
      const isWithin = this.#line.charAt(at) === "_" && isLetter(this.#line, at - 1);
      return !isWithin && end < this.#line.length && !isBlank(this.#line, end);
    }
    const from = at - slashesBefore(this.#line, at);
    const kinds = isLong(this.#line, at, end) ? OPENS | LONG : OPENS;
    const isPlace = from === 0 || from === this.#chain || is(this.#line, from - 1, kinds);
    return isPlace && end < this.#line.length && !isBlank(this.#line, end);
  }

  #closes(at: number, end: number): boolean {
    if (this.#dialect.inWords) {
      const isWithin = this.#line.charAt(at) === "_" && isLetter(this.#line, end);
      return !isWithin && at > 0 && !isBlank(this.#line, at - 1);
    }
    const from = at - slashesBefore(this.#line, at);
    return from > 0 && this.#ends.at(end, isLong(this.#line, at, end)) && !isBlank(this.#line, from - 1);
  }

  #put(token: Omit<Token, "slashes" | "content">): void {
    const slashes = this.#slashes(token.at);
    for (let at = token.at; at > this.#seen; at -= 1) {
      if (this.#dialect.inWords ? isBlank(this.#line, at - 1) : !isContent(this.#line, at - 1)) continue;
      this.#content = at;
      break;
    }
    this.#seen = Math.max(this.#seen, token.end);
    this.#found.push({ ...token, slashes, content: this.#content });
  }
}

/**
 * Whether a mark may end at a place: before white space or punctuation, or before another mark that may end where it
 * does.
 */
class Ends {
  readonly #line: string;
  /** The marks that were looked at last, which end alike. */
  #from = -1;
  #to = -1;
  /** Whether any mark may end before what is behind them, and whether long ones may. */
  #may = false;
  #longMay = false;
  #isLastLong = false;

  constructor(line: string) {
    this.#line = line;
  }

  at(place: number, isLong: boolean): boolean {
    if (place < this.#from || place > this.#to) this.#look(place);
    return this.#may || (this.#longMay && (place === this.#to ? isLong : this.#isLastLong));
  }

  #look(place: number): void {
    const line = this.#line;
    let to = place;
    for (;;) {
      let mark = to;
      while (line.charCodeAt(mark) === BACKSLASH) mark += 1;
      if (!is(line, mark, MARK)) break;
      const end = runEnd(line, mark);
      if (line.charAt(mark) !== "`" && CHAT.runs[line.charAt(mark)]?.includes(end - mark) !== true) break;
      this.#isLastLong = isLong(line, mark, end);
      to = end;
    }
    this.#from = place;
    this.#to = to;
    this.#may = to >= line.length || is(line, to, CLOSES);
    this.#longMay = is(line, to, LONG);
  }
}

/** The runs of backticks that can close, by their length, the last first. */
function ticksIn(line: string, { inWords }: Dialect): ReadonlyMap<number, number[]> {
  const all = new Map<number, number[]>();
  const ends = new Ends(line);
  for (const { index, 0: run } of line.matchAll(/`+/g)) {
    const mayClose = inWords || (!isBlank(line, index - 1) && ends.at(index + run.length, true));
    if (index === 0 || !mayClose) continue;
    const places = all.get(run.length) ?? [];
    if (places.length === 0) all.set(run.length, places);
    places.push(index);
  }
  for (const places of all.values()) places.reverse();
  return all;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const TARGET = /https?:\/\/[^\s<>"\\]{1,2000}/iy;

/** The address of a link up to the parenthesis that closes it; null when there is none. */
function targetAt(line: string, at: number): string | null {
  TARGET.lastIndex = at;
  const found = TARGET.exec(line)?.[0] ?? "";
  let depth = 0;
  for (let to = 0; to < found.length; to += 1) {
    const char = found.charAt(to);
    if (char === "(") depth += 1;
    else if (char === ")" && --depth < 0) return /^https?:\/\/./i.test(found.slice(0, to)) ? found.slice(0, to) : null;
  }
  return null;
}

function runEnd(line: string, at: number): number {
  const code = line.charCodeAt(at);
  let end = at + 1;
  while (line.charCodeAt(end) === code) end += 1;
  return end;
}

function slashesBefore(line: string, at: number): number {
  let from = at;
  while (from > 0 && line.charCodeAt(from - 1) === 0x5c) from -= 1;
  return at - from;
}

/** Whether a mark is one that begins and ends beside letters of other scripts: `长*宽*高` is a product. */
const isLong = (line: string, at: number, end: number): boolean =>
  line.charAt(at) === "*" ? end - at === 2 : line.charAt(at) !== "_";
const isBlank = (line: string, at: number): boolean => is(line, at, BLANK);
/** As the engine of Mattermost's clients has it. */
const isLetter = (line: string, at: number): boolean => /^[A-Za-z0-9]$/.test(line.charAt(at));
const isWord = (line: string, at: number): boolean => /^[\p{L}\p{N}]$/u.test(line.charAt(at));
/** Neither unseen nor a sign of ASCII: around these alone people draw faces, and name files. */
const isContent = (line: string, at: number): boolean => !is(line, at, BLANK | SIGN) && !isUnseen(line.charAt(at));

const BACKSLASH = 0x5c;
const BLANK = 1;
const SIGN = 2;
const OPENS = 4;
const CLOSES = 8;
const MARK = 16;
const LONG = 32;

/** Whether a character is one of these kinds. */
function is(line: string, at: number, kinds: number): boolean {
  const code = line.charCodeAt(at);
  if (code < 128) return ((ASCII[code] ?? 0) & kinds) !== 0;
  const char = line.charAt(at);
  if ((kinds & BLANK) !== 0 && UNSEEN.test(char)) return true;
  if ((kinds & LONG) !== 0 && FOREIGN.test(char)) return true;
  return ((kinds & OPENS) !== 0 && BEFORE_OPENER.test(char)) || ((kinds & CLOSES) !== 0 && BEHIND_CLOSER.test(char));
}

/** Places that forbid control characters show nothing of them. */
const UNSEEN = /^[\s\p{Cc}]$/u;

const ASCII: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  let kinds = UNSEEN.test(char) ? BLANK : 0;
  if (/[!-/:-@[-`{-~]/.test(char)) kinds |= SIGN;
  if (BEFORE_OPENER.test(char)) kinds |= OPENS;
  if (BEHIND_CLOSER.test(char)) kinds |= CLOSES;
  return /[*_~|`]/.test(char) ? kinds | MARK : kinds;
});
