import type { Block, Inline } from "../contract/content.ts";
import { withoutC0 } from "./controls.ts";
import { endOfUrl, endsInUrl, isLinkable, shownLink } from "./links.ts";
import { kindOf, PUNCTUATION, SPACE, WORD } from "./markdown-scan.ts";
import { splitLines, tidy } from "./tidy.ts";

export interface MarkdownOptions {
  /**
   * Backslashes before what would otherwise be read as Markdown: valid CommonMark. Without them nothing stands in the text that is
   * no mark, for readers that show it as it is.
   */
  readonly escape: boolean;
}

/**
 * The tree as Markdown: `**bold**`, `_italic_`, `~~strike~~`, `||spoiler||`, code, links, quotes, lists, headings, fences. What Markdown has no
 * mark for, or none at that place (within a word), is its text.
 */
export function renderMarkdown(blocks: readonly Block[], options: MarkdownOptions): string {
  let text = "";
  let previous: Block | null = null;
  for (const block of blocks) {
    const rendered = blockText(block, options);
    if (rendered.trim() === "") continue;
    text += (previous === null ? "" : between(previous, block)) + rendered;
    previous = block;
  }
  return text;
}

/** A paragraph would go on a quote or list before it, and two of these would be one. */
function between(previous: Block, next: Block): string {
  const absorbs = previous.t === "quote" || previous.t === "list";
  return absorbs && (next.t === "para" || next.t === previous.t) ? "\n\n" : "\n";
}

function blockText(block: Block, options: MarkdownOptions): string {
  switch (block.t) {
    case "para":
      return paraText(block.of, options);
    case "heading":
      return headingText(block, options);
    case "pre":
      return fenced(withoutC0(block.text), block.lang);
    case "quote": {
      const inner = renderMarkdown(block.of, options);
      return inner === "" ? "" : indented(inner, "> ", "> ");
    }
    case "list":
      return block.items
        .map((item) => renderMarkdown(item, options).replace(/^(?:[ \t]*\n)+/, ""))
        .filter((item) => item.trim() !== "")
        .map((item, index) => {
          const bullet = block.ordered ? `${index + 1}. ` : "- ";
          return indented(item, bullet, " ".repeat(bullet.length));
        })
        .join("\n");
  }
}

