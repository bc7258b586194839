import type { Block } from "../contract/content.ts";
import { emojiNamed } from "./emoji-names.ts";
import { cut } from "./length.ts";
import { isLinkable } from "./links.ts";
import { plainText } from "./plain.ts";
import { type SlackSaid, slackTree } from "./slack-blocks.ts";
import { parseSlackWords } from "./slack-inline.ts";
import { decodeSlack, escapeSlack, NO_NAMES, type SlackNames, slackTokenAt, textOf } from "./slack-tokens.ts";
import { type SlackWriting, urlParts, writeSlack } from "./slack-write.ts";

/**
 * The source text of the format `slack` is mrkdwn that is read back as the tree that it was written for, whatever that
 * came from: people's clients send blocks, and programs mrkdwn or blocks. In it mentions have their names, because ids
 * mean nothing elsewhere (`<@U1|Alice>`); signs that would mean something are numbers (`&#42;`), and all others stay;
 * `<>` is nothing and keeps apart what is beside it; `<u>` and `</u>` stand around what is underlined; `<!lang^ts>`
 * names the language of code. The network has none of these, so that they mean nothing else. It is no text for the
 * network: blocks are written for that.
 */

/** Code points of one message: people have 40 000 at most. */
const WORDS_MAX = 65_536;

/** What a message says, as source text; empty: nothing that people read. */
export function slackSource(said: SlackSaid, names: SlackNames): string {
  const blocks = slackTree(said, names);
  const words = plainText(blocks);
  if (words.trim() === "") return "";
  const most = cut(words, WORDS_MAX, "codepoints");
  return most.length < words.length
    ? `${protectSlackSource(most)}… (the rest is too long)`
    : writeSlack(blocks, SOURCE_WRITING);
}

/** Words that mean nothing, as source text. */
export function protectSlackSource(words: string): string {
  return writeSlack([{ t: "para", of: [textOf(words)] }], SOURCE_WRITING);
}

/** A tree as source text. */
export function writeSlackSource(blocks: readonly Block[]): string {
  return writeSlack(blocks, SOURCE_WRITING);
}

/** Whose names a message needs. */
export interface SlackIds {
  readonly users: readonly string[];
  readonly channels: readonly string[];
  readonly groups: readonly string[];
}

/** Of each kind. */
const IDS_MAX = 100;

export function slackIdsIn(said: SlackSaid): SlackIds {
  const ids = { users: new Set<string>(), channels: new Set<string>(), groups: new Set<string>() };
  const note = (set: Set<string>) => (id: string) => {
    if (set.size < IDS_MAX) set.add(id);
    return null;
  };
  slackTree(said, { user: note(ids.users), channel: note(ids.channels), group: note(ids.groups) });
  return { users: [...ids.users], channels: [...ids.channels], groups: [...ids.groups] };
}

/** A source text as people write it who know no ids: with its marks, but without tokens and entities. */
export function writtenSlack(source: string): string {
  const parts = source.split(/(<[^<>\n]{0,8000}>)/);
  return parts.map((part, at) => (at % 2 === 0 ? decodeSlack(part) : wordsOfToken(part))).join("");
}

const wordsOfToken = (token: string): string =>
  /^<(?:\/?u|!lang\^[^>]*)?>$/.test(token) ? "" : plainText([{ t: "para", of: parseSlackWords(token, NO_NAMES) }]);

const SOURCE_WRITING: SlackWriting = {
  apart: "<>",
  parted: "<>",
  quote: ">",
  text: (text, marks) =>
    urlParts(text)
      .map(({ isUrl, part }) => (isUrl ? `<${escaped(part)}>` : literal(part, marks)))
      .join(""),
  code: (text) => escaped(text),
  pre: (text) => escaped(text),
  emoji: (text) => (EMOJI.test(text) && emojiNamed(text.slice(1, -1)) === null ? text : null),
  mention: ({ user, text }) => {
    const name = text.slice(1);
    if (user === null || !/^[UW][A-Z0-9]{1,40}$/.test(user) || !text.startsWith("@") || name.trim() === "") return null;
    return `<@${user}|${escaped(name.replaceAll("\n", " "))}>`;
  },
  underline: (written) => `<u>${written}</u>`,
  link: (href, words) => {
    if (!isLinkable(href) || words.includes("\n")) return null;
    return words === "" ? `<${escaped(href)}>` : `<${escaped(href)}|${escaped(words)}>`;
  },
  lang: (lang) => `<!lang^${lang}>`,
  blocks: true,
  begins: /^(?:>| *(?:[•◦▪▫]|\d{1,9}\.))/,
};

const EMOJI = /^:(?=.*\p{L})[\p{L}\p{N}_+'-]{1,100}:$/u;

/** Within tokens and code. */
const escaped = (text: string): string => escapeSlack(text).replaceAll(/[`|]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * Text in which no sign means anything; those that mean nothing where they are stay, so that settings find `<nick>` as
 * it was typed. `marks`: none of these may stand here at all.
 */
function literal(text: string, marks: ReadonlySet<string>): string {
  return text.replaceAll(/[&<*_~`:]/g, (sign, at: number) =>
    isMeant(text, at, sign, marks) ? `&#${sign.charCodeAt(0)};` : sign,
  );
}

function isMeant(text: string, at: number, sign: string, marks: ReadonlySet<string>): boolean {
  switch (sign) {
    case "&":
      return /^&(?:$|[#a-z]\w{0,5}(?:;|$))/.test(text.slice(at, at + 8));
    case "<":
      return (
        !startsWith(text, at, CLOSED) || slackTokenAt(text, at, NO_NAMES) !== null || startsWith(text, at, UNDERLINED)
      );
    case ":":
      return startsWith(text, at, CODE);
    case "`":
      return true;
    default:
      return marks.has(sign) || !(beside(text, at, /^[\p{L}\p{N}]$/u) || beside(text, at, /^\s$/));
  }
}

const CLOSED = /<[^<>\n]*>/y;
const UNDERLINED = /<\/?u>/y;
const CODE = /:[\p{L}\p{N}_+'-]{1,100}:/uy;

function startsWith(text: string, at: number, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Whether what stands on both sides is so. */
const beside = (text: string, at: number, isSo: RegExp): boolean =>
  isSo.test(text.charAt(at - 1)) && isSo.test(text.charAt(at + 1));
