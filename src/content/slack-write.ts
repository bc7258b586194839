import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { endOfUrl, shownLink } from "./links.ts";
import { plainText, quoted } from "./plain.ts";
import { SLACK_PARTED } from "./slack-parse.ts";
import { textOf } from "./slack-tokens.ts";
import { splitLines, tidy } from "./tidy.ts";

/** How mrkdwn is written: for the network, or as a source text of ours. */
export interface SlackWriting {
  /** Keeps words and marks apart, and shows nothing. */
  readonly apart: string;
  /** A line that ends a block, which would go on with the next one. */
  readonly parted: string;
  /** The sign before the lines of a quote. */
  readonly quote: string;
  /** Text that says nothing else than its words; `marks`: the signs of the styles that it is in. */
  readonly text: (text: string, marks: ReadonlySet<string>) => string;
  /** Between backticks; null: it cannot be there. */
  readonly code: (text: string) => string | null;
  /** Between fences. */
  readonly pre: (text: string) => string;
  readonly emoji: (text: string) => string | null;
  readonly mention: (mention: Extract<Inline, { t: "mention" }>) => string | null;
  readonly underline: (written: string) => string;
  /** A token with words of its own; null: there is none for it. */
  readonly link: (href: string, words: string) => string | null;
  /** The name of a language before the first line of code; null: it is left out. */
  readonly lang: ((lang: string) => string) | null;
  /** Quotes and lists have blocks of code in them. */
  readonly blocks: boolean;
  /** Lines that would begin something. */
  readonly begins: RegExp;
}

export function writeSlack(blocks: readonly Block[], how: SlackWriting): string {
  return linesOf(blocks.map(withoutQuotes), { how, depth: 0, isInner: false }).join("\n");
}

interface Where {
  readonly how: SlackWriting;
  /** Lists that these are in. */
  readonly depth: number;
  readonly isInner: boolean;
}

function linesOf(blocks: readonly Block[], where: Where): readonly string[] {
  return blocks.flatMap((block, at) => {
    const lines = blockLines(block, where);
    const next = blocks[at + 1];
    return next !== undefined && isParted(block, next) ? [...lines, where.how.parted] : lines;
  });
}

const isParted = ({ t }: Block, next: Block): boolean =>
  (t === "quote" && next.t === "quote") || (t === "list" && (next.t === "list" || plainText([next]).startsWith(" ")));

function blockLines(block: Block, where: Where): readonly string[] {
  const { how } = where;
  switch (block.t) {
    case "para":
      return paraLines(block.of, how);
    case "heading":
      return paraLines([{ t: "bold", of: block.of }], how);
    case "pre":
      return preLines(block, where);
    case "quote":
      return linesOf(block.of, { ...where, isInner: true }).map((line) =>
        line === "" ? how.quote : `${how.quote} ${line}`,
      );
    case "list":
      return block.items.flatMap((item, index) => {
        const bullet = block.ordered ? `${index + 1}. ` : `${BULLETS[where.depth % BULLETS.length] ?? ""} `;
        const [first = "", ...rest] = linesOf(item, { ...where, depth: where.depth + 1, isInner: true });
        const pad = " ".repeat(bullet.length);
        // A line without words would end the list.
        const lines = rest.map((line) => pad + (line.trim() === "" ? how.apart + line + how.apart : line));
        return [bullet + (first.trim() === "" ? how.apart : first.trimStart()), ...lines];
      });
  }
}

/** As the network shows them. */
const BULLETS = ["•", "◦", "▪"] as const;
const FENCE = "```";