function headingText({ level, of }: Extract<Block, { t: "heading" }>, options: MarkdownOptions): string {
  const words = paraText(of, options).replaceAll("\n", " ").trim();
  if (words === "") return "";
  // These would be no part of the words.
  const text = options.escape ? words.replace(/(?<=^|\s)#+$/, (signs) => `\\${signs}`) : words;
  return `${"#".repeat(Math.min(Math.max(level, 1), 6))} ${text}`;
}

function indented(text: string, first: string, rest: string): string {
  return first + text.replaceAll("\n", () => `\n${rest}`);
}

function fenced(text: string, lang: string | null): string {
  const fence = "`".repeat(Math.max(2, ...runsIn(text)) + 1);
  return `${fence}${lang !== null && /^[\w+#.-]+$/.test(lang) ? lang : ""}\n${text}\n${fence}`;
}

/** Lengths of the runs of backticks. */
function runsIn(text: string): readonly number[] {
  return text.includes("`") ? Array.from(text.matchAll(/`+/g), ([run]) => run.length) : [];
}

const LACKING: ReadonlySet<Inline["t"]> = new Set(["underline", "colour"]);

function paraText(of: readonly Inline[], { escape }: MarkdownOptions): string {
  return splitLines(of)
    .map((line) => {
      const text = inlineText(tidy(line, LACKING), { escape, before: "", after: SPACE });
      return escape ? escapeLine(text.trim()) : text;
    })
    .join("\n");
}

/** What would make the line a block of its own. */
function escapeLine(line: string): string {
  return line.replace(/^(?:[#>+=-]|\d{1,9}(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** `before`: the character that stands there, empty at the edge of a line; `after`: the kind of the one behind. */
interface Place extends MarkdownOptions {
  readonly before: string;
  readonly after: number;
}

function inlineText(inlines: readonly Inline[], place: Place): string {
  let text = "";
  let { before } = place;
  for (const [index, inline] of inlines.entries()) {
    const next = inlines[index + 1];
    const after = next === undefined ? place.after : firstKind(next);
    const words = oneText(inline, { escape: place.escape, before, after });
    text += words;
    if (words !== "") before = words.charAt(words.length - 1);
  }
  return text;
}

/** What begins with a mark, or with a letter if the mark is left out. */
const MARK = 3;
/** The end of a mark with a space behind it. */
const CLOSING = 4;

function firstKind(inline: Inline): number {
  if (inline.t === "code") return PUNCTUATION;
  if (!("of" in inline)) return kindOf(inline.text, 0);
  if (inline.t !== "colour" && inline.t !== "underline") return MARK;
  const [first] = inline.of;
  return first === undefined ? MARK : firstKind(first);
}

function oneText(inline: Inline, place: Place): string {
  switch (inline.t) {
    case "text":
    case "mention":
    case "emoji":
      return place.escape ? escaped(inline.text, place.after) : inline.text;
    case "code":
      // Two pieces of code side by side would be one.
      return place.before === "`" ? oneText({ t: "text", text: inline.text }, place) : codeSpan(inline.text);
    case "bold":
      return marked(inline.of, "**", place);
    case "italic":
      return marked(inline.of, "_", place);
    case "strike":
      return marked(inline.of, "~~", place);
    case "spoiler":
      return marked(inline.of, "||", place);
    case "underline":
    case "colour":
      return inlineText(inline.of, place);
    case "link":
      return linkText(inline, place);
  }
}

/** The marks around the text, if they can begin and end there (CommonMark, "left-flanking" and "right-flanking"). */
function marked(of: readonly Inline[], mark: string, place: Place): string {
  const isLast = place.after === SPACE || place.after === CLOSING;
  const inner = inlineText(of, { ...place, before: mark.charAt(0), after: isLast ? CLOSING : PUNCTUATION });
  const [first, last] = [kindOf(inner, 0), kindOf(inner, inner.length - 1)];
  const before = kindOf(place.before, 0);
  // Two marks of one kind side by side would be another one.
  const isOpen = place.before !== mark.charAt(0) && (isLast || !endsInUrl(inner));
  const within = before === WORD || place.after === WORD || place.after === MARK;
  const fits = within ? mark !== "_" && first === WORD && last === WORD : first !== SPACE && last !== SPACE;
  if (isOpen && fits) return mark + inner + mark;
  // Emphasis within a word has another mark.
  const isFree = before !== PUNCTUATION && (place.after === SPACE || place.after === WORD);
  if (mark === "_" && isOpen && isFree && first === WORD && last === WORD) return `*${inner}*`;
  return inlineText(of, place);
}

function codeSpan(text: string): string {
  if (text === "") return "";
  const fence = "`".repeat(Math.max(0, ...runsIn(text)) + 1);
  const pad = /^`|`$|^ .* $/s.test(text) && text.trim() !== "" ? " " : "";
  return fence + pad + text + pad + fence;
}

function linkText({ href, of }: Extract<Inline, { t: "link" }>, place: Place): string {
  const shown = shownLink(wordsOf(of), href);
  if (shown === "address") return addressText(href, place);
  if (shown === "words") return inlineText(of, place);
  if (!isLinkable(href)) {
    const address = place.escape ? escaped(href, PUNCTUATION) : href;
    return `${inlineText(of, { ...place, after: SPACE })} (${address})`;
  }
  const inner = inlineText(of, { ...place, before: "[", after: CLOSING });
  const unsafe = isBalanced(href) ? /\\/g : /[()\\]/g;
  return `[${inner}](${href.replaceAll(unsafe, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)})`;
}

function addressText(href: string, place: Place): string {
  if (place.escape) return escaped(href, place.after);
  const isJoined = kindOf(place.before, 0) === WORD || (place.after !== SPACE && place.after !== CLOSING);
  return isJoined && isLinkable(href) ? `<${href}>` : href;
}

/** Whether the parentheses are in pairs, so that they do not end the address. */
function isBalanced(href: string): boolean {
  let depth = 0;
  for (const char of href) {
    if (char === "(") depth += 1;
    if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

function wordsOf(of: readonly Inline[]): string {
  return of.map((inline) => ("of" in inline ? wordsOf(inline.of) : inline.text)).join("");
}

const ESCAPED = /[\\`*_~|[\]<&]|https?:\/\//gi;

/** Backslashes where they are needed; none within an address, which is read as it is, and none for `_` within a word. */
function escaped(text: string, after: number): string {
  // Before a bracket it would make a picture of a link.
  if (after !== SPACE && text.endsWith("!")) return `${escaped(text.slice(0, -1), PUNCTUATION)}\\!`;
  if (!/[\\`*_~|[\]<&]|:\/\//.test(text)) return text;
  let result = "";
  let from = 0;
  for (;;) {
    ESCAPED.lastIndex = from;
    const match = ESCAPED.exec(text);
    if (match === null) return result + text.slice(from);
    const at = match.index;
    result += text.slice(from, at);
    if (match[0].length > 1) {
      from = Math.max(endOfUrl(text, at), at + 1);
      result += bareUrl(text.slice(at, from), from === text.length && after !== SPACE && after !== CLOSING);
    } else {
      from = at + 1;
      const within = match[0] === "_" && kindOf(text, at - 1) === WORD && kindOf(text, at + 1) === WORD;
      result += within ? "_" : `\\${match[0]}`;
    }
  }
}

/** In brackets where a reader might find marks in it, or might read on. */
function bareUrl(url: string, goesOn: boolean): string {
  return goesOn || /[*_~|\\&]/.test(url) ? `<${url}>` : url;
}
