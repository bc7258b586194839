import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { shownLink } from "./links.ts";
import { parseLine } from "./markdown-inline.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { protectLine, protectQuote, protectText } from "./markdown-protect.ts";
import { BEFORE_OPENER, BEHIND_CLOSER } from "./markdown-scan.ts";
import { hasLine, plainText, quoted } from "./plain.ts";
import { splitLines, tidy } from "./tidy.ts";

/**
 * The tree in the dialect of chats: `**bold**`, `_italic_`, `~~strike~~`, `||spoiler||`, code, links, quotes and
 * begins; a heading is bold, a list is text. What is text there is read as text, by means of backslashes where it must
 * be; and a style that cannot be written at its place is its words.
 */
export function renderMarkdown(blocks: readonly Block[]): string {
  if (blocks.every(isPlain)) return protectText(plainText(blocks));
  const text = linesOf(blocks, true).join("\n");
  if (!hasLine(blocks, FENCE)) return text;
  // Words look like a fence: all lines up to the next one may be code.
  const words = plainText(blocks);
  return plainText(parseMarkdown(text)) === words ? text : protectText(words);
}

const FENCE = /^\\*```/m;

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

/** `begins`: these begin lines, as they do not after the mark of a list, where there is no quote and no fence. */
function linesOf(blocks: readonly Block[], begins: boolean): readonly string[] {
  return blocks.flatMap((block) => blockLines(block, begins));
}

function blockLines(block: Block, begins: boolean): readonly string[] {
  switch (block.t) {
    case "para":
      return paraLines(block.of, begins);
    case "heading":
      return paraLines([{ t: "bold", of: block.of }], begins);
    case "pre":
      return begins && !isUnseen(block.text) ? fenced(block.text, block.lang) : paraLines([textOf(block.text)], begins);
    case "quote":
      return linesOf(block.of, begins).map(quoted);
    case "list":
      return block.items.flatMap((item, index) => {
        const bullet = block.ordered ? `${index + 1}. ` : "- ";
        const [first = "", ...rest] = linesOf(item, false);
        return [bullet + first, ...rest.map((line) => " ".repeat(bullet.length) + line)];
      });
  }
}

const textOf = (text: string): Inline => ({ t: "text", text });

function fenced(text: string, lang: string | null): readonly string[] {
  const fence = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return [fence + (lang !== null && /^[\w+#.-]+$/.test(lang) ? lang : ""), ...text.split("\n"), fence];
}

/** How many backticks there are in a row at most. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const LACKING: ReadonlySet<Inline["t"]> = new Set(["underline", "colour"]);

function paraLines(of: readonly Inline[], begins: boolean): readonly string[] {
  // A link holds its line breaks.
  const lines = splitLines(of).flatMap((line) => lineText(line).split("\n"));
  return begins ? lines.map(protectQuote) : lines;
}

/** A line as it is read back with the same words: with its styles, else with backslashes too, else without styles. */
function lineText(line: readonly Inline[]): string {
  const words = wordsOf(line);
  if (line.every(({ t }) => t === "text")) return protectLine(words);
  const tidied = tidy(line, LACKING);
  for (const write of [asItIs, protectLine]) {
    const text = spansText(tidied, { write, opens: true, closes: true });
    if (wordsOf(parseLine(text)) === words) return text;
  }
  return words.split("\n").map(protectLine).join("\n");
}

const asItIs = (text: string): string => text;
const wordsOf = (of: readonly Inline[]): string => plainText([{ t: "para", of }]);

/** `opens`, `closes`: whether a mark may come before and after what is written here. */
interface Place {
  readonly write: (text: string) => string;
  readonly opens: boolean;
  readonly closes: boolean;
}

function spansText(inlines: readonly Inline[], place: Place): string {
  let text = "";
  let { opens } = place;
  for (const [index, inline] of inlines.entries()) {
    const next = inlines[index + 1];
    const words = oneText(inline, { ...place, opens, closes: next === undefined ? place.closes : mayPrecede(next) });
    text += words;
    if (words !== "") opens = inline.t === "text" && BEFORE_OPENER.test(words.charAt(words.length - 1));
  }
  return text;
}

/** Whether a mark may end before it. */
const mayPrecede = (inline: Inline): boolean => inline.t === "text" && BEHIND_CLOSER.test(inline.text.charAt(0));

const MARKS = { bold: "**", italic: "_", strike: "~~", spoiler: "||" } as const;

function oneText(inline: Inline, place: Place): string {
  switch (inline.t) {
    case "text":
    case "mention":
    case "emoji":
      return place.write(inline.text);
    case "code":
      return codeText(inline.text, place);
    case "bold":
    case "italic":
    case "strike":
    case "spoiler":
      return marked(inline.of, MARKS[inline.t], place);
    case "underline":
    case "colour":
      return spansText(inline.of, place);
    case "link":
      return linkText(inline, place);
  }
}

function marked(of: readonly Inline[], mark: string, place: Place): string {
  if (!place.opens || !place.closes || !/[^\s!-/:-@[-`{-~]/u.test(wordsOf(of))) return spansText(of, place);
  return mark + spansText(of, place) + mark;
}

function codeText(text: string, place: Place): string {
  if (!place.opens || !place.closes || !/^[^\s`](?:.*[^\s`])?$/su.test(text)) return place.write(text);
  const fence = "`".repeat(longestRun(text) + 1);
  return fence + text + fence;
}

function linkText({ href, of }: Extract<Inline, { t: "link" }>, place: Place): string {
  const shown = shownLink(wordsOf(of), href);
  if (shown === "address") return href;
  if (shown === "words") return spansText(of, place);
  if (place.opens && place.closes && /^https?:/i.test(href) && isBalanced(href)) {
    return `[${spansText(of, { ...place, opens: true, closes: true })}](${href})`;
  }
  return `${spansText(of, { ...place, closes: true })} (${href})`;
}

/** Whether its parentheses are in pairs, so that none of them ends it. */
function isBalanced(href: string): boolean {
  let depth = 0;
  for (const char of href) {
    if (char === "(") depth += 1;
    if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
