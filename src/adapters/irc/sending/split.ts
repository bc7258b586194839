import { changeCodes, type IrcFormat, formatAt, PLAIN, readCode } from "../../../content/irc-codes.ts";

export interface SplitOptions {
  /** Of one line, codes that are opened again included. */
  readonly bytesPerLine: number;
  /** Bytes of a text on the wire. */
  readonly measure: (text: string) => number;
}

export interface Piece {
  readonly text: string;
  /** Where the next one begins in the whole text. */
  readonly end: number;
}

/**
 * Cuts text into lines, lazily, from an offset on: at its line breaks, else at the last space that fits, else between
 * two characters as people see them. Spaces at a cut and lines without anything to see are left out; formatting that is
 * open at a cut is opened again. The same text from the `end` of a piece on gives the pieces that follow it.
 */
export function* splitText(text: string, from: number, options: SplitOptions): Generator<Piece> {
  let at = from;
  let format = formatAt(text, 0, from, PLAIN);
  while (at < text.length) {
    const lineBreak = text.indexOf("\n", at);
    if (lineBreak === at) {
      at += 1;
      continue;
    }
    const cut = cutLine({ text, at, end: lineBreak === -1 ? text.length : lineBreak, format }, options);
    format = formatAt(text, at, cut.next, format);
    at = cut.next;
    if (!isBlank(cut.text)) yield { text: cut.text, end: at };
  }
}

/** About how many lines the text from `from` on takes: right but for what the cuts at words add. */
export function estimateLines(text: string, from: number, options: SplitOptions): number {
  let lines = 0;
  for (let at = from; at < text.length;) {
    const lineBreak = text.indexOf("\n", at);
    const end = lineBreak === -1 ? text.length : lineBreak;
    const line = text.slice(at, end);
    if (!isBlank(line)) lines += Math.ceil(options.measure(line) / options.bytesPerLine);
    at = end + 1;
  }
  return lines;
}

/** How much of a text without line breaks has room in `bytes`: up to where, between two characters. */
export function fittingEnd(text: string, bytes: number, measure: (text: string) => number): number {
  return measure(text) <= bytes
    ? text.length
    : lastThatFits({ text, at: 0, end: text.length, format: PLAIN }, bytes, measure);
}

/** A stretch of the text without a line break in it, and what is in force where it begins. */
interface Rest {
  readonly text: string;
  readonly at: number;
  readonly end: number;
  readonly format: IrcFormat;
}

interface Cut {
  readonly text: string;
  readonly next: number;
}

/**
 * A line must have room for this beside the codes that open formatting again; without it the formatting is given up.
 */
const ROOM_MIN = 8;

function cutLine(rest: Rest, options: SplitOptions): Cut {
  const { text, at, end } = rest;
  const codes = changeCodes(PLAIN, rest.format, text.charAt(at));
  const opened = options.measure(codes) + ROOM_MIN <= options.bytesPerLine ? codes : "";
  const room = options.bytesPerLine - options.measure(opened);
  // A code unit takes at least one byte.
  if (end - at <= room && options.measure(text.slice(at, end)) <= room) {
    return { text: opened + text.slice(at, end), next: end + 1 };
  }
  const to = wordCut(text, at, lastThatFits(rest, room, options.measure));
  let next = to;
  while (text.charAt(next) === " ") next += 1;
  // Nothing but spaces was left of the line.
  if (next === end) next += 1;
  return { text: opened + text.slice(at, to), next };
}

/**
 * The last space before `most` that has a word before it; `most` itself when a space follows it or no word ends before.
 * A word after nothing but spaces begins a line of its own.
 */
function wordCut(text: string, at: number, most: number): number {
  if (text.charAt(most) === " ") return trimmed(text, at, most) === at ? most : trimmed(text, at, most);
  const space = text.lastIndexOf(" ", most - 1);
  if (space < at) return most;
  const word = trimmed(text, at, space);
  return word === at ? space + 1 : word;
}

/** `to` without the spaces before it. */
function trimmed(text: string, at: number, to: number): number {
  let end = to;
  while (end > at && text.charAt(end - 1) === " ") end -= 1;
  return end;
}

/** How far the room reaches: whole formatting codes and characters, at least one code point. */
function lastThatFits(rest: Rest, room: number, measure: (text: string) => number): number {
  const { text, at, end } = rest;
  const ends = [...units(rest, Math.min(end, at + room + LOOK_AHEAD))];
  // Halved, because each is measured from the beginning: with some charsets what two parts take is not what they take
  // together.
  let fitting = 0;
  for (let tooMany = ends.length + 1; tooMany - fitting > 1;) {
    const middle = (fitting + tooMany) >> 1;
    if (measure(text.slice(at, ends[middle - 1])) <= room) fitting = middle;
    else tooMany = middle;
  }
  return ends[fitting - 1] ?? codePointsThatFit(text, at, room, measure);
}

/** One character as people see it can be longer than a line: then it is cut, but not inside a code point. */
function codePointsThatFit(text: string, at: number, room: number, measure: (text: string) => number): number {
  let used = 0;
  let to = at;
  for (const point of text.slice(at, at + room + 2)) {
    used += measure(point);
    if (used > room && to > at) break;
    to += point.length;
    if (used > room) break;
  }
  return to;
}

/** Longer than any character that matters: what reaches the end of the looked-at text is beyond the room. */
const LOOK_AHEAD = 64;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Where the formatting codes and characters from `rest.at` on end. */
function* units(rest: Rest, to: number): Generator<number> {
  const { text } = rest;
  let at = rest.at;
  while (at < to) {
    const code = readCode(text, at, rest.format);
    if (code !== null) {
      at = code.end;
      yield at;
      continue;
    }
    const from = at;
    do at += 1;
    while (at < to && text.charCodeAt(at) >= 0x20);
    for (const { segment, index } of graphemes.segment(text.slice(from, at))) yield from + index + segment.length;
  }
}

/** Nothing to see in it: only white space and formatting codes. */
function isBlank(text: string): boolean {
  for (let at = 0; at < text.length;) {
    const code = readCode(text, at, PLAIN);
    if (code === null && !/^\s$/u.test(text.charAt(at))) return false;
    at = code?.end ?? at + 1;
  }
  return true;
}
