import type { Block } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { listLinesAt } from "./list-lines.ts";
import { parseSlackWords, wordsOfCode } from "./slack-inline.ts";
import { NO_NAMES, type SlackNames, textOf } from "./slack-tokens.ts";

/**
 * Slack's mrkdwn, or a source text of ours (slack-source.ts), as a tree: quotes, lists as the network shows them,
 * blocks of code, and the words of slack-inline.ts between them. A newline is a line break; a line with nothing but
 * `<>` is none, it ends a block. Lists whose numbers do not count from 1 are text. Takes time in proportion to the
 * length of the text.
 */
export function parseSlack(text: string, names: SlackNames = NO_NAMES): readonly Block[] {
  if (text === "") return [];
  return blocksOf(text.replaceAll(/\r\n?/g, "\n").split("\n"), { names, depth: 0, inQuote: false });
}

/** Lists within each other; what is deeper is text. */
const DEPTH_MAX = 12;

interface Where {
  readonly names: SlackNames;
  readonly depth: number;
  /** There is no quote within a quote. */
  readonly inQuote: boolean;
}

/** Some lines that are one block; `end`: the line after them; `rest`: of the last line, behind it. */
interface Found {
  readonly before: string;
  readonly block: Block;
  readonly end: number;
  readonly rest: string;
}

export const SLACK_PARTED = "<>";

function blocksOf(lines: readonly string[], where: Where): readonly Block[] {
  const blocks: Block[] = [];
  const fences = new Fences(lines);
  let words: string[] = [];
  const flush = (): void => {
    if (words.length > 0) blocks.push({ t: "para", of: parseSlackWords(words.join("\n"), where.names) });
    words = [];
  };
  let line = lines[0];
  for (let at = 0; line !== undefined;) {
    const isWhole = line === lines[at];
    const found = (isWhole ? blockAt(lines, at, where) : null) ?? fences.at(at, line, where.names);
    if (found !== null) {
      if (found.before !== "") words.push(found.before);
      flush();
      blocks.push(found.block);
      at = found.rest === "" ? found.end : found.end - 1;
      line = found.rest === "" ? lines[at] : found.rest;
      continue;
    }
    if (line === SLACK_PARTED) flush();
    else words.push(line);
    at += 1;
    line = lines[at];
  }
  flush();
  return blocks;
}

const FENCE = "```";
const LANG = /^<!lang\^([\w+#.-]{1,64})>/;

/** Blocks of code, which may begin and end within lines. */
class Fences {
  readonly #lines: readonly string[];
  /** The first line, at or behind the last one asked about, that may end one. */
  #next = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The one that begins in a line, or in what is left of it. */
  at(at: number, line: string, names: SlackNames): Found | null {
    const open = line.indexOf(FENCE);
    if (open === -1) return null;
    const first = line.slice(open + FENCE.length);
    const own = first.indexOf(FENCE);
    const end = own === -1 ? this.#closing(at + 1) : at;
    const last = own === -1 ? this.#lines[end] : first;
    if (last === undefined) return null;
    const close = last.indexOf(FENCE);
    const code =
      own === -1 ? [first, ...this.#lines.slice(at + 1, end), last.slice(0, close)] : [first.slice(0, close)];
    const [, lang = null] = LANG.exec(code[0] ?? "") ?? [];
    const text = wordsOfCode(trimmed(code.join("\n").replace(LANG, "")), names);
    if (isUnseen(text)) return null;
    const rest = last.slice(close + FENCE.length);
    return { before: line.slice(0, open), block: { t: "pre", text, lang }, end: end + 1, rest };
  }

  #closing(from: number): number {
    this.#next = Math.max(this.#next, from);
    while (this.#next < this.#lines.length && this.#lines[this.#next]?.includes(FENCE) !== true) this.#next += 1;
    return this.#next;
  }
}

/** A line break at either end belongs to the fence. */
const trimmed = (code: string): string => code.replace(/^\n/, "").replace(/\n$/, "");

function blockAt(lines: readonly string[], at: number, where: Where): Found | null {
  const found = where.inQuote ? null : quoteAt(lines, at, where);
  return found ?? (where.depth >= DEPTH_MAX ? null : listAt(lines, at, where));
}

const QUOTED = /^(?:&gt;|>) ?/;
const REST_QUOTED = /^(?:&gt;|>){3} ?/;

function quoteAt(lines: readonly string[], at: number, where: Where): Found | null {
  const line = lines[at] ?? "";
  if (REST_QUOTED.test(line))
    return quoteOf([line.replace(REST_QUOTED, ""), ...lines.slice(at + 1)], lines.length, where);
  let end = at;
  while (QUOTED.test(lines[end] ?? "")) end += 1;
  return end === at
    ? null
    : quoteOf(
        lines.slice(at, end).map((quoted) => quoted.replace(QUOTED, "")),
        end,
        where,
      );
}

function quoteOf(own: readonly string[], end: number, where: Where): Found {
  // Nothing can be seen of it but the signs.
  if (own.every(isUnseen))
    return { before: "", block: { t: "para", of: [textOf(own.map(() => ">").join("\n"))] }, end, rest: "" };
  return { before: "", block: { t: "quote", of: blocksOf(own, { ...where, inQuote: true }) }, end, rest: "" };
}

/** A black square may ask for its shape in text. */
const ITEM = /^(?<indent> *)(?<mark>[•◦▪▫]\ufe0e?|\d{1,9}\.) (?=\S)/;

function listAt(lines: readonly string[], at: number, where: Where): Found | null {
  const found = listLinesAt(lines, at, ITEM);
  if (found === null) return null;
  const { ordered, items, end } = found;
  const blocks = items.map((item) => blocksOf(item, { ...where, depth: where.depth + 1 }));
  return { before: "", block: { t: "list", ordered, items: blocks }, end, rest: "" };
}
