import { createHash } from "node:crypto";
import { progressAfter } from "./ids.ts";
import type { Block, SharedFile, Spoiler, Style } from "../../contract/content.ts";
import { END, type OpId, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { escapeHtml } from "../../content/html-render.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { cut } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { type Json, objectIn } from "../kit/json.ts";
import { pack } from "../kit/pack.ts";
import { fileInWords, oneLine, paraOf } from "../kit/words.ts";
import { NO_NAME, nameOf, type Text, textOf, type TextOptions, withPeople, writtenText } from "./text.ts";

/**
 * Bytes of the text of one message: with its formatting, its edits and its envelope it stays within 65536 ("Size
 * limits").
 */
const TEXT_MAX = 16_384;
/** Of the content of an event, as JSON. */
const CONTENT_MAX = 60_000;
/** Of a caption: it is in the message of its file, whose name and formatting take room as well. */
const CAPTION_MAX = 8_192;

export interface MatrixRenderOptions extends TextOptions {
  /** Where an earlier attempt ended. */
  readonly resume: Progress | null;
  /** A hidden file goes as a link, if it has an address. */
  readonly linksHidden?: boolean;
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
  const isLink = ({ spoiler, url }: SharedFile): boolean =>
    options.linksHidden === true && spoiler !== undefined && url !== null;
  const files = body.files.filter((file) => file.id !== null && !isLink(file));
  const relation = relationOf(draft);
  const lines = body.files.filter((file) => !files.includes(file)).map(lineOf);
  const isSaid = body.blocks.length > 0 || lines.length > 0 || files.length === 0;
  const texts = isSaid ? textParts(draft, lines, options, losses) : [];
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

/** A file in words. */
interface Line {
  readonly words: string;
  /** Null: the words say it all. */
  readonly html: string | null;
}

/** Clients make no previews of links within code. */
function lineOf(file: SharedFile): Line {
  const { url, spoiler } = file;
  const words = fileInWords(file);
  if (spoiler === undefined || url === null) return { words, html: null };
  const reason = spoiler === true ? "" : `="${escapeHtml(oneLine(spoiler))}"`;
  const link = `<code><a href="${escapeHtml(url)}">${escapeHtml(hiddenWords({ ...file, spoiler: true }))}</a></code>`;
  return { words, html: `<span data-mx-spoiler${reason}>${link}</span>` };
}

function withLines(text: Text, lines: readonly Line[], { hasWords, isHtml }: Layout): Text {
  if (lines.length === 0) return text;
  const body = text.body + (hasWords ? "\n" : "") + lines.map(({ words }) => words).join("\n");
  if (text.html === null && (!isHtml || lines.every(({ html }) => html === null))) return { ...text, body };
  const before = text.html ?? escapeHtml(text.body).replaceAll("\n", "<br>");
  const shown = lines.map(({ words, html }) => html ?? escapeHtml(words)).join("<br>");
  return { ...text, body, html: before + (hasWords ? "<br>" : "") + shown };
}

interface Layout {
  readonly hasWords: boolean;
  readonly isHtml: boolean;
}

const TYPES: Readonly<Record<Style, string>> = { normal: "m.text", action: "m.emote", notice: "m.notice" };

/** In several messages where one does not take it, each with its own formatting and mentions. */
function textParts(
  { body, author }: PostDraft,
  lines: readonly Line[],
  options: TextOptions,
  losses: Loss[],
): readonly Json[] {
  const content = (text: Text): Json => textContent(TYPES[body.style], text);
  const text = textOf(body.blocks, body.source, author, options);
  const isHtml = options.html;
  const whole = content(withLines(text, lines, { hasWords: body.blocks.length > 0, isHtml }));
  if (sizeOf(whole) <= TEXT_MAX) return [whole];
  const [plain, hidden] = [lines.filter(({ html }) => html === null), lines.filter(({ html }) => html !== null)];
  const said = plain.map(({ words }) => words).join("\n");
  const blocks = [...withPeople(body.blocks, options), ...(said === "" ? [] : [paraOf(said)])];
  const name = nameOf(author, options.textIdentity);
  const part = (of: readonly Block[], isFirst: boolean): Json =>
    content(writtenText(of, null, isFirst ? name : NO_NAME, options));
  const nameSize = Buffer.byteLength(name.plain + name.html);
  const limits = { textMax: TEXT_MAX, firstMax: TEXT_MAX - nameSize, unit: "bytes" } as const;
  const parts = pack(blocks, { ...limits, sizeOf: (some) => sizeOf(part(some, false)) }, losses)
    .filter(({ of }) => plainText(of).trim() !== "")
    .map(({ of }, at) => part(of, at === 0));
  const nothing: Text = { body: "", html: null, mentions: {} };
  return hidden.length === 0 ? parts : [...parts, content(withLines(nothing, hidden, { hasWords: false, isHtml }))];
}

/** In bytes of its words; what formatting takes beside them counts in their measure. An edit holds it twice. */
function sizeOf(content: Json): number {
  const share = Math.ceil((Buffer.byteLength(JSON.stringify(content)) * 2 * TEXT_MAX) / CONTENT_MAX);
  return Math.max(Buffer.byteLength(String(content["body"])), share);
}

function textContent(msgtype: string, { body, html, mentions }: Text): Json {
  return { msgtype, body, ...formatted(html), "m.mentions": mentions };
}

const formatted = (html: string | null): Json =>
  html === null ? {} : { format: "org.matrix.custom.html", formatted_body: html };

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

/**
 * A message with a file; `body` is its caption where it differs from the name ("Media captions", v1.10). `asFile`: a
 * file to download, which no client shows.
 */
export function fileContent(
  { name, spoiler }: Pick<SharedFile, "name" | "spoiler">,
  caption: Text,
  { mxc, mime: own, bytes, size }: Media,
  asFile = false,
): Json {
  const filename = oneLine(name).trim() || "file";
  const hasCaption = caption.body.trim() !== "";
  const mime = asFile ? "application/octet-stream" : own;
  return {
    msgtype: KINDS.find(([pattern]) => pattern.test(mime))?.[1] ?? "m.file",
    body: hasCaption ? caption.body.trimEnd() : filename,
    filename,
    ...(hasCaption && formatted(caption.html)),
    url: mxc,
    info: { mimetype: mime, size: bytes, ...(!asFile && size) },
    "m.mentions": caption.mentions,
    ...(spoiler !== undefined && spoilerFields(spoiler)),
  };
}

/** MSC4193, and MSC3725 for clients that know only that. */
function spoilerFields(spoiler: Spoiler): Json {
  const reason = spoiler === true ? "" : oneLine(spoiler).trim();
  return {
    [SPOILER]: true,
    ...(reason !== "" && { [`${SPOILER}.reason`]: reason }),
    "town.robin.msc3725.content_warning": {
      type: "town.robin.msc3725.spoiler",
      ...(reason !== "" && { description: reason }),
    },
  };
}

const SPOILER = "page.codeberg.everypizza.msc4193.spoiler";

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
