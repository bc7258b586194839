import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { MATTERMOST } from "./markdown-dialect.ts";
import { parseLine } from "./markdown-inline.ts";
import { overInlines } from "./tree.ts";

/**
 * Text of Mattermost ("Format messages"), as a tree: headings, quotes, lists, blocks of code, and the styles of
 * markdown-dialect.ts, which may go over the lines of a paragraph. A newline is a line break. Tables and rules are
 * text, and so are lists whose numbers do not count from 1: they would get other ones.
 */
export function parseMattermost(text: string): readonly Block[] {
  if (text === "") return [];
  const blocks = blocksOf(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0);
  return text.includes("![") ? blocks.map((block) => overInlines(block, asLinks)) : blocks;
}

/** A picture is a link: its description and its address, without the sign before them. */
function asLinks(of: readonly Inline[]): readonly Inline[] {
  return of.flatMap((inline, at): readonly Inline[] => {
    if ("of" in inline) return [inline.t === "link" ? inline : { ...inline, of: asLinks(inline.of) }];
    const isSign = inline.t === "text" && inline.text.endsWith("!") && of[at + 1]?.t === "link";
    const text = isSign ? inline.text.slice(0, -1) : inline.text;
    return text === "" ? [] : [{ ...inline, text }];
  });
}

/** Quotes and lists within each other; what is deeper is text. */
const DEPTH_MAX = 16;

/** Some lines that are one block; `end`: the line after them. */
interface Found {
  readonly block: Block;
  readonly end: number;
}

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let para: string[] = [];
  const flush = (): void => {
    if (para.length > 0) blocks.push({ t: "para", of: parseLines(para) });
    para = [];
  };
  for (let at = 0; at < lines.length;) {
    const found = blockAt(lines, at, { depth, isBegun: para.length > 0 && !isBlank(para.at(-1)) });
    if (found === null) {
      para.push(lines[at] ?? "");
      at += 1;
      continue;
    }
    flush();
    blocks.push(found.block);
    // The line that ends it, where it would go on otherwise.
    at = found.end + (found.end < lines.length - 1 && isBlank(lines[found.end]) ? 1 : 0);
  }
  flush();
  return blocks;
}

const isBlank = (line: string | undefined): boolean => line === undefined || /^\s*$/.test(line);

/** `isBegun`: lines of a paragraph are before it. */
interface Where {
  readonly depth: number;
  readonly isBegun: boolean;
}

function blockAt(lines: readonly string[], at: number, { depth, isBegun }: Where): Found | null {
  const line = lines[at] ?? "";
  const found = fenceAt(lines, at) ?? headingAt(line, at) ?? (isBegun ? null : indentedAt(lines, at));
  if (found !== null || depth >= DEPTH_MAX) return found;
  return quoteAt(lines, at, depth) ?? listAt(lines, at, depth);
}

