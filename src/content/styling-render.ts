import type { Block, Inline } from "../contract/content.ts";
import { withoutC0 } from "./controls.ts";
import { endsInUrl, shownLink } from "./links.ts";
import { hasLine, plainText, quoted } from "./plain.ts";
import { parseLetter, parseStyling } from "./styling-parse.ts";
import { splitLines, tidy } from "./tidy.ts";

/** Text as XMPP carries it. */
interface Styled {
  readonly text: string;
  /** Its marks are meant; otherwise all of it is words, also what looks like a mark. */
  readonly isStyled: boolean;
}

/**
 * The tree as message styling (XEP-0393). What it has no mark for, or none at that place (within a word, or around its
 * own mark), is its text; nothing is added that is not a mark. Where a reader would take words for marks, none are
 * written.
 */
export function styled(blocks: readonly Block[]): Styled {
  const words = withoutC0(plainText(blocks));
  if (blocks.every(isPlain)) return { text: words, isStyled: false };
  const text = withoutC0(blocksText(blocks, true));
  const isRead = [parseStyling, parseLetter].every((parse) => plainText(parse(text)) === words);
  const isStyled = isRead && !hasLine(blocks, BLOCK);
  return { text: isStyled ? text : words, isStyled };
}

export function renderStyling(blocks: readonly Block[]): string {
  return styled(blocks).text;
}

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

/** What begins a quote or a fence. */
const BLOCK = /^(?:>|```)/m;

/** `fences`: a line may begin with what makes it a fence, as it may not after the mark of a list. */
function blocksText(blocks: readonly Block[], fences: boolean): string {
  return blocks.map((block) => blockText(block, fences)).join("\n");
}

function blockText(block: Block, fences: boolean): string {
  switch (block.t) {
    case "para":
      return linesText(block.of);
    case "heading":
      return linesText([{ t: "bold", of: block.of }]);
    case "pre":
      return fences ? fenced(block.text, block.lang) : block.text;
    case "quote":
      return quoted(blocksText(block.of, fences));
    case "list":
      return block.items
        .map((item, index) => {
          const bullet = block.ordered ? `${index + 1}. ` : "- ";
          return indented(blocksText(item, false), bullet, " ".repeat(bullet.length));
        })
        .join("\n");
  }
}

function indented(text: string, first: string, rest: string): string {
  return first + text.replaceAll("\n", () => `\n${rest}`);
}

const FENCE = "```";

/** A fence cannot hold the line that would end it. */
function fenced(text: string, lang: string | null): string {
  if (text.split("\n").includes(FENCE)) return text;
  return `${FENCE}${lang !== null && /^[\w+#.-]+$/.test(lang) ? lang : ""}\n${text}\n${FENCE}`;
}

function linesText(of: readonly Inline[]): string {
  return splitLines(of)
    .map((line) => spansText(tidy(line, LACKING), true))
    .join("\n");
}

/** `free`: a mark may begin before the first of these. */
function spansText(inlines: readonly Inline[], free: boolean): string {
  let text = "";
  let isFree = free;
  for (const [index, inline] of inlines.entries()) {
    const next = inlines[index + 1];
    const words = spanText(inline, isFree);
    // An address would swallow the mark after it, and what follows.
    const swallows =
      words !== "" &&
      next !== undefined &&
      "of" in inline &&
      !isSpace(plainStart(next)) &&
      endsInUrl(words.slice(0, -1));
    const shown = swallows ? spanText(inline, false) : words;
    text += shown;
    if (shown !== "") isFree = isSpace(shown.charAt(shown.length - 1));
  }
  return text;
}

function plainStart(inline: Inline): string {
  return ("of" in inline ? spansText([inline], false) : inline.text).charAt(0);
}

function isSpace(char: string): boolean {
  return /^\s$/u.test(char);
}

const LACKING: ReadonlySet<Inline["t"]> = new Set(["underline", "spoiler", "colour"]);
const MARKS = { bold: "*", italic: "_", strike: "~" } as const;

function spanText(inline: Inline, free: boolean): string {
  switch (inline.t) {
    case "text":
    case "mention":
    case "emoji":
      return inline.text;
    case "code":
      return free ? marked("`", inline.text) : inline.text;
    case "bold":
    case "italic":
    case "strike":
      return free ? marked(MARKS[inline.t], spansText(inline.of, true)) : spansText(inline.of, free);
    case "underline":
    case "spoiler":
    case "colour":
      return spansText(inline.of, free);
    case "link":
      return linkText(spansText(inline.of, free), inline.href);
  }
}

/** The text between marks; without them where they would not open there or would close too early. */
function marked(mark: keyof typeof CLOSES, text: string): string {
  return text === "" || CLOSES[mark].test(text) ? text : mark + text + mark;
}

/** What no span of the mark can hold: a space at its edge, or what would end it. */
const CLOSES = {
  "*": /^[\s*]|\s$|\S\*/u,
  _: /^[\s_]|\s$|\S_/u,
  "~": /^[\s~]|\s$|\S~/u,
  "`": /^[\s`]|\s$|\S`/u,
} as const;

function linkText(text: string, href: string): string {
  const shown = shownLink(text, href);
  if (shown === "address") return href;
  return shown === "words" ? text : `${text} (${href})`;
}
