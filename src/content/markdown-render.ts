import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { shownLink } from "./links.ts";
import { parseLine } from "./markdown-inline.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { protectLine, protectQuote, protectText } from "./markdown-protect.ts";
import { BEFORE_LONG_OPENER, BEFORE_OPENER, BEHIND_CLOSER, BEHIND_LONG_CLOSER } from "./markdown-scan.ts";
import { hasLine, plainText, quoted } from "./plain.ts";
import { splitLines, tidy } from "./tidy.ts";

/** How one dialect is written; what is the same for all of them is below. */
export interface Writing {
  /** Whether a line is read back with these words. */
  readonly isRead: (line: string, words: string) => boolean;
  /** Ways to write what is text within a line; the first one that is read back with the same words counts. */
  readonly writes: readonly ((text: string) => string)[];
  /** A line that says nothing else than its words. */
  readonly protectLine: (line: string) => string;
  /** A line at whose beginning nothing is meant. */
  readonly protectStart: (line: string) => string;
  /** After what a mark may begin, and before what one may end. */
  readonly beforeOpener: RegExp;
  readonly behindCloser: RegExp;
  /** Whether one style may begin where another one ends. */
  readonly sideBySide: boolean;
  /** The mark that may stand around written text; null when none may. */
  readonly markFor: (style: keyof typeof MARKS, written: string, beside: Beside) => string | null;
  readonly isHref: (href: string, words: string) => boolean;
  /** An address that is no link; `write`: one of `writes`. */
  readonly address: (href: string, write: (text: string) => string) => string;
  readonly lacking: ReadonlySet<Inline["t"]>;
  /** Null: it is a bold line. */
  readonly heading: ((level: number, line: string) => string) | null;
  /** The lines of an item of a list. */
  readonly item: (lines: readonly string[]) => readonly string[];
  /** A line of a quote. */
  readonly quote: (line: string) => string;
  /** A block of code; null: it is its words. */
  readonly fence: (text: string, lang: string | null) => readonly string[] | null;
  /** Code that neither begins nor ends with a backtick or a space; null: there are no marks for it. */
  readonly code: (text: string) => string | null;
  /** Lines of a list may begin quotes and fences. */
  readonly blocks: boolean;
  /** Whether an empty line must end a block, which would go on with the next one. */
  readonly isParted: (block: Block, next: Block) => boolean;
  /** Null: it is its words. */
  readonly mention: (mention: Extract<Inline, { t: "mention" }>) => string | null;
  readonly emoji: (text: string) => string | null;
}

/**
 * The tree in the dialect of chats: `**bold**`, `_italic_`, `~~strike~~`, `||spoiler||`, code, links, quotes and
 * begins; a heading is bold, a list is text. What is text there is read as text, by means of backslashes where it must
 * be; and a style that cannot be written at its place is its words.
 */
export function renderMarkdown(blocks: readonly Block[]): string {
  if (blocks.every(isPlain)) return protectText(plainText(blocks));
  const text = writeMarkdown(blocks, CHAT_WRITING);
  if (!hasLine(blocks, FENCE)) return text;
  // Words look like a fence: all lines up to the next one may be code.
  const words = plainText(blocks);
  return plainText(parseMarkdown(text)) === words ? text : protectText(words);
}

/** The tree in any dialect. */
export function writeMarkdown(blocks: readonly Block[], how: Writing): string {
  return linesOf(blocks, true, how).join("\n");
}

