import { emojiNamed } from "./emoji-names.ts";

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
  return piecesOf(text, format)
    .map(({ piece, isCode }) => (isCode ? piece : replaceInWords(piece)))
    .join("");
}

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
const CODE_TAGS = new Set(["code", "pre"]);

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
const ADDRESS = /:\/\/|^[^\p{L}\p{N}]*(?:www\.|mailto:)/iu;
/** Beside these a code is a part of something longer. A sign that only changes the emoji before it is no letter. */
const APART = String.raw`[[\p{L}\p{N}\p{M}:\/\\@=%&]--[\u{fe0f}\u{20e3}\u{1f3fb}-\u{1f3ff}]]`;
const CODES = new RegExp(String.raw`(?<!${APART}_{0,2})(?::[^\s:]{1,${NAME_CHARS}}:)+(?!_{0,2}${APART})`, "gv");
const CODE = /:([^\s:]+):/gu;

function replaceInWords(text: string): string {
  return text.replaceAll(WORD, (word) => {
    if (!word.includes(":")) return word;
    const at = ADDRESS.exec(word)?.index ?? word.length;
    return replaceCodes(word.slice(0, at)) + word.slice(at);
  });
}

const replaceCodes = (text: string): string =>
  text.replaceAll(CODES, (codes) => codes.replaceAll(CODE, (code, name: string) => emojiNamed(name) ?? code));
