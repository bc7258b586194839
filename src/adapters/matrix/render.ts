import { createHash } from "node:crypto";
import { progressAfter } from "./ids.ts";
import type { SharedFile, Style } from "../../contract/content.ts";
import { END, type OpId, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { escapeHtml } from "../../content/html-render.ts";
import { cut } from "../../content/length.ts";
import { type Json, objectIn } from "../kit/json.ts";
import { fileInWords, oneLine } from "../kit/words.ts";
import { type Text, textOf, type TextOptions } from "./text.ts";

/**
 * Bytes of the text of one message: with its formatting, its edits and its envelope it stays within 65536 ("Size
 * limits").
 */
const TEXT_MAX = 16_384;
/** Of the content of an event, as JSON. */
const CONTENT_MAX = 60_000;
/** Of a caption: it is in the message of its file, whose name and formatting take room as well. */
const CAPTION_MAX = 8_192;
/** A part ends at a line or a word when there is one in its last part of this size. */
const TAIL = 2_000;

export interface MatrixRenderOptions extends TextOptions {
  /** Where an earlier attempt ended. */
  readonly resume: Progress | null;
}

interface Place {
  /** Among all parts of the post, from 0. */
  readonly index: number;
  readonly end: Progress;
}

export type MatrixPart = Place &
  (
    | { readonly is: "text"; readonly content: Json }
    | { readonly is: "file"; readonly file: SharedFile; readonly caption: Text; readonly relation: Json }
  );

interface Rendered {
  /** After `resume`. */
  readonly parts: readonly MatrixPart[];
  readonly losses: readonly Loss[];
}

/**
 * A post as messages: its text, in several when it is very long, then each file with its caption. The first one says
 * who speaks.
 */
export function renderPost(draft: PostDraft, options: MatrixRenderOptions): Rendered {
  const losses: Loss[] = [];
  const { body, author } = draft;
  const files = body.files.filter(({ id }) => id !== null);
  const relation = relationOf(draft);
  const words = [textOf(body.blocks, body.source, author, options)];
  const lines = body.files.flatMap((file) => (file.id === null ? [fileInWords(file)] : []));
  const whole = withLines(words[0] ?? NO_TEXT, lines, body.blocks.length > 0);
  const isSaid = body.blocks.length > 0 || lines.length > 0 || files.length === 0;
  const texts = isSaid ? textParts(whole, body.style, losses) : [];
  const count = texts.length + files.length;
  const place = (index: number): Place => ({
    index,
    end: index + 1 === count ? END : progressAfter(index + 1),
  });
  const parts: MatrixPart[] = [];
  for (const content of texts) parts.push({ is: "text", content, ...place(parts.length) });
  for (const file of files) {
    const comment = cut(file.comment, CAPTION_MAX, "bytes");
    if (comment !== file.comment) losses.push({ what: "length", note: "the caption is too long for one message" });
    const caption = textOf(paragraph(comment), null, parts.length === 0 ? author : null, options);
    parts.push({ is: "file", file, caption, relation: {}, ...place(parts.length) });
  }
  const done = options.resume === END ? count : Number(options.resume ?? 0) || 0;
  return { parts: related(parts, relation).slice(done), losses };
}

/** Only the first part answers, or all of them stand in the thread. */
function related(parts: readonly MatrixPart[], relation: Json): readonly MatrixPart[] {
  return parts.map((part, at) => {
    const own = at === 0 ? relation : threadOnly(relation);
    return part.is === "file" ? { ...part, relation: own } : { ...part, content: { ...part.content, ...own } };
  });
}

/** "Rich replies", "Threading". */
function relationOf({ reply, thread }: PostDraft): Json {
  if (thread === null) {
    return reply === null ? {} : { "m.relates_to": { "m.in_reply_to": { event_id: reply.target } } };
  }
  const answered = { event_id: reply?.target ?? thread };
  return {
    "m.relates_to": {
      rel_type: "m.thread",
      event_id: thread,
      is_falling_back: reply === null,
      "m.in_reply_to": answered,
    },
  };
}

function threadOnly(relation: Json): Json {
  const inner = objectIn(relation, "m.relates_to");
  if (inner["rel_type"] !== "m.thread") return {};
  const root = { event_id: inner["event_id"] };
  return { "m.relates_to": { ...inner, is_falling_back: true, "m.in_reply_to": root } };
}

const NO_TEXT: Text = { body: "", html: null, mentions: {} };

function withLines(text: Text, lines: readonly string[], hasWords: boolean): Text {
  if (lines.length === 0) return text;
  const body = text.body + (hasWords ? "\n" : "") + lines.join("\n");
  const html = text.html === null ? null : text.html + (hasWords ? "<br>" : "") + lines.map(escapeHtml).join("<br>");
  return { ...text, body, html };
}

const TYPES: Readonly<Record<Style, string>> = { normal: "m.text", action: "m.emote", notice: "m.notice" };

function textParts(text: Text, style: Style, losses: Loss[]): readonly Json[] {
  const msgtype = TYPES[style];
  if (Buffer.byteLength(text.body) <= TEXT_MAX) {
    const content = textContent(msgtype, text);
    if (fits(content)) return [content];
    losses.push({ what: "format", note: "the formatting does not fit into one message" });
    return [textContent(msgtype, { ...text, html: null })];
  }
  if (text.html !== null) losses.push({ what: "format", note: "a text this long is sent without its formatting" });
  const pieces: Json[] = [];
  for (let at = 0; at < text.body.length;) {
    const piece = pieceAt(text.body, at);
    at += piece.length;
    const first = pieces.length === 0 ? text.mentions : {};
    if (piece.trim() !== "") pieces.push(textContent(msgtype, { body: piece, html: null, mentions: first }));
  }
  return pieces;
}

function pieceAt(text: string, at: number): string {
  const rest = text.slice(at, at + TEXT_MAX);
  const most = cut(rest, TEXT_MAX, "bytes") || rest.slice(0, 64);
  if (at + most.length >= text.length) return most;
  const tail = most.slice(-TAIL);
  const line = tail.lastIndexOf("\n");
  const place = line === -1 ? tail.lastIndexOf(" ") : line;
  return place === -1 ? most : most.slice(0, most.length - tail.length + place + 1);
}

function textContent(msgtype: string, { body, html, mentions }: Text): Json {
  return { msgtype, body, ...formatted(html), "m.mentions": mentions };
}

const formatted = (html: string | null): Json =>
  html === null ? {} : { format: "org.matrix.custom.html", formatted_body: html };

/** An edit holds it twice. */
const fits = (content: Json): boolean => Buffer.byteLength(JSON.stringify(content)) * 2 <= CONTENT_MAX;

export interface Media {
  readonly mxc: string;
  readonly mime: string;
  readonly bytes: number;
  readonly size: { readonly w: number; readonly h: number } | null;
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^image\/(?!svg)/u, "m.image"],
  [/^video\//u, "m.video"],
  [/^audio\//u, "m.audio"],
];

/** A message with a file; `body` is its caption where it differs from the name ("Media captions", v1.10). */
export function fileContent(name: string, caption: Text, { mxc, mime, bytes, size }: Media): Json {
  const filename = oneLine(name).trim() || "file";
  const hasCaption = caption.body.trim() !== "";
  return {
    msgtype: KINDS.find(([pattern]) => pattern.test(mime))?.[1] ?? "m.file",
    body: hasCaption ? caption.body.trimEnd() : filename,
    filename,
    ...(hasCaption && formatted(caption.html)),
    url: mxc,
    info: { mimetype: mime, size: bytes, ...size },
    "m.mentions": caption.mentions,
  };
}

/** "Event replacements": the new content, and a text for programs that do not know edits. */
export function editContent(target: string, content: Json): Json {
  const { "m.relates_to": _, ...next } = content;
  const { format: __, formatted_body: ___, ...plain } = next;
  const body = cut(`* ${String(content["body"])}`, 4_096, "bytes");
  return {
    ...plain,
    body,
    "m.mentions": {},
    "m.new_content": next,
    "m.relates_to": { rel_type: "m.replace", event_id: target },
  };
}

export function paragraph(text: string): PostDraft["body"]["blocks"] {
  return text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
}

/** The transaction of a part of an op: the same over every retry. */
export function txnOf(op: OpId, part: string): string {
  return `rialto-${createHash("sha256")
    .update(JSON.stringify([op, part]))
    .digest("base64url")
    .slice(0, 32)}`;
}