const FENCE = /^\\*```/m;

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

/** `begins`: these begin lines, as they do not after the mark of a list, where there is no quote and no fence. */
function linesOf(blocks: readonly Block[], begins: boolean, how: Writing): readonly string[] {
  return blocks.flatMap((block, at) => {
    const lines = blockLines(block, begins, how);
    const next = blocks[at + 1];
    return next !== undefined && how.isParted(block, next) ? [...lines, ""] : lines;
  });
}

function blockLines(block: Block, begins: boolean, how: Writing): readonly string[] {
  switch (block.t) {
    case "para":
      return paraLines(block.of, begins, how);
    case "heading":
      return headingLines(block, begins, how);
    case "pre": {
      const code = begins && !isUnseen(block.text) ? how.fence(block.text, block.lang) : null;
      return code ?? paraLines([textOf(block.text)], begins, how);
    }
    case "quote":
      return linesOf(block.of, begins, how).map(how.quote);
    case "list":
      return block.items.flatMap((item, index) => {
        const bullet = block.ordered ? `${index + 1}. ` : "- ";
        const [first = "", ...rest] = how.item(linesOf(item, how.blocks, how));
        return [bullet + first, ...rest.map((line) => " ".repeat(bullet.length) + line)];
      });
  }
}

function headingLines(
  { of, level }: Extract<Block, { t: "heading" }>,
  begins: boolean,
  how: Writing,
): readonly string[] {
  if (how.heading === null) return paraLines([{ t: "bold", of }], begins, how);
  const { heading } = how;
  const lines = splitLines(of).flatMap((line) => lineText(line, how).split("\n"));
  return lines.map((line) => (isUnseen(line) ? line : heading(level, line)));
}

const textOf = (text: string): Inline => ({ t: "text", text });

/** As many backticks as the code needs. */
export function fenced(text: string, lang: string | null): readonly string[] {
  const fence = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return [fence + (lang !== null && /^[\w+#.-]+$/.test(lang) ? lang : ""), ...text.split("\n"), fence];
}

/** How many backticks there are in a row at most. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function paraLines(of: readonly Inline[], begins: boolean, how: Writing): readonly string[] {
  // A link holds its line breaks.
  const lines = splitLines(of).flatMap((line) => lineText(line, how).split("\n"));
  return begins ? lines.map(how.protectStart) : lines;
}

/** A line as it is read back with the same words: with its styles, else with backslashes too, else without styles. */
function lineText(line: readonly Inline[], how: Writing): string {
  const words = wordsOf(line);
  if (line.every(({ t }) => t === "text")) return how.protectLine(words);
  const tidied = tidy(line, how.lacking);
  return (
    readBack(tidied, words, how) ??
    readBack(unmarkedAsText(tidied, how), words, how) ??
    words.split("\n").map(how.protectLine).join("\n")
  );
}

/** Null: none of the ways to write it is read with these words. */
function readBack(line: readonly Inline[], words: string, how: Writing): string | null {
  for (const write of how.writes) {
    const text = spans(line, { how, write, ...ALONE }).join("");
    if (how.isRead(text, words)) return text;
  }
  return null;
}

/** What gets no mark at its place becomes text, so that it is protected as one with the text beside it. */
function unmarkedAsText(line: readonly Inline[], how: Writing): readonly Inline[] {
  const written = spans(line, { how, write: (text) => text, ...ALONE });
  const of = line.flatMap((inline, at): readonly Inline[] => {
    if (inline.t === "link" || written[at] !== wordsOf([inline])) return [inline];
    if ("of" in inline) return inline.of;
    return [inline.t === "code" ? textOf(inline.text) : inline];
  });
  return tidy(of, how.lacking);
}

const CHAT_WRITING: Writing = {
  isRead: (line, words) => wordsOf(parseLine(line)) === words,
  writes: [(text) => text, protectLine],
  protectLine,
  protectStart: protectQuote,
  beforeOpener: BEFORE_LONG_OPENER,
  behindCloser: BEHIND_LONG_CLOSER,
  sideBySide: false,
  markFor: (style, _, { isWithin }) => (style === "italic" && isWithin ? null : MARKS[style]),
  isHref: (href) => /^https?:/i.test(href) && isBalanced(href),
  address: (href) => href,
  lacking: new Set(["underline", "colour"]),
  heading: null,
  item: (lines) => lines,
  quote: quoted,
  fence: fenced,
  code: ticked,
  blocks: false,
  isParted: () => false,
  mention: () => null,
  emoji: () => null,
};

export const wordsOf = (of: readonly Inline[]): string => plainText([{ t: "para", of }]);

interface Beside {
  /** What stands beside it is neither a blank nor punctuation. */
  readonly isWithin: boolean;
  /** The signs of which marks beside it are, or may be. */
  readonly signs: string;
}

/** `opens`, `closes`: whether a mark may come before and after what is written here. */
interface Place extends Beside {
  readonly how: Writing;
  readonly write: (text: string) => string;
  readonly opens: boolean;
  readonly closes: boolean;
}

const ALONE = { opens: true, closes: true, isWithin: false, signs: "" };

const spansText = (inlines: readonly Inline[], place: Place): string => spans(inlines, place).join("");

/** Each of them as it is written. */
function spans(inlines: readonly Inline[], place: Place): readonly string[] {
  const texts: string[] = [];
  let before = "";
  let { opens } = place;
  let isPlain = false;
  for (const [index, inline] of inlines.entries()) {
    const [last, next] = [inlines[index - 1], inlines[index + 1]];
    const words = oneText(inline, {
      ...place,
      opens,
      closes: next === undefined ? place.closes : mayPrecede(inline, next, place),
      isWithin:
        (isPlain && !BEFORE_OPENER.test(before)) || (next?.t === "text" && !BEHIND_CLOSER.test(next.text.charAt(0))),
      signs: signsOf(last) + signsOf(next),
    });
    texts.push(words);
    if (words === "") continue;
    before = words.slice(-1);
    isPlain = inline.t === "text" || (isMarked(inline) && words === wordsOf([inline]));
    opens = isPlain ? place.how.beforeOpener.test(before) : place.how.sideBySide && isMarked(inline);
  }
  return texts;
}

/** Whether a mark may end before it. */
function mayPrecede(inline: Inline, next: Inline, { how }: Place): boolean {
  if (next.t === "text") return how.behindCloser.test(next.text.charAt(0));
  return how.sideBySide && isMarked(next) && inline.t !== next.t;
}

const isMarked = ({ t }: Inline): boolean => t === "code" || t in MARKS;

/** Of the marks that it may begin or end with. */
function signsOf(inline: Inline | undefined): string {
  if (inline === undefined || !("of" in inline) || inline.t === "link" || inline.t === "colour") return "";
  return SIGNS[inline.t] + signsOf(inline.of[0]) + signsOf(inline.of.at(-1));
}

const SIGNS = { bold: "*", italic: "", underline: "_", strike: "~", spoiler: "|" } as const;
const MARKS = { bold: "**", italic: "_", underline: "__", strike: "~~", spoiler: "||" } as const;

function oneText(inline: Inline, place: Place): string {
  switch (inline.t) {
    case "mention":
      return place.how.mention(inline) ?? place.write(inline.text);
    case "emoji":
      return place.how.emoji(inline.text) ?? place.write(inline.text);
    case "text":
      return place.write(inline.text);
    case "code":
      return codeText(inline.text, place);
    case "bold":
    case "italic":
    case "underline":
    case "strike":
    case "spoiler":
      return marked(inline.of, inline.t, place);
    case "colour":
      return spansText(inline.of, place);
    case "link":
      return linkText(inline, place);
  }
}

function marked(of: readonly Inline[], style: keyof typeof MARKS, place: Place): string {
  const text = spansText(of, place);
  const mayBe = place.opens && place.closes && /[^\s!-/:-@[-`{-~]/u.test(wordsOf(of));
  const mark = mayBe ? place.how.markFor(style, text, place) : null;
  return mark === null ? text : mark + text + mark;
}

function codeText(text: string, place: Place): string {
  const mayBe = place.opens && place.closes && /^[^\s`](?:.*[^\s`])?$/su.test(text);
  return (mayBe ? place.how.code(text) : null) ?? place.write(text);
}

/** Between more backticks than there are in it. */
export function ticked(code: string): string {
  const ticks = "`".repeat(longestRun(code) + 1);
  return ticks + code + ticks;
}

function linkText({ href, of }: Extract<Inline, { t: "link" }>, place: Place): string {
  const shown = shownLink(wordsOf(of), href);
  if (shown === "address") return place.how.address(href, place.write);
  if (shown === "words") return spansText(of, place);
  if (place.opens && place.closes && place.how.isHref(href, wordsOf(of))) {
    return `[${spansText(of, { ...place, opens: true, closes: true })}](${href})`;
  }
  return `${spansText(of, { ...place, closes: true })} (${place.how.address(href, place.write)})`;
}

/** Whether its parentheses are in pairs, so that none of them ends it. */
export function isBalanced(href: string): boolean {
  let depth = 0;
  for (const char of href) {
    if (char === "(") depth += 1;
    if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