function preLines({ text, lang }: Extract<Block, { t: "pre" }>, { how, isInner }: Where): readonly string[] {
  const code = isUnseen(text) || (isInner && !how.blocks) ? null : how.pre(text);
  if (code === null) return paraLines([textOf(text)], how);
  const named = lang !== null && how.lang !== null && /^[\w+#.-]{1,64}$/.test(lang) ? how.lang(lang) : "";
  return [FENCE + named, ...code.split("\n"), FENCE];
}

function paraLines(of: readonly Inline[], how: SlackWriting): readonly string[] {
  return splitLines(of)
    .flatMap((line) => lineText(line, how).split("\n"))
    .map((line) => (how.begins.test(line) || line === SLACK_PARTED ? how.apart + line : line));
}

const LACKING: ReadonlySet<Inline["t"]> = new Set(["spoiler", "colour"]);
const NO_MARKS: ReadonlySet<string> = new Set();

function lineText(line: readonly Inline[], how: SlackWriting): string {
  if (line.every(({ t }) => t === "text")) return how.text(wordsOf(line), NO_MARKS);
  return spansText(tidy(line, LACKING), NO_MARKS, how);
}

const wordsOf = (of: readonly Inline[]): string => plainText([{ t: "para", of }]);

function spansText(of: readonly Inline[], marks: ReadonlySet<string>, how: SlackWriting): string {
  const texts: string[] = [];
  let isMarked = false;
  for (const inline of of) {
    const words = spanText(inline, marks, how);
    if (words === "") continue;
    const before = texts.at(-1) ?? "";
    // A mark may not stand beside a word.
    const begins = inline.t !== "text" && MARK.test(words) && NEAR_END.test(before.slice(-2));
    if (begins || (isMarked && NEAR.test(words))) texts.push(how.apart);
    texts.push(words);
    isMarked = inline.t !== "text" && MARK_END.test(words.slice(-1));
  }
  return texts.join("");
}

const MARK = /^[*_~`:]/;
const MARK_END = /^[*_~`:]$/;
/** What a mark may not stand beside. */
const NEAR = /^[\p{L}\p{N}\p{M}_*~`:]/u;
const NEAR_END = /[\p{L}\p{N}\p{M}_*~`:]$/u;

function spanText(inline: Inline, marks: ReadonlySet<string>, how: SlackWriting): string {
  switch (inline.t) {
    case "text":
      return how.text(inline.text, marks);
    case "mention":
      return how.mention(inline) ?? how.text(inline.text, marks);
    case "emoji":
      return how.emoji(inline.text) ?? how.text(inline.text, marks);
    case "code": {
      const code = how.code(inline.text);
      return code === null ? how.text(inline.text, marks) : `\`${code}\``;
    }
    case "bold":
      return styled("*", inline.of, marks, how);
    case "italic":
      return styled("_", inline.of, marks, how);
    case "strike":
      return styled("~", inline.of, marks, how);
    case "underline": {
      const words = spansText(inline.of, marks, how);
      return words === "" ? "" : how.underline(words);
    }
    case "spoiler":
    case "colour":
      return spansText(inline.of, marks, how);
    case "link":
      return linkText(inline, marks, how);
  }
}

function styled(sign: string, of: readonly Inline[], marks: ReadonlySet<string>, how: SlackWriting): string {
  const words = spansText(of, new Set([...marks, sign]), how);
  if (isUnseen(wordsOf(of)) || words.replaceAll(TOKENS, "").includes(sign)) return words;
  const begin = /^\s/.test(words) || words.startsWith(sign) ? how.apart : "";
  return `${sign}${begin}${words}${/\s$/.test(words) ? how.apart : ""}${sign}`;
}

/** No sign in code and in a token is a mark. */
const TOKENS = /`[^`\n]*`|<[^<>\n]*>/g;

function linkText({ href, of }: Extract<Inline, { t: "link" }>, marks: ReadonlySet<string>, how: SlackWriting): string {
  const words = wordsOf(of);
  switch (shownLink(words, href)) {
    case "address":
      return addressText(href, marks, how);
    case "words":
      return spansText(of, marks, how);
    case "both": {
      const link = how.link(href, words);
      if (link !== null) return link;
      return `${spansText(of, marks, how)} (${addressText(href, marks, how)})`;
    }
  }
}

const addressText = (href: string, marks: ReadonlySet<string>, how: SlackWriting): string =>
  (/^https?:/i.test(href) ? how.link(href, "") : null) ?? how.text(href, marks);

/** There is no quote within a quote: its lines are text with the sign before each. */
export function withoutQuotes(block: Block): Block {
  if (block.t === "list") return { ...block, items: block.items.map((item) => item.map(withoutQuotes)) };
  return block.t === "quote" ? { ...block, of: block.of.map(unquoted) } : block;
}

function unquoted(block: Block): Block {
  if (block.t === "list") return { ...block, items: block.items.map((item) => item.map(unquoted)) };
  if (block.t !== "quote") return block;
  const [first, ...rest] = block.of;
  if (rest.length > 0 || first?.t !== "para") return { t: "para", of: [textOf(quoted(plainText(block.of)))] };
  const of: Inline[] = [];
  for (const line of splitLines(first.of)) of.push(textOf(of.length === 0 ? "> " : "\n> "), ...line);
  return { t: "para", of };
}

interface UrlPart {
  readonly isUrl: boolean;
  readonly part: string;
}

/** A text and the addresses in it. */
export function urlParts(text: string): readonly UrlPart[] {
  const parts: UrlPart[] = [];
  let from = 0;
  let after = 0;
  for (const { index } of text.matchAll(/https?:\/\//gi)) {
    if (index < after) continue;
    after = endOfUrl(text, index);
    if (after === index) continue;
    if (index > from) parts.push({ isUrl: false, part: text.slice(from, index) });
    parts.push({ isUrl: true, part: text.slice(index, after) });
    from = after;
  }
  if (from < text.length) parts.push({ isUrl: false, part: text.slice(from) });
  return parts;
}
