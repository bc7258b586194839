import type { Block } from "../contract/content.ts";
import { Fences } from "./markdown-fences.ts";
import { parseLines } from "./markdown-inline.ts";

/**
 * The dialect of chats, as a tree: styles and links within one line (markdown-inline.ts), blocks of code between two
 * fences, and quotes, whose lines all begin with `> `. Lists, headings, rules, HTML and entities are text. Takes time
 * in proportion to the length of the text.
 */
export function parseMarkdown(text: string): readonly Block[] {
  const plain = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!ANY_SIGN.test(plain) || !SIGNS.test(plain))
    return plain === "" ? [] : [{ t: "para", of: [{ t: "text", text: plain }] }];
  const lines = plain.split("\n");
  return blocksOf(lines, 0);
}

/** Without one of these there is nothing to find. */
export const SIGNS = /[*_~|`]|\]\(|^\\*> /m;
/** Each of those has one of these: most texts have none, and one set of characters is found faster. */
const ANY_SIGN = /[*_~|`\]>]/;
/** Quotes within each other; what is deeper is text. */
const DEPTH_MAX = 16;

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  const fences = new Fences(lines);
  const blocks: Block[] = [];
  let para: string[] = [];
  let opaque = new Set<number>();
  const flush = (): void => {
    if (para.length > 0) blocks.push({ t: "para", of: parseLines(para, opaque) });
    para = [];
    opaque = new Set();
  };
  for (let at = 0; at < lines.length;) {
    const fence = fences.at(at);
    const end = fence?.close ?? (depth < DEPTH_MAX ? quoteEnd(lines, at) : at);
    if (end === at) para.push(protectedQuote(lines[at] ?? ""));
    else if (fence === null) {
      flush();
      const own = lines.slice(at, end).map((line) => line.slice(2));
      blocks.push({ t: "quote", of: blocksOf(own, depth + 1) });
    } else if (fence.is !== "code") {
      for (let line = at; line <= fence.close; line += 1) {
        opaque.add(para.length);
        para.push((lines[line] ?? "").slice(line === at && fence.is === "protected" ? 1 : 0));
      }
    } else {
      flush();
      const text = lines.slice(at + 1, end).join("\n");
      blocks.push({ t: "pre", text, lang: fence.lang });
    }
    at = fence === null ? Math.max(end, at + 1) : end + 1;
  }
  flush();
  return blocks;
}

const QUOTED = /^> .*[^\s\p{Cc}]/u;
/** An empty line within a quote. */
const EMPTY = /^>(?: [\s\p{Cc}]+)?$/u;

/** Where the quote that begins at a line ends; the line itself when none does. */
function quoteEnd(lines: readonly string[], at: number): number {
  let end = at;
  for (let line = at; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    if (QUOTED.test(text)) end = line + 1;
    else if (end === at || !EMPTY.test(text)) break;
  }
  return end;
}

/** A backslash before what would be a quote says that it is none. */
function protectedQuote(line: string): string {
  return line.startsWith("\\") && LIKE_QUOTE.test(line) ? line.slice(1) : line;
}

/** A quote, or what would be one without its backslashes. */
export const LIKE_QUOTE = /^\\*> .*[^\s\p{Cc}]/u;
