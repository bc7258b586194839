import type { Block, Inline } from "../contract/content.ts";
import { emojiNamed } from "./emoji-names.ts";
import { parse } from "./formats.ts";

/** A longer text is a document and not something said: it stays as it is, so that no message delays the others. */
const SCANNED_CHARS = 64 * 1024;
const NAME_CHARS = 64;

/**
 * Short codes that stand alone become emoji: `:smile:` between spaces, punctuation or other codes. A code within a
 * word, a number, an address, code or the markup of its format stays as it is. `format`: a name of
 * `content/formats.ts`.
 */
export function replaceStandingCodes(text: string, format: string): string {
  if (text.length > SCANNED_CHARS || !text.includes(":")) return text;
  const pieces = piecesOf(text, format);
  let count = 0;
  const marked = replaceInPieces(pieces, () => String.fromCodePoint(MARK + count++));
  if (count === 0) return text;
  const kept = new Set(unspoken(parse(format, marked)).join(""));
  let at = MARK;
  return replaceInPieces(pieces, (emoji, code) => (kept.has(String.fromCodePoint(at++)) ? code : emoji));
}

/**
 * Private characters, more of them than codes that fit into a scanned text. They stand for the codes while the text is
 * read, because only the reader of a format knows all that is code or an address there.
 */
const MARK = 0x100000;

/** What readers of a text do not take for words. */
function unspoken(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block): readonly string[] => {
    switch (block.t) {
      case "para":
      case "heading":
        return block.of.flatMap(unspokenIn);
      case "pre":
        return [block.text];
      case "quote":
        return unspoken(block.of);
      case "list":
        return block.items.flatMap(unspoken);
    }
  });
}

function unspokenIn(inline: Inline): readonly string[] {
  if (inline.t === "code") return [inline.text];
  if (!("of" in inline)) return [];
  const inner = inline.of.flatMap(unspokenIn);
  return inline.t === "link" ? [inline.href, ...inner] : inner;
}

type Change = (emoji: string, code: string) => string;

const replaceInPieces = (pieces: readonly Piece[], change: Change): string =>
  pieces.map(({ piece, isCode }) => (isCode ? piece : replaceInWords(piece, change))).join("");

interface Piece {
  readonly piece: string;
  /** Code or markup, in which nothing is replaced. */
  readonly isCode: boolean;
}

function piecesOf(text: string, format: string): readonly Piece[] {
  if (format === "html") return htmlPieces(text);
  const pieces = codePieces(text);
  return format === "irc" ? pieces.flatMap((each) => (each.isCode ? each : ircPieces(each.piece))) : pieces;
}

const RUN = /`+/g;

/** Between backticks is code: as many of them as have opened it end it. The text is gone through once. */
function codePieces(text: string): readonly Piece[] {
  const runs = Array.from(text.matchAll(RUN), ({ 0: run, index }) => ({ at: index, length: run.length }));
  const next = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { length = 0 } = runs[index] ?? {};
    closing[index] = next.get(length) ?? -1;
    next.set(length, index);
  }
  const pieces: Piece[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const [open, close] = [runs[index], runs[closing[index] ?? -1]];
    if (open === undefined || close === undefined || text[open.at - 1] === "\\") continue;
    const end = close.at + close.length;
    pieces.push({ piece: text.slice(from, open.at), isCode: false }, { piece: text.slice(open.at, end), isCode: true });
    from = end;
    index = closing[index] ?? index;
  }
  return [...pieces, { piece: text.slice(from), isCode: false }];
}

const TAG = /<(?<end>\/?)(?<name>[a-z][a-z0-9]*)?[^<>]*>/giu;
const CODE_TAGS = new Set(["code", "kbd", "pre", "samp", "tt"]);

/** Tags hold addresses. */
function htmlPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let [from, depth] = [0, 0];
  for (const { 0: tag, index, groups } of text.matchAll(TAG)) {
    pieces.push({ piece: text.slice(from, index), isCode: depth > 0 }, { piece: tag, isCode: true });
    if (CODE_TAGS.has(groups?.["name"]?.toLowerCase() ?? ""))
      depth = Math.max(0, depth + (groups?.["end"] === "" ? 1 : -1));
    from = index + tag.length;
  }
  return [...pieces, { piece: text.slice(from), isCode: depth > 0 }];
}

const IRC_CODE =
  // oxlint-disable-next-line eslint/no-control-regex -- the codes
  /\u0003(?:\d{1,2}(?:,\d{1,2})?)?|\u0004(?:[\da-f]{6}(?:,[\da-f]{6})?)?|[\u0002\u000f\u0011\u0016\u001d-\u001f]/giu;

/** Formatting codes, of which some end with digits, and what is monospace between them. */
function ircPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let isMonospace = false;
  for (const { 0: code, index } of text.matchAll(IRC_CODE)) {
    pieces.push({ piece: text.slice(from, index), isCode: isMonospace }, { piece: code, isCode: true });
    if (code === "\u0011") isMonospace = !isMonospace;
    if (code === "\u000f") isMonospace = false;
    from = index + code.length;
  }
  return [...pieces, { piece: text.slice(from), isCode: isMonospace }];
}

/** What white space parts: an address has none. */
const WORD = /\S+/gu;
/** An address begins with its scheme, or with the name of a host. */
const ADDRESS =
  /:\/\/|^[^\p{L}\p{N}]*(?:www\.|(?:data|geo|magnet|mailto|matrix|sip|tel|urn|xmpp):|[\p{L}\p{N}.-]+\.\p{L}{2,}[/?#])/iu;
/** Beside these a code is a part of something longer. A sign that only changes the emoji before it is no letter. */
const APART = String.raw`[[\p{L}\p{N}\p{M}:\/\\@=%&]--[\u{fe0f}\u{20e3}\u{1f3fb}-\u{1f3ff}]]`;
/** Punctuation, as HTML and Slack write it. */
const ENTITY = "&(?:lt|gt|quot|apos|nbsp|#(?:34|39|x27));";
const CODES = new RegExp(
  String.raw`(?<!${APART}_{0,2})(?::[^\s:]{1,${NAME_CHARS}}:)+(?!_{0,2}(?!${ENTITY})${APART})`,
  "gv",
);
const CODE = /:([^\s:]+):/gu;

function replaceInWords(text: string, change: Change): string {
  return text.replaceAll(WORD, (word) => {
    if (!word.includes(":")) return word;
    const at = ADDRESS.exec(word)?.index ?? word.length;
    return replaceCodes(word.slice(0, at), change) + word.slice(at);
  });
}

function replaceCodes(text: string, change: Change): string {
  return text.replaceAll(CODES, (codes) =>
    codes.replaceAll(CODE, (code, name: string) => {
      const emoji = emojiNamed(name);
      return emoji === null ? code : change(emoji, code);
    }),
  );
}
