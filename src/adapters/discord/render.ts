import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { MayPing, OpReply, PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { type DiscordHere, passDiscord } from "../../content/discord-names.ts";
import { protectDiscord } from "../../content/discord-protect.ts";
import { renderDiscord } from "../../content/discord-render.ts";
import { cut, excerpt } from "../../content/length.ts";
import { progressAt } from "./ids.ts";
import { pack } from "./pack.ts";
import { oneLine, paraOf, withPeople } from "./text.ts";

/** One message takes so many files. */
export const FILES_MAX = 10;
const NAME_MAX = 80;
/** Of the words that a reply quotes. */
const QUOTED_MAX = 80;
/** A mention, of which `allowed_mentions` names so many at most. */
const PINGS_MAX = 100;

/** A file of the draft, and what became of it. */
export interface DiscordRenderedFile {
  readonly file: SharedFile;
  /**
   * It goes with the message; else it is said in words, for the reason of `file.missing`: in the text, or, where the
   * text was sent before that turned out, in place of the file.
   */
  readonly goes: "natively" | "in the text" | "in its place";
}

export interface DiscordPostOptions {
  /** Units of UTF-16 of one message. */
  readonly textMax: number;
  /** The name comes before the text: the message itself does not show it. */
  readonly prefix: boolean;
  /** Stands before all; empty: nothing. As it is: it may have formatting. */
  readonly lead: string;
  /** Ids of members whom the text may mean, by their names in lower case. */
  readonly people: ReadonlyMap<string, string>;
  /** What of a text that is Discord's already is known here, too. */
  readonly here: DiscordHere;
  /** The markup of an emoji of the server; null: it has none of this name. */
  readonly emoji: (name: string) => string | null;
  readonly files: readonly DiscordRenderedFile[];
}

export interface DiscordMessagePart {
  readonly end: Progress;
  readonly content: string;
  readonly files: readonly SharedFile[];
}

interface RenderedMessages {
  readonly parts: readonly DiscordMessagePart[];
  readonly losses: readonly Loss[];
}

/** A post as messages of Discord: its text, in several when it is long; its files come with the last of them. */
export function renderMessages(draft: PostDraft, options: DiscordPostOptions): RenderedMessages {
  const losses: Loss[] = [];
  const texts = textsOf(draft, options, losses).map((text) => text.toWellFormed().replaceAll("\0", "\ufffd"));
  const going = options.files.filter(({ goes }) => goes !== "in the text");
  const groups = Array.from({ length: Math.ceil(going.length / FILES_MAX) }, (_, at) =>
    going.slice(at * FILES_MAX, (at + 1) * FILES_MAX),
  );
  const last = texts.at(-1);
  const bare: readonly Omit<DiscordMessagePart, "end">[] = [
    ...texts.slice(0, -1).map((content) => ({ content, files: [] })),
    ...(last === undefined ? [] : [withFiles(last, groups.shift() ?? [])]),
    ...groups.map((files) => withFiles("", files)),
  ];
  const parts = bare.map(({ content, files }, at) => {
    const end = at === bare.length - 1 ? END : progressAt(String(at + 1));
    return { end, content, files };
  });
  return { parts, losses };
}

function withFiles(text: string, files: readonly DiscordRenderedFile[]): Omit<DiscordMessagePart, "end"> {
  const lines = files.flatMap((file) => (file.goes === "in its place" ? fileLines(file, true) : []));
  const content = [text, ...lines.map((line) => protectDiscord(line))].filter((line) => line !== "").join("\n");
  return { content, files: files.flatMap(({ file, goes }) => (goes === "natively" ? [file] : [])) };
}

/** Before anything was tried. */
export const asItIs = (file: SharedFile): DiscordRenderedFile => ({
  file,
  goes: file.id === null ? "in the text" : "natively",
});

/** How many parts were sent by the place to go on from. */
export function partsBefore(parts: readonly DiscordMessagePart[], resume: Progress | null): number {
  return resume === END ? parts.length : Number(resume ?? 0) || 0;
}

function textsOf(draft: PostDraft, options: DiscordPostOptions, losses: Loss[]): readonly string[] {
  const { lead, textMax } = options;
  const texts = wordsOf(draft, options, losses);
  if (lead === "") return texts;
  const [first = "", ...rest] = texts;
  // Where the first text has no room left for it (which `pack` provides for), it is a message of its own.
  const whole = first === "" ? lead : `${lead}\n${first}`;
  return whole.length <= textMax ? [whole, ...rest] : [lead, ...texts];
}

function wordsOf(draft: PostDraft, options: DiscordPostOptions, losses: Loss[]): readonly string[] {
  const { textMax, files, prefix, lead, emoji } = options;
  const lines = files.flatMap((file) => (file.goes === "in its place" ? [] : fileLines(file, hasAltTexts(draft))));
  const isAlone = files.some(({ goes }) => goes !== "in the text");
  const isSaid = draft.body.blocks.length > 0 || lines.length > 0 || (prefix && draft.author !== null);
  if (!isSaid) return isAlone || lead !== "" ? [] : [NOTHING];
  const firstMax = lead === "" ? textMax : textMax - lead.length - 1;
  const whole = untouched(draft, options, lines);
  if (whole !== null && whole.length <= firstMax) return [whole];
  const blocks = [...spoken(draft, options), ...(lines.length === 0 ? [] : [paraOf(lines.join("\n"))])];
  const render = (some: readonly Block[]): string => renderDiscord(some, { emoji });
  const acted = draft.body.style === "action" ? blocks.map(inItalics) : blocks;
  const text = actionOf(draft, render(blocks)) ?? render(acted);
  // The server takes no message of which nothing can be seen.
  if (text.trim() === "") return isAlone ? [] : [NOTHING];
  return text.length <= firstMax ? [text] : pack(acted, { textMax, firstMax, render }, losses);
}

/** Of no width. */
const NOTHING = "\u200b";

/** A text that is Discord's own already stays as it was written. */
function untouched(draft: PostDraft, options: DiscordPostOptions, lines: readonly string[]): string | null {
  const { author, body } = draft;
  if (body.source.format !== "discord" || body.style !== "normal") return null;
  const name = author !== null && options.prefix ? protectDiscord(shownName(author.shown)) : "";
  const text = passDiscord(body.source.text, options.here);
  const said = name !== "" && BEGINS.test(text) ? `${name.trimEnd()}\n${text}` : name + text;
  return [said, ...lines.map((line) => protectDiscord(line))].filter((part) => part !== "").join("\n");
}

/** What means something at the beginning of a line only. */
const BEGINS = /^\s*(?:>|#{1,3} |-# |[-*] |\d+\. |```)/;

const shownName = (shown: string): string => cut(oneLine(shown), NAME_MAX, "utf16");
const textOf = (text: string): Inline => ({ t: "text", text });

/** The text with who says it. */
function spoken({ author, body, mayPing }: PostDraft, { prefix, people }: DiscordPostOptions): readonly Block[] {
  const blocks = withPeople(body.blocks, mayPing, people);
  const name = author === null || !prefix ? "" : shownName(author.shown);
  const [first, ...rest] = blocks;
  if (name === "") return blocks;
  return first?.t === "para"
    ? [{ t: "para", of: [textOf(name), ...first.of] }, ...rest]
    : [paraOf(name.trimEnd()), ...blocks];
}

const inItalics = (block: Block): Block =>
  block.t === "para" ? { t: "para", of: [{ t: "italic", of: block.of }] } : block;

/** `/me` as the network's own clients write it. Null: it is none, or must be written otherwise. */
function actionOf({ body }: PostDraft, text: string): string | null {
  return body.style === "action" && /^[^\s_\\](?:[^_\n]*[^\s_\\])?$/.test(text) ? `_${text}_` : null;
}

/** What is said of a file of the network's own is an alt text. Captions of others are there for everybody to read. */
export const hasAltTexts = ({ body }: Pick<PostDraft, "body">): boolean => body.source.format === "discord";

/** The caption of a file; one that is not there is a link, or is named at least. */
function fileLines({ file, goes }: DiscordRenderedFile, alt: boolean): readonly string[] {
  const [title, words] = [oneLine(file.name).trim(), oneLine(file.comment).trim()];
  if (goes === "natively") return words === "" || alt ? [] : [words];
  if (file.url !== null) return [`${words || title || "file"}: ${oneLine(file.url)}`];
  const why = file.missing === null ? "" : ` (${oneLine(file.missing)})`;
  return [`${words === "" ? "" : `${words}: `}${title || "a file"} was shared, but could not be copied here${why}`];
}

/** What a message begins with that answers another and cannot say so otherwise: small, with a link that jumps there. */
export function replyLine({ name, excerpt: words }: Pick<OpReply, "name" | "excerpt">, jump: string): string {
  const who = quiet(name);
  const said = excerpt(quiet(words), QUOTED_MAX);
  const shown = [who, said].filter((part) => part !== "").join(": ") || "a message";
  return `${LEAD}[${protectDiscord(shown)}](<${jump}>)`;
}

const LEAD = "-# \u21aa ";

/** Of a message that we wrote: the line by which it answers another; empty: it has none. */
export function leadOf(content: string): string {
  const [line = ""] = content.split("\n", 1);
  return line.startsWith(`${LEAD}[`) && line.endsWith(")") ? line : "";
}

/** Words within the brackets of a link: neither brackets nor what would be an address, with which it were no link. */
function quiet(text: string): string {
  const line = oneLine(text).replaceAll(/:\/\//g, ":\u200b//").trim();
  return line.replaceAll("[", "(").replaceAll("]", ")");
}

export const NO_PINGS: MayPing = { users: false, everyone: false };

/** `allowed_mentions` of a message with this text, whose mentions were written by us: nobody else is notified. */
export function allowedIn(content: string, pings: MayPing): object {
  const ids = Array.from(content.matchAll(/<@(\d{1,20})>/g), ([, id = ""]) => id);
  const users = pings.users ? [...new Set(ids)].slice(0, PINGS_MAX) : [];
  return { parse: pings.everyone ? ["everyone"] : [], users, replied_user: false };
}
