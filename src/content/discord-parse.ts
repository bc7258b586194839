import type { Block } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { DiscordCode } from "./discord-code.ts";
import { parseDiscordWords } from "./discord-inline.ts";
import { listLinesAt } from "./list-lines.ts";
import { hidden } from "./spoilers.ts";

/**
 * Discord's text with names inline (discord-names.ts), as a tree: headings of three levels, quotes, lists, blocks of
 * code, and the words of discord-inline.ts between them. Subtext is a paragraph. A newline is a line break. Lists whose
 * numbers do not count from 1 are text: they would get other ones. Takes time in proportion to the length of the text.
 */
export function parseDiscord(text: string): readonly Block[] {
  return text === "" ? [] : blocksOf(text.replaceAll(/\r\n?/g, "\n"), { depth: 0, inQuote: false });
}

/** Lists within each other; what is deeper is text, as in the app. */
const DEPTH_MAX = 11;

interface Where {
  readonly depth: number;
  /** There is no quote within a quote. */
  readonly inQuote: boolean;
}

/** Some lines that are one block; `end`: the line after them. */
interface Found {
  readonly block: Block;
  readonly end: number;
}

function blocksOf(text: string, where: Where): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  const starts = startsOf(lines);
  const code = new DiscordCode(text);
  /** Where the words begin that are no block yet. */
  let from = 0;
  const flush = (to: number): void => {
    if (to > from) blocks.push({ t: "para", of: parseDiscordWords(text.slice(from, to)) });
  };
  for (let [place, line] = [0, 0]; place < text.length;) {
    while ((starts[line] ?? text.length) < place) line += 1;
    const found = starts[line] === place ? blockAt(lines, line, where) : null;
    const spoiler = found === null ? null : spoilerOver(text, from, place);
    if (found !== null && spoiler === null) {
      flush(place - 1);
      blocks.push(found.block);
      from = place = starts[found.end + (isParted(lines, found) ? 1 : 0)] ?? text.length;
      continue;
    }
    const { pre, end } = lineFrom(text, place, code);
    const over = spoiler ?? (pre === null ? null : spoilerOver(text, from, pre.at, end));
    if (over !== null) {
      flush(text.charAt(over.at - 1) === "\n" ? over.at - 1 : over.at);
      blocks.push(...hidden(blocksOf(over.words, where)));
      from = place = over.end + (text.charAt(over.end) === "\n" ? 1 : 0);
      continue;
    }
    place = end;
    if (pre === null) continue;
    flush(text.charAt(pre.at - 1) === "\n" ? pre.at - 1 : pre.at);
    blocks.push(pre.block);
    if (text.charAt(end) === "\n") place += 1;
    from = place;
  }
  flush(text.length);
  return blocks;
}

function startsOf(lines: readonly string[]): readonly number[] {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
}

interface Line {
  /** A block of code within it, which ends it. */
  readonly pre: { readonly at: number; readonly block: Block } | null;
  readonly end: number;
}

