import { createHash } from "node:crypto";
import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import { END, type OpId, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { cut, measure } from "../../content/length.ts";
import { protectWords, withoutNames } from "../../content/mattermost-protect.ts";
import { renderMattermost } from "../../content/mattermost-render.ts";
import { plainText } from "../../content/plain.ts";
import { progressAt } from "./ids.ts";
import { namesIn, oneLine, paraOf, withPeople } from "./text.ts";

/** Servers take so many files with one post. */
const FILES_MAX = 10;
const NAME_MAX = 256;
/** A part ends at a line or a word when there is one in its last part of this size. */
const TAIL = 500;
/** Before it is protected, a piece of this share of a post fits as a rule. */
const ROOM = 0.9;

/** A file of the draft, and what became of it. */
export interface RenderedFile {
  readonly file: SharedFile;
  /** On the server; null: it is said in words, for the reason of `file.missing`. */
  readonly id: string | null;
}

export interface RenderOptions {
  /** Code points of one post. */
  readonly textMax: number;
  /** The name comes before the text: the post itself does not show it. */
  readonly prefix: boolean;
  /** User names of members whom the text may mean, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly files: readonly RenderedFile[];
}

export interface PostPart {
  readonly end: Progress;
  readonly message: string;
  readonly fileIds: readonly string[];
}

interface RenderedPost {
  readonly parts: readonly PostPart[];
  readonly losses: readonly Loss[];
}

/** A post as posts of Mattermost: its text, in several when it is very long; its files come with the last of them. */
export function renderPost(draft: PostDraft, options: RenderOptions): RenderedPost {
  const losses: Loss[] = [];
  // Databases of servers take neither broken UTF-16 nor the character 0.
  const texts = textsOf(draft, options, losses).map((text) => text.toWellFormed().replaceAll("\0", "\ufffd"));
  const ids = options.files.flatMap(({ id }) => (id === null ? [] : [id]));
  const groups = Array.from({ length: Math.ceil(ids.length / FILES_MAX) }, (_, at) =>
    ids.slice(at * FILES_MAX, (at + 1) * FILES_MAX),
  );
  const last = texts.at(-1);
  const bare: readonly Omit<PostPart, "end">[] = [
    ...texts.slice(0, -1).map((message) => ({ message, fileIds: [] })),
    ...(last === undefined ? [] : [{ message: last, fileIds: groups.shift() ?? [] }]),
    ...groups.map((fileIds) => ({ message: "", fileIds })),
  ];
  const parts = bare.map(({ message, fileIds }, at) => {
    const end = at === bare.length - 1 ? END : progressAt(String(at + 1));
    return { end, message, fileIds };
  });
  return { parts, losses };
}

/** What of a post is left to send. */
export function partsAfter(parts: readonly PostPart[], resume: Progress | null): readonly PostPart[] {
  return resume === END ? [] : parts.slice(Number(resume ?? 0) || 0);
}

function textsOf(draft: PostDraft, options: RenderOptions, losses: Loss[]): readonly string[] {
  const { textMax, files } = options;
  const lines = files.flatMap(fileLines);
  const isSaid = draft.body.blocks.length > 0 || lines.length > 0 || (options.prefix && draft.author !== null);
  if (!isSaid) return files.some(({ id }) => id !== null) ? [] : [""];
  const whole = untouched(draft, options, lines);
  if (whole !== null && measure(whole, "codepoints") <= textMax) return [whole];
  const blocks = [...spoken(draft, options), ...(lines.length === 0 ? [] : [paraOf(lines.join("\n"))])];
  const text = renderMattermost(blocks);
  if (measure(text, "codepoints") <= textMax) return [text];
  return packed(blocks, textMax, losses);
}

/** A text that is in the server's own format stays as it was written. */
function untouched(
  { author, body, mayPing }: PostDraft,
  options: RenderOptions,
  lines: readonly string[],
): string | null {
  if (body.source.format !== "mattermost" || body.style !== "normal") return null;
  const isKnown = (name: string): boolean => {
    const meant = [name, name.replace(/[._-]+$/, "")].map((one) => one.toLowerCase());
    const isEverybody = mayPing.everyone && meant.some((one) => /^(?:all|channel|here|everyone)$/.test(one));
    return isEverybody || (mayPing.users && meant.some((one) => options.names.has(one)));
  };
  const name = author !== null && options.prefix ? protectWords(shownName(author.shown)) : "";
  const text = withoutNames(body.source.text, isKnown);
  const begins = /^(?:\s*(?:[>#|*+-]|\d+\.|```|~~~)| {4}|\t)/.test(text);
  const said = name !== "" && begins ? `${name.trimEnd()}\n${text}` : name + text;
  return [said, ...lines.map((line) => protectWords(line))].filter((part) => part !== "").join("\n");
}

const shownName = (shown: string): string => cut(oneLine(shown), NAME_MAX, "codepoints");
const textOf = (text: string): Inline => ({ t: "text", text });

/** The text with who says it, and as what. */
function spoken({ author, body, mayPing }: PostDraft, { prefix, names }: RenderOptions): readonly Block[] {
  const blocks = withPeople(body.blocks, mayPing, names);
  const name = author === null || !prefix ? "" : shownName(author.shown);
  const [first, ...rest] = blocks;
  const named: readonly Block[] =
    name === ""
      ? blocks
      : first?.t === "para"
        ? [{ t: "para", of: [textOf(name), ...first.of] }, ...rest]
        : [paraOf(name.trimEnd()), ...blocks];
  if (body.style !== "action") return named;
  return named.map((block) => (block.t === "para" ? { t: "para", of: [{ t: "italic", of: block.of }] } : block));
}

/** The caption of a file; one that is not there is a link, or is named at least. */
function fileLines({ file, id }: RenderedFile): readonly string[] {
  const [title, words] = [oneLine(file.name).trim(), oneLine(file.comment).trim()];
  if (id !== null) return words === "" ? [] : [words];
  if (file.url !== null) return [`${words || title || "file"}: ${oneLine(file.url)}`];
  const why = file.missing === null ? "" : ` (${oneLine(file.missing)})`;
  return [`${words === "" ? "" : `${words}: `}${title || "a file"} was shared, but could not be copied here${why}`];
}

/** As many blocks in each post as fit; what does not fit by itself is cut. */
function packed(blocks: readonly Block[], textMax: number, losses: Loss[]): readonly string[] {
  const texts: string[] = [];
  let open: Block[] = [];
  const flush = (): void => {
    if (open.length > 0) texts.push(renderMattermost(open));
    open = [];
  };
  const fits = (more: readonly Block[]): boolean => measure(renderMattermost(more), "codepoints") <= textMax;
  for (const block of blocks.flatMap((one) => (fits([one]) ? [one] : smaller(one, textMax, losses)))) {
    if (open.length > 0 && !fits([...open, block])) flush();
    open.push(block);
  }
  flush();
  return texts.filter((text) => text.trim() !== "");
}

/** A block that is too long for one post, as several. */
function smaller(block: Block, textMax: number, losses: Loss[]): readonly Block[] {
  const isCode = block.t === "pre";
  if (!isCode && losses.length === 0 && !isPlain(block))
    losses.push({ what: "format", note: "a text this long is sent without its formatting" });
  const words = isCode ? block.text : plainText([block]);
  const made = (text: string): Block => (isCode ? { ...block, text } : paraOf(text));
  const pieces: Block[] = [];
  for (let at = 0; at < words.length;) {
    let piece = pieceAt(words, at, Math.floor(textMax * ROOM));
    // Signs that must be protected take more room.
    while (piece.length > 1 && measure(renderMattermost([made(piece)]), "codepoints") > textMax)
      piece = pieceAt(words, at, Math.floor(measure(piece, "codepoints") / 2));
    at += piece.length;
    const text = at < words.length ? piece.replace(/\n$/, "") : piece;
    if (text.trim() !== "") pieces.push(made(text));
  }
  return pieces;
}

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

function pieceAt(text: string, at: number, max: number): string {
  const rest = text.slice(at, at + max * 2 + 64);
  const most = cut(rest, max, "codepoints") || rest.slice(0, 2);
  if (at + most.length >= text.length) return most;
  const tail = most.slice(-TAIL);
  const line = tail.lastIndexOf("\n");
  const place = line === -1 ? tail.lastIndexOf(" ") : line;
  return place === -1 ? most : most.slice(0, most.length - tail.length + place + 1);
}

/** Whom the text of a draft may mean. */
export const namesOf = ({ body, mayPing }: PostDraft): readonly string[] => namesIn(body.blocks, mayPing);

/** The same for each try of a part: the server answers a repeated post with the first. */
export function pendingIdOf(user: string, op: OpId, upTo: Progress): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([op, upTo]))
    .digest("hex");
  return `${user}:${digest.slice(0, 32)}`;
}
