import type { Block, Inline } from "../contract/content.ts";
import { markedItem } from "./list-text.ts";
import { type RawBlock, type RawList, readBlocks } from "./markdown-blocks.ts";
import { parseInline } from "./markdown-inline.ts";

/**
 * Markdown as people write it in chats, as a tree: the blocks of CommonMark but reference definitions, HTML and underlined headings, which stay
 * text, and a line break wherever the text has one. A text of more than 64 Ki characters is read as plain text.
 */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  if (!MARKS.test(lines) || lines.length > LENGTH_MAX) return plainPara(lines);
  return blocksOf(readBlocks(lines));
}

/** Without one of these there is nothing to find. */
const MARKS = /[*_~`[<>#\\|]|^ *[+-](?:[ \t]|$)|^ *\d{1,9}[.)](?:[ \t]|$)|^ *-(?: *-){2}|^(?: {4}| {0,3}\t)/m;
const LENGTH_MAX = 64 * 1024;

function plainPara(text: string): readonly Block[] {
  return text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
}

/** Paragraphs side by side are one, with as many line breaks between them as there are in the source. */
function blocksOf(raw: readonly RawBlock[]): readonly Block[] {
  const blocks: Block[] = [];
  let of: Inline[] = [];
  let end: number | null = null;
  for (const block of raw) {
    if (block.is !== "para") {
      blocks.push(...blockOf(block));
      end = null;
      continue;
    }
    const inlines = parseInline(block.lines.join("\n"));
    if (end === null) {
      of = [...inlines];
      blocks.push({ t: "para", of });
    } else {
      of.push({ t: "text", text: "\n".repeat(block.line - end) });
      for (const inline of inlines) of.push(inline);
    }
    ({ end } = block);
  }
  return blocks;
}

function blockOf(block: Exclude<RawBlock, { is: "para" }>): readonly Block[] {
  switch (block.is) {
    case "heading":
      return [{ t: "heading", level: block.level, of: parseInline(block.text) }];
    case "break":
      return plainPara(block.text);
    case "quote":
      return [{ t: "quote", of: blocksOf(block.of) }];
    case "pre":
      return [codeOf(block)];
    case "list":
      return listOf(block);
  }
}

/** What stands behind the opening marks and is no name of a language is content: nothing is lost. */
function codeOf({ lines, fence }: Extract<RawBlock, { is: "pre" }>): Block {
  if (fence === null) return { t: "pre", text: lines.join("\n").replace(/\n+$/, ""), lang: null };
  const isLang = fence.info === "" || /^[\w+#.-]+$/.test(fence.info);
  const text = (isLang ? lines : [fence.info, ...lines]).join("\n");
  return { t: "pre", text, lang: isLang && fence.info !== "" ? fence.info : null };
}

/** The tree has no other numbers than those from 1: a list that begins elsewhere is text. */
function listOf({ start, items }: RawList): readonly Block[] {
  if (start === null || start === 1)
    return [{ t: "list", ordered: start === 1, items: items.map(({ of }) => blocksOf(of)) }];
  return items.flatMap(({ marker, of }) => markedItem(`${marker} `, blocksOf(of)));
}