const SPOILER = "||";
/** What may be the mark of a spoiler, behind what holds none. */
const MARKS = /\\[^]|`+[^`]*`+|\|\|/g;

interface Spoiler {
  readonly at: number;
  readonly words: string;
  readonly end: number;
}

/**
 * The spoiler that begins between `from` and `at` and ends behind `end`: it goes before the block between these two.
 */
function spoilerOver(text: string, from: number, at: number, end = at): Spoiler | null {
  let opening = -1;
  for (let mark = markFrom(text, from, at); mark !== -1; mark = markFrom(text, mark + SPOILER.length, at))
    opening = opening === -1 ? mark : -1;
  const closing = opening === -1 ? -1 : markFrom(text, end, text.length);
  const words = text.slice(opening + SPOILER.length, closing);
  if (closing === -1 || isUnseen(words)) return null;
  return { at: opening, words: words.replaceAll(/^\n|\n$/g, ""), end: closing + SPOILER.length };
}

/** The next mark that ends up to `to`; -1: none. */
function markFrom(text: string, from: number, to: number): number {
  // The expression looks beyond `to`, which takes time for each block of a long text.
  if (!text.slice(from, to).includes(SPOILER)) return -1;
  MARKS.lastIndex = from;
  for (let found = MARKS.exec(text); found !== null && MARKS.lastIndex <= to; found = MARKS.exec(text))
    if (found[0] === SPOILER) return found.index;
  return -1;
}

/** Words from a place to the end of their line; a code span may have more lines. */
function lineFrom(text: string, place: number, code: DiscordCode): Line {
  const places = /\\[^\dA-Za-z\s]|`+|\n/g;
  places.lastIndex = place;
  for (let sign = places.exec(text); sign !== null; sign = places.exec(text)) {
    if (sign[0] === "\n") return { pre: null, end: places.lastIndex };
    const found = sign[0].startsWith("`") ? code.at(sign.index) : null;
    if (found?.is === "block") {
      const block: Block = { t: "pre", text: found.text, lang: found.lang };
      return { pre: { at: sign.index, block }, end: found.end };
    }
    if (found !== null) places.lastIndex = found.end;
  }
  return { pre: null, end: text.length };
}

/** Whether an empty line only keeps a block from the next one, which would be the same without it. */
function isParted(lines: readonly string[], { block, end }: Found): boolean {
  if (lines[end] !== "" || end >= lines.length - 1) return false;
  const next = lines[end + 1] ?? "";
  if (block.t === "quote") return QUOTED.test(next);
  return block.t === "list" && (ITEM.test(next) || next.startsWith(" "));
}

function blockAt(lines: readonly string[], at: number, where: Where): Found | null {
  const line = lines[at] ?? "";
  const found = headingAt(line, at) ?? (where.inQuote ? null : quoteAt(lines, at, where));
  return found ?? (where.depth >= DEPTH_MAX ? null : listAt(lines, at, where));
}

const HEADING = /^(?:(?<signs>#{1,3})|-#) +(?! )(?<words>[^]*\S)/;

/** One of them, or subtext. */
function headingAt(line: string, at: number): Found | null {
  const { signs, words = "" } = HEADING.exec(line)?.groups ?? {};
  if (isUnseen(words) || words.startsWith(signs === undefined ? "-# " : "#")) return null;
  const of = parseDiscordWords(words);
  return { block: signs === undefined ? { t: "para", of } : { t: "heading", level: signs.length, of }, end: at + 1 };
}

const QUOTED = /^ *> /;
const REST_QUOTED = /^ *>>> /;

function quoteAt(lines: readonly string[], at: number, where: Where): Found | null {
  const line = lines[at] ?? "";
  if (REST_QUOTED.test(line))
    return quoteOf([line.replace(REST_QUOTED, ""), ...lines.slice(at + 1)], lines.length, where);
  let end = at;
  while (QUOTED.test(lines[end] ?? "")) end += 1;
  const own = lines.slice(at, end).map((quoted) => quoted.replace(QUOTED, ""));
  return quoteOf(own, end, where);
}

function quoteOf(own: readonly string[], end: number, where: Where): Found | null {
  if (own.every(isUnseen)) return null;
  return { block: { t: "quote", of: blocksOf(own.join("\n"), { ...where, inQuote: true }) }, end };
}

const ITEM = /^(?<indent> *)(?<mark>[*-]|\d{1,9}\.) +(?=\S)/;

function listAt(lines: readonly string[], at: number, { depth, inQuote }: Where): Found | null {
  const found = listLinesAt(lines, at, ITEM);
  if (found === null) return null;
  const { ordered, items, end } = found;
  const blocks = items.map((item) => blocksOf(item.join("\n"), { depth: depth + 1, inQuote }));
  return { block: { t: "list", ordered, items: blocks }, end };
}
