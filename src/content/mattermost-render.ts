import type { Block } from "../contract/content.ts";
import { MATTERMOST } from "./markdown-dialect.ts";
import { parseLine } from "./markdown-inline.ts";
import { fenced, isBalanced, ticked, wordsOf, writeMarkdown, type Writing } from "./markdown-render.ts";
import { APART, protectBegin, protectWords } from "./mattermost-protect.ts";
import { quoted } from "./plain.ts";

/**
 * The tree as text of Mattermost. What is text there is shown as it is, notifies nobody and is no emoji; a style that
 * cannot be written at its place is its words. A mention of somebody there, whose text is `@` and the user name, is
 * one; any other is its text.
 */
export function renderMattermost(blocks: readonly Block[]): string {
  return writeMarkdown(blocks, WRITING);
}

const EDGES = /^[\p{P}\p{S}]|[\p{P}\p{S}]$/u;
const USER_NAME = /^@[a-z\d][a-z\d._-]*$/;

const together = (text: string): string => text.replaceAll(APART, "");

const WRITING: Writing = {
  isRead: (line, words) => together(wordsOf(parseLine(line, MATTERMOST))) === together(words),
  writes: [protectWords],
  protectLine: protectWords,
  protectStart: protectBegin,
  // Behind it, a link would be a picture.
  beforeOpener: /[^!]/,
  behindCloser: /[^]/,
  sideBySide: true,
  markFor: (style, written, { isWithin, signs }) => {
    // Within words, marks beside punctuation begin and end nothing (CommonMark, "left-flanking").
    if (isWithin && EDGES.test(written)) return null;
    switch (style) {
      case "bold":
        return written.includes("**") || /^\*|\*$/.test(written) ? null : "**";
      case "italic":
        // The engine of the web client ends it at the first sign of its kind, protected or not.
        if (!written.includes("_") && !isWithin) return "_";
        return written.includes("*") || signs.includes("*") || /^["<]/.test(written) ? null : "*";
      case "strike":
        return written.includes("~~") || /^~|~$/.test(written) ? null : "~~";
      case "underline":
      case "spoiler":
        return null;
    }
  },
  // An address within angle brackets would be a link of its own.
  isHref: (href, words) =>
    /^https?:\/\/[^\s<>"\\]+$/i.test(href) &&
    isBalanced(href) &&
    !/[[\]\n]|:\/\//.test(words) &&
    !protectWords(words).includes("<http"),
  address: protectWords,
  lacking: new Set(["underline", "colour", "spoiler"]),
  heading: (level, line) => {
    const words = line.trimEnd();
    const signs = "#".repeat(Math.min(Math.max(Math.trunc(level) || 1, 1), 6));
    return `${signs} ${words}${words.endsWith("#") ? APART : ""}`;
  },
  // What begins with an empty line is no item.
  item: (lines) => {
    const begin = lines.findIndex((line) => line.trim() !== "");
    return begin === -1 ? [APART] : [(lines[begin] ?? "").trimStart(), ...lines.slice(begin + 1)];
  },
  quote: quoted,
  fence: fenced,
  code: ticked,
  blocks: true,
  isParted: ({ t }) => t === "quote" || t === "list",
  mention: ({ user, text }) => (user !== null && USER_NAME.test(text) ? text : null),
  emoji: () => null,
};
