import { crc32 } from "node:zlib";
import { progressAt } from "./ids.ts";
import type { Body, SharedFile } from "../../contract/content.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { changeCodes, formatAt, PLAIN, readCode, RESET, samePlain } from "../../content/irc-codes.ts";
import { renderIrc } from "../../content/irc-render.ts";
import { withoutControls, wordsOf } from "../../content/irc.ts";
import { parseMarkdown } from "../../content/markdown-parse.ts";
import { plainText } from "../../content/plain.ts";
import { readableSize } from "../../lib/readable-size.ts";
import type { Charset } from "./wire/charset.ts";
import { formatCtcp } from "./wire/ctcp.ts";
import { estimateLines, fittingEnd, type Piece, type SplitOptions, splitText } from "./sending/split.ts";

export interface IrcRenderOptions {
  readonly colorNicks: boolean;
  readonly stripMarkdown: boolean;
  /** Most lines of one post. */
  readonly messageLines: number;
  /** Room for the last parameter of one line, as `textRoom` has it. */
  readonly lineBytes: number;
  /** Most bytes of text in it, without the name. */
  readonly textBytes: number;
  readonly charset: Charset;
  /** Where an earlier attempt ended. */
  readonly resume: Progress | null;
  /** Link to the whole text, for when not all of it has room; null: there is none. */
  readonly rest: string | null;
}

export interface Rendered {
  readonly command: "PRIVMSG" | "NOTICE";
  /** Empty when nothing is left to send. */
  readonly lines: readonly RenderedLine[];
  readonly losses: readonly Loss[];
}

export interface RenderedLine {
  /** The last parameter of the command. */
  readonly text: string;
  /** `Attempt.sending` and `sent` take it; END for the last line. */
  readonly end: Progress;
}

/**
 * A post as lines for one channel, each with the author's shown name before it; files follow the text. An offset into
 * the text without those names is the progress, so it holds over a change of our name, of the line length or of the
 * mode.
 */
export function renderPost(draft: PostDraft, options: IrcRenderOptions): Rendered {
  const { body, author } = draft;
  const losses: Loss[] = [];
  const text = [bodyText(body, options), ...body.files.map((file) => fileLine(file, losses))]
    .filter(Boolean)
    .join("\n");
  // Below this there is no room for words: better a line that the server cuts.
  const lineBytes = Math.max(options.lineBytes, LINE_MIN);
  const name = author === null ? "" : namePrefix(author, lineBytes, options, losses);
  const line = (piece: string): string => (body.style === "action" ? formatCtcp("ACTION", name + piece) : name + piece);
  const bytesPerLine = Math.min(options.textBytes, lineBytes - options.charset.measure(line(".")) + 1);
  const pieces = limitedPieces(text, { ...options, bytesPerLine }, losses);
  return {
    command: body.style === "notice" ? "NOTICE" : "PRIVMSG",
    lines: fitted(
      pieces.map((piece) => line(piece.text)),
      options.charset,
      losses,
    ).map((fit, index) => ({
      text: fit,
      end: index === pieces.length - 1 ? END : progressAt(pieces[index]?.end ?? 0),
    })),
    losses,
  };
}

/**
 * Bytes that are left for the text when the server passes the line on: `:nick!user@host PRIVMSG #channel :text` and
 * CRLF.
 */
export function textRoom(line: {
  /** Of a whole line, CRLF included. */
  readonly lineBytes: number;
  /** Our `nick!user@host`. */
  readonly prefix: string;
  readonly command: string;
  readonly target: string;
}): number {
  return line.lineBytes - Buffer.byteLength(`:${line.prefix} ${line.command} ${line.target} :\r\n`);
}

/** A topic as one line of at most so many bytes. */
export function renderTopic(
  topic: string,
  charset: Charset,
  maxBytes: number,
): { readonly text: string; readonly losses: readonly Loss[] } {
  const losses: Loss[] = [];
  const whole = withoutControls(topic).replaceAll(/\s+/gu, " ").trim();
  const [fit = ""] = fitted([whole], charset, losses);
  const text = fit.slice(0, fittingEnd(fit, maxBytes, charset.measure)).trimEnd();
  if (text !== fit) losses.push({ what: "length", note: `topics have at most ${maxBytes} bytes here` });
  return { text, losses };
}

const LINE_MIN = 64;

function bodyText(body: Body, options: IrcRenderOptions): string {
  // oxlint-disable-next-line eslint/no-control-regex -- these would end the line or make it a CTCP; all else passes untouched
  if (body.source.format === "irc") return body.source.text.replaceAll(/[\r\0\x01]/g, "");
  if (!options.stripMarkdown) return renderIrc(body.blocks);
  // Markdown that came as plain text goes as well.
  const blocks = body.source.format === "plain" ? parseMarkdown(body.source.text) : body.blocks;
  return wordsOf(plainText(blocks));
}

