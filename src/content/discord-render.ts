import type { Block, Inline } from "../contract/content.ts";
import { parseDiscordWords } from "./discord-inline.ts";
import { channelMention, roleMention, userMention, withoutNames } from "./discord-names.ts";
import { parseDiscord } from "./discord-parse.ts";
import {
  APART,
  partDiscordUrl,
  protectDiscord,
  protectDiscordLine,
  protectDiscordPart,
  protectDiscordStart,
} from "./discord-protect.ts";
import { fenced, isBalanced, ticked, wordsOf, writeMarkdown, type Writing } from "./markdown-render.ts";
import { plainText } from "./plain.ts";
import { splitLines } from "./tidy.ts";

export interface DiscordRenderOptions {
  /** The markup of the guild's emoji of this name, as `<:name:1>`; null: there is none. The name has no colons. */
  readonly emoji: (name: string) => string | null;
}

const WITHOUT_EMOJI: DiscordRenderOptions = { emoji: () => null };

/**
 * The tree as text of Discord. What is text there is shown as it is and notifies nobody; a style that cannot be written
 * at its place is its words. A mention is one when its user is an id, `&` and that of a role, `#` and that of a
 * channel, `@everyone` or `@here`; any other is its text.
 */
export function renderDiscord(blocks: readonly Block[], { emoji }: DiscordRenderOptions = WITHOUT_EMOJI): string {
  const shallow = blocks.map(withoutQuotes);
  const own = (shown: string): string | null => {
    const name = /^:(\w+):$/.exec(shown)?.[1];
    return name === undefined ? null : emoji(name);
  };
  const signs = signsOf(blocks);
  for (const writing of [LIGHT, STRICT]) {
    const text = writeMarkdown(shallow, { ...writing, emoji: own });
    if ((writing === STRICT || !mayEndWords(text)) && signsOf(parseDiscord(text)) === signs) return withoutNames(text);
  }
  return protectDiscord(plainText(blocks));
}

/**
 * Whether a `_` within a word may begin something that ends in another line or block, even in an address or in code:
 * Discord looks for the end first.
 */
function mayEndWords(written: string): boolean {
  return /[A-Za-z\d]_[A-Za-z\d]/.test(written) && /(?<!\\)_(?![A-Za-z\d])/.test(written);
}

/** There is no quote within a quote: its lines are text with the sign before each. */
function withoutQuotes(block: Block): Block {
  if (block.t === "list") return { ...block, items: block.items.map((item) => item.map(withoutQuotes)) };
  return block.t === "quote" ? { ...block, of: block.of.map(unquoted) } : block;
}

function unquoted(block: Block): Block {
  if (block.t === "list") return { ...block, items: block.items.map((item) => item.map(unquoted)) };
  if (block.t !== "quote") return block;
  const of: Inline[] = [];
  for (const line of block.of.flatMap((inner) => splitLines(wordsIn(inner))))
    of.push(textOf(of.length === 0 ? "> " : "\n> "), ...line);
  return { t: "para", of };
}

function wordsIn(block: Block): readonly Inline[] {
  return block.t === "para" || block.t === "heading" ? block.of : [textOf(plainText([block]))];
}

const textOf = (text: string): Inline => ({ t: "text", text });

/** Without what a format may rightly change: spaces, and the marks of quotes and lists around nothing. */
const signsOf = (blocks: readonly Block[]): string =>
  together(plainText(blocks)).replaceAll(/[\s\p{C}>-]+|\d{1,9}\./gu, "");

/** Words without the signs of mentions, and without what parts signs. */
const together = (text: string): string => text.replaceAll(/[@\u200b]/g, "");

/** With the name, so that it is read back with its words. */
function mentionOf({ user, text }: Extract<Inline, { t: "mention" }>): string | null {
  if (user === "@everyone" || user === "@here") return user;
  const [, kind = "", id] = /^([&#]?)(\d{1,20})$/.exec(user ?? "") ?? [];
  if (id === undefined) return null;
  const name = text.replace(/^[@#]/, "");
  if (kind === "#") return channelMention(id, name);
  return kind === "&" ? roleMention(id, name) : userMention(id, name);
}

const writing = (isStrict: boolean): Writing => ({
  isRead: (line, words) => together(wordsOf(parseDiscordWords(line))) === together(words),
  writes: [(text) => protectDiscordPart(text, isStrict), (text) => partDiscordUrl(text, isStrict)],
  protectLine: (line) => protectDiscordLine(line, isStrict),
  protectStart: protectDiscordStart,
  // Marks mean something within words, too; where a `_` does not, the line is read with other words.
  beforeOpener: /[^]/,
  behindCloser: /[^]/,
  sideBySide: true,
  markFor: (style, written, { isWithin, signs }) => {
    switch (style) {
      case "bold":
        return written.includes("**") ? null : "**";
      case "italic":
        // Two and one of the same sign beside each other are read in more than one way.
        if (!/^\*|\*$|\s\*\s/.test(written) && !signs.includes("*")) return "*";
        return written.includes("_") || signs.includes("_") || (signs !== "" && isWithin) ? null : "_";
      case "underline":
        return written.includes("__") || /^_|_$/.test(written) ? null : "__";
      case "strike":
        return written.includes("~~") || /^~|~$/.test(written) ? null : "~~";
      case "spoiler":
        return written.includes("||") || /^\||\|$/.test(written) ? null : "||";
    }
  },
  isHref: (href, words) =>
    /^https?:\/\/[^\s<>"\\]{1,2000}$/i.test(href) && isBalanced(href) && !/[[\]\n]|:\/\//.test(words),
  address: (href, write) => write(href),
  lacking: new Set(["colour"]),
  heading: (level, line) => {
    const words = protectDiscordStart(line.trim().replace(/^#/, "\\#")).replace(/(?<!\\)#$/, "\\#");
    return `${"#".repeat(Math.min(Math.max(Math.trunc(level) || 1, 1), 3))} ${words}`;
  },
  // What begins with an empty line is no item, and what has one ends there.
  item: (lines) => {
    const begin = lines.findIndex((line) => line.trim() !== "");
    const rest = lines.slice(begin + 1).map((line) => (line.trim() === "" ? APART : line));
    return begin === -1 ? [APART] : [(lines[begin] ?? "").trimStart(), ...rest];
  },
  quote: (line) => `> ${line}`,
  fence: (text, lang) => {
    if (/^[\s`]*$/.test(text)) return null;
    // A fence has three backticks, and no more.
    return fenced(text.replaceAll(/``(?=`)/g, `$&${APART}`), lang);
  },
  // Three of them would be a fence.
  code: (text) => (text.includes("``") ? null : ticked(text)),
  blocks: true,
  isParted: ({ t }, next) =>
    (t === "quote" && next.t === "quote") ||
    (t === "list" && (next.t === "list" || /^\s/.test(plainText([next]).slice(0, 1)))),
  mention: mentionOf,
  emoji: () => null,
});

const LIGHT = writing(false);
const STRICT = writing(true);