const FENCE = /^ {0,3}(?<ticks>`{3,}|~{3,})(?=[^`~]*$)[ \t]*(?<lang>[^\s`~]*)/;

/** One that is never closed goes on to the end; one at the very end is text. */
function fenceAt(lines: readonly string[], at: number): Found | null {
  const { ticks, lang = "" } = FENCE.exec(lines[at] ?? "")?.groups ?? {};
  if (ticks === undefined || at === lines.length - 1) return null;
  const closing = new RegExp(`^ {0,3}${ticks}[~\`]* *$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] ?? "")) end += 1;
  const text = lines.slice(at + 1, end).join("\n");
  // Around nothing, it is what was typed.
  if (isUnseen(text)) {
    const typed = lines.slice(at, end + 1).join("\n");
    return { block: { t: "para", of: [{ t: "text", text: typed }] }, end: Math.min(end + 1, lines.length) };
  }
  return { block: { t: "pre", text, lang: lang === "" ? null : lang }, end: Math.min(end + 1, lines.length) };
}

const HEADING = /^ *(?<signs>#{1,6}) +(?! )(?<words>[^]*\S)/;

function headingAt(line: string, at: number): Found | null {
  const { signs = "", words = "" } = HEADING.exec(line)?.groups ?? {};
  const shown = withoutClosing(words);
  if (shown === "") return null;
  return { block: { t: "heading", level: signs.length, of: parseLine(shown, MATTERMOST) }, end: at + 1 };
}

/** The signs at its end, and the spaces before them, are none of its words. In time proportional to them. */
function withoutClosing(words: string): string {
  let end = words.length;
  while (words[end - 1] === "#" || words[end - 1] === " ") end -= 1;
  return words.slice(0, end);
}

const INDENTED = /^(?: {4}|\t)/;

function indentedAt(lines: readonly string[], at: number): Found | null {
  const isCode = (line: number): boolean => !isBlank(lines[line]) && INDENTED.test(lines[line] ?? "");
  if (!isCode(at)) return null;
  let end = at;
  for (let line = at; line < lines.length && (isBlank(lines[line]) || isCode(line)); line += 1)
    if (isCode(line)) end = line + 1;
  const text = lines.slice(at, end).map((line) => line.replace(INDENTED, ""));
  return { block: { t: "pre", text: text.join("\n"), lang: null }, end };
}

/** All lines up to an empty one. */
function quoteAt(lines: readonly string[], at: number, depth: number): Found | null {
  if (!/^ *>[^]*\S/.test(lines[at] ?? "")) return null;
  let end = at;
  while (end < lines.length && !isBlank(lines[end])) end += 1;
  const own = lines.slice(at, end).map((line) => line.replace(/^ *> ?/, ""));
  if (own.every(isBlank)) return null;
  return { block: { t: "quote", of: blocksOf(own, depth + 1) }, end };
}

const ITEM = /^(?<indent> *)(?<mark>[*+-]|\d{1,9}\.) +(?=\S)/;

function listAt(lines: readonly string[], at: number, depth: number): Found | null {
  const { indent = "", mark } = ITEM.exec(lines[at] ?? "")?.groups ?? {};
  if (mark === undefined) return null;
  const ordered = mark.endsWith(".");
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    if (isBlank(line)) {
      const next = goesOn(lines, end, indent.length);
      if (next === null) break;
      if (next.isWithin) items.at(-1)?.push(...lines.slice(end, next.at).map(() => ""));
      end = next.at - 1;
      continue;
    }
    const item = ITEM.exec(line)?.groups;
    const own = /^ */.exec(line)?.[0].length ?? 0;
    if (item !== undefined && own === indent.length) {
      const isNext = ordered ? item["mark"] === `${items.length + 1}.` : item["mark"]?.endsWith(".") === false;
      if (!isNext) break;
      items.push([line.replace(ITEM, "")]);
    } else if (own > indent.length && items.length > 0) {
      const width = indent.length + (ordered ? `${items.length}. ` : "- ").length;
      items.at(-1)?.push(line.slice(Math.min(own, width)));
    } else break;
  }
  if (items.length === 0) return null;
  return { block: { t: "list", ordered, items: items.map((item) => blocksOf(item, depth + 1)) }, end };
}

/** Where a list goes on after empty lines: within its item, or with the next one; null when it does not. */
function goesOn(lines: readonly string[], from: number, indent: number): { at: number; isWithin: boolean } | null {
  let at = from;
  while (at < lines.length && isBlank(lines[at])) at += 1;
  const line = lines[at] ?? "";
  const own = /^ */.exec(line)?.[0].length ?? 0;
  if (line === "" || own < indent || (own === indent && !ITEM.test(line))) return null;
  return { at, isWithin: own > indent };
}

/** Styles end with their paragraph. */
function parseLines(lines: readonly string[]): readonly Inline[] {
  const of: Inline[] = [];
  const add = (inline: Inline): void => {
    const last = of.at(-1);
    if (inline.t === "text" && last?.t === "text") of[of.length - 1] = { t: "text", text: last.text + inline.text };
    else of.push(inline);
  };
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && !isBlank(lines[end])) end += 1;
    if (at > 0) add({ t: "text", text: "\n" });
    if (end === at) {
      if (lines[at] !== "") add({ t: "text", text: lines[at] ?? "" });
      at += 1;
      continue;
    }
    for (const inline of parseLine(lines.slice(at, end).join("\n"), MATTERMOST)) add(inline);
    at = end;
  }
  return of;
}