function fileLine(file: SharedFile, losses: Loss[]): string {
  const name = file.spoiler === undefined ? oneLine(file.name) : `(${oneLine(hiddenWords(file))})`;
  if (file.url !== null) {
    if (file.spoiler !== undefined) return `${name} ${oneLine(file.url)}`;
    const what = oneLine(file.comment) || name;
    return what === "" ? oneLine(file.url) : `${what}: ${oneLine(file.url)}`;
  }
  const why = file.missing === null ? "" : `: ${oneLine(file.missing)}`;
  losses.push({ what: "file", note: `${name} has no public link${why}` });
  const size = file.bytes === null ? "" : ` (${readableSize(file.bytes)})`;
  const comment = oneLine(file.comment);
  return `${comment === "" ? "" : `${comment}: `}${name}${size} was shared, but has no public link${why}`;
}

function oneLine(text: string): string {
  return withoutControls(text).replaceAll("\n", " ").trim();
}

/** Characters that one note names. */
const NAMED_MAX = 16;

function fitted(lines: readonly string[], charset: Charset, losses: Loss[]): readonly string[] {
  const fits = lines.map((line) => charset.fit(line));
  const lost = new Set(fits.flatMap((fit) => fit.lost));
  if (lost.size > 0) {
    const some = [...lost].slice(0, NAMED_MAX).join(" ");
    losses.push({ what: "charset", note: `${charset.name} has no ${some} and shows "?" instead` });
  }
  return fits.map((fit) => fit.text);
}

/** What comes before each line: at most half of it. */
function namePrefix(author: OpAuthor, lineBytes: number, options: IrcRenderOptions, losses: Loss[]): string {
  const shown = safeName(author.shown);
  const whole = shown.trimEnd();
  const name = whole.slice(0, fittingEnd(whole, Math.floor(lineBytes / 2) - EXTRA_BYTES, options.charset.measure));
  if (name !== whole) losses.push({ what: "identity", note: "the name is longer than half a line, and was cut" });
  // The space before the text is not coloured, and outlives a cut.
  const space = " ".repeat(Math.min(shown.length - whole.length, SPACES_MAX));
  if (name === "") return space;
  const end = samePlain(formatAt(name, 0, name.length, PLAIN)) ? "" : RESET;
  if (!options.colorNicks) return name + end + space;
  const fore = String((crc32(author.name) % 14) + 2).padStart(2, "0");
  return changeCodes(PLAIN, { ...PLAIN, fore }, name) + name + RESET + space;
}

const SPACES_MAX = 4;
/** The colour, its guard and the reset; the spaces. */
const EXTRA_BYTES = 6 + SPACES_MAX;

/**
 * A line break in RemoteNickFormat is a space, as nothing keeps lines together here. A name may carry formatting codes,
 * as RemoteNickFormat may; any other control character could end the line or make it a CTCP.
 */
function safeName(shown: string): string {
  return shown
    .replaceAll(/[\r\n]+/gu, " ")
    .replaceAll(/\p{Cc}/gu, (character) => (readCode(character, 0, PLAIN) === null ? "" : character));
}

/** The pieces after `resume`, never more than `messageLines` in all: what is too much is counted in the last one. */
function limitedPieces(whole: string, options: IrcRenderOptions & SplitBytes, losses: Loss[]): readonly Piece[] {
  const { messageLines, resume, rest, bytesPerLine } = options;
  if (resume === END) return [];
  const split = { bytesPerLine, measure: options.charset.measure };
  // A code unit takes at least one byte: what is after this can only be counted.
  const text = whole.slice(0, messageLines * bytesPerLine + BLANK_MAX);
  const isCut = whole.slice(text.length).trim() !== "";
  const from = Math.min(Number(resume ?? 0) || 0, text.length);
  const sent = from === 0 ? 0 : take(splitText(text, 0, split), messageLines).filter(({ end }) => end <= from).length;
  const most = Math.max(messageLines - sent, 1);
  const pieces = take(splitText(text, from, split), most + 1);
  if (pieces.length <= most && !isCut) return pieces;
  const kept = pieces.slice(0, Math.max(most - 1, messageLines > 1 ? 0 : 1));
  const end = kept.at(-1)?.end ?? from;
  const scale = isCut ? (whole.length - end) / Math.max(text.length - end, 1) : 1;
  const more = Math.max(Math.ceil(estimateLines(text, end, split) * scale), 1);
  const note = more === 1 ? "1 more line" : `${isCut ? "about " : ""}${more} more lines`;
  const last =
    rest !== null && split.measure(`(${note}: ${rest})`) <= bytesPerLine ? `(${note}: ${rest})` : `(${note})`;
  const where = messageLines > 1 && last.includes(": ") ? "only as a link" : "left out";
  losses.push({ what: "length", note: `${note} ${where}: MessageLines is ${messageLines}` });
  return messageLines > 1 ? [...kept, { text: last, end: text.length }] : kept;
}

/** Spaces, line breaks and codes between the lines of one text. */
const BLANK_MAX = 64 * 1024;

type SplitBytes = Pick<SplitOptions, "bytesPerLine">;

function take<T>(items: Iterable<T>, most: number): readonly T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.push(item) >= most) break;
  }
  return taken;
}
