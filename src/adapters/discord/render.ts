import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import type { OpReply, PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { type DiscordHere, passDiscord } from "../../content/discord-names.ts";
import { protectDiscordPart } from "../../content/discord-protect.ts";
import { renderDiscord } from "../../content/discord-render.ts";
import { cut, excerpt } from "../../content/length.ts";
import { inItalics, nameBefore, withName, wordsOfName, writtenName } from "../kit/name-before.ts";
import { pack } from "../kit/pack.ts";
import { captionOf, fileBlock, oneLine, paraOf } from "../kit/words.ts";
import type { DiscordSent, DiscordTextPlace } from "./progress.ts";
import { withPeople } from "./text.ts";

/** One message takes so many files. */
export const FILES_MAX = 10;
const NAME_MAX = 80;
/** Of the words that a reply quotes. */
const QUOTED_MAX = 80;
/** A mention, of which `allowed_mentions` names so many at most. */
const PINGS_MAX = 100;

/** A file of the draft: it goes with a message, or is said in the text, for the reason of `file.missing`. */
export interface DiscordRenderedFile {
  readonly file: SharedFile;
  readonly goes: "natively" | "in the text";
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
  /** Those of the draft, in its order. */
  readonly files: readonly DiscordRenderedFile[];
  /** What earlier messages have of it. */
  readonly sent: DiscordSent;
}

export interface DiscordMessagePart {
  /** What is sent when this is; null: all. */
  readonly sent: DiscordSent | null;
  readonly content: string;
  readonly files: readonly SharedFile[];
}

interface RenderedMessages {
  readonly parts: readonly DiscordMessagePart[];
  readonly losses: readonly Loss[];
}

/**
 * What is not yet sent of a post, as messages of Discord: its text, in several when it is long; its files come with the
 * last of them.
 */
export function renderMessages(draft: PostDraft, options: DiscordPostOptions): RenderedMessages {
  const losses: Loss[] = [];
  const texts = textsOf(draft, options, losses);
  const going = options.files.flatMap(({ file, goes }, at) =>
    goes === "natively" && !options.sent.files.has(at) ? [{ file, at }] : [],
  );
  const groups = Array.from({ length: Math.ceil(going.length / FILES_MAX) }, (_, at) =>
    going.slice(at * FILES_MAX, (at + 1) * FILES_MAX),
  );
  const bare = texts.map((text, at) => ({ text, files: at === texts.length - 1 ? (groups.shift() ?? []) : [] }));
  const all = [...bare, ...groups.map((files) => ({ text: null, files }))];
  let { sent } = options;
  const parts = all.map(({ text, files }, at): DiscordMessagePart => {
    sent = {
      ...sent,
      parts: sent.parts + 1,
      text: text === null ? sent.text : text.upTo,
      files: new Set([...sent.files, ...(text?.files ?? []), ...files.map((file) => file.at)]),
    };
    return {
      sent: at === all.length - 1 ? null : sent,
      content: (text?.content ?? "").toWellFormed().replaceAll("\0", "\ufffd"),
      files: files.map(({ file }) => file),
    };
  });
  return { parts, losses };
}

/** Before anything was tried. */
export const asItIs = (file: SharedFile): DiscordRenderedFile => ({
  file,
  goes: file.id === null ? "in the text" : "natively",
});

interface Text {
  readonly content: string;
  readonly upTo: DiscordTextPlace | null;
  /** Indexes of the files of which it is said that they do not go. */
  readonly files: readonly number[];
}

function textsOf(draft: PostDraft, options: DiscordPostOptions, losses: Loss[]): readonly Text[] {
  const { textMax, sent } = options;
  const lead = sent.parts === 0 ? options.lead : "";
  const room = textMax - lead.length - 1;
  const firstMax = lead === "" || room < textMax * LEAST ? textMax : room;
  const texts = wordsOf(draft, { ...options, lead }, firstMax, losses);
  if (lead === "") return texts;
  const [first, ...rest] = texts;
  const whole = first === undefined ? lead : `${lead}\n${first.content}`;
  if (whole.length > textMax) return [{ content: lead, upTo: null, files: [] }, ...texts];
  return [{ upTo: null, files: [], ...first, content: whole }, ...rest];
}

/** Of a message, for the first words behind a lead; where there is less room, the lead is a message of its own. */
const LEAST = 0.25;

/** A piece of the text: one of its blocks, or what is said of a file. */
interface Piece {
  readonly block: Block;
  /** Where it begins in the text, behind whose blocks the files are; before it by what is only said here. */
  readonly at: DiscordTextPlace;
  /** The index of the file that does not go, which this says. */
  readonly file: number | null;
}

function wordsOf(draft: PostDraft, options: DiscordPostOptions, firstMax: number, losses: Loss[]): readonly Text[] {
  const { textMax, files, lead, emoji, sent } = options;
  const { blocks } = draft.body;
  const lines = linesOf(draft, options);
  const name = options.prefix && sent.text === null ? nameBefore(draft.author) : [];
  const pieces = [...spoken(draft, name, options), ...lines];
  const isAlone = files.some(({ goes }, at) => goes === "natively" && !sent.files.has(at));
  const nothing = isAlone || lead !== "" || sent.parts > 0 ? [] : [{ ...NOTHING, upTo: null, files: [] }];
  if (pieces.length === 0) return nothing;
  const end = { block: blocks.length + files.length, at: 0 };
  const said = lines.flatMap(({ file }) => file ?? []);
  const render = (some: readonly Block[]): string => renderDiscord(some, { emoji });
  const whole = sent.text === null ? untouched(draft, options, lines) : null;
  if (whole !== null && whole.length <= firstMax) return [{ content: whole, upTo: end, files: said }];
  const plain = pieces.map(({ block }) => block);
  const isActed = draft.body.style === "action" && name.length === 0;
  const acted = isActed ? inItalics(plain) : plain;
  const from = sent.text?.at ?? 0;
  const action = isActed && from === 0 ? actionOf(render(plain)) : null;
  if (action !== null && action.length <= firstMax) return [{ content: action, upTo: end, files: said }];
  const sizeOf = (some: readonly Block[]): number => render(some).length;
  const packed = pack(acted, { textMax, firstMax, unit: "utf16", sizeOf, from }, losses).map(
    ({ of, blocks: done, at }): Text => {
      const next = pieces[done];
      return {
        content: render(of),
        upTo: next === undefined ? end : placeIn(next, at, blocks.length, sent.text),
        files: pieces.slice(0, done).flatMap(({ file }) => file ?? []),
      };
    },
  );
  const texts = packed.filter(({ content }) => content.trim() !== "");
  // The server takes no message of which nothing can be seen.
  return texts.length === 0 ? nothing : texts;
}

/** Never behind what was sent. What is said of a file is said again as a whole: another time it may be other words. */
function placeIn({ at: begin }: Piece, at: number, blocks: number, sent: DiscordTextPlace | null): DiscordTextPlace {
  if (sent !== null && begin.block < sent.block) return sent;
  return { block: begin.block, at: begin.block < blocks ? Math.max(0, begin.at + at) : 0 };
}

/** What is said of the files, behind the text. */
function linesOf(draft: PostDraft, { files, sent }: DiscordPostOptions): readonly Piece[] {
  return files.flatMap((file, index) => {
    const at = { block: draft.body.blocks.length + index, at: 0 };
    const isSaid = sent.text !== null && sent.text.block > at.block;
    if (sent.files.has(index) || (file.goes === "natively" && isSaid)) return [];
    const block = fileLine(file, hasAltTexts(draft));
    return block === null ? [] : [{ block, at, file: file.goes === "natively" ? null : index }];
  });
}

/** Of no width. */
const NOTHING = { content: "\u200b" };

/** A text that is Discord's own already stays as it was written. */
function untouched(draft: PostDraft, options: DiscordPostOptions, lines: readonly Piece[]): string | null {
  const { author, body } = draft;
  if (body.source.format !== "discord" || body.style !== "normal") return null;
  const name = writtenName(options.prefix ? nameBefore(author) : [], renderDiscord);
  if (name === null) return null;
  const text = passDiscord(body.source.text, options.here);
  const said = name !== "" && BEGINS.test(text) ? `${name.trimEnd()}\n${text}` : name + text;
  const words = lines.map(({ block }) => renderDiscord([block], { emoji: options.emoji }));
  return [said, ...words].filter((part) => part !== "").join("\n");
}

/** What means something at the beginning of a line only. */
const BEGINS = /^\s*(?:>|#{1,3} |-# |[-*] |\d+\. |```)/;

/** What is not yet sent of the text, with who says it. */
function spoken({ body, mayPing }: PostDraft, name: readonly Inline[], options: DiscordPostOptions): readonly Piece[] {
  const { people, sent } = options;
  const from = sent.text ?? { block: 0, at: 0 };
  const linked = withPeople(body.blocks, mayPing, people).slice(from.block);
  // A name stands outside of the italics.
  const blocks = name.length > 0 && body.style === "action" ? inItalics(linked) : linked;
  const [first, ...rest] = blocks.map((block, at): Piece => {
    return { block, at: { block: from.block + at, at: 0 }, file: null };
  });
  const all = first === undefined ? [] : [first, ...rest];
  if (name.length === 0) return all;
  const at = { block: 0, at: -wordsOfName(name).length };
  const [block = paraOf(""), ...others] = withName(name, first === undefined ? [] : [first.block]);
  return [{ block, at, file: null }, ...(others.length > 0 ? all : rest)];
}

/** `/me` as the network's own clients write it. Null: it must be written otherwise. */
const actionOf = (text: string): string | null => (/^[^\s_\\](?:[^_\n]*[^\s_\\])?$/.test(text) ? `_${text}_` : null);

/** What is said of a file of the network's own is an alt text. Captions of others are there for everybody to read. */
export const hasAltTexts = ({ body }: Pick<PostDraft, "body">): boolean => body.source.format === "discord";

/** `MessageFlags` of a message with a link to a hidden file: Discord makes no preview of links in it. */
export function flagsOf({ body }: Pick<PostDraft, "body">): { readonly flags?: number } {
  return body.files.some(({ spoiler }) => spoiler !== undefined) ? { flags: SUPPRESS_EMBEDS } : {};
}

const SUPPRESS_EMBEDS = 4;

/** The caption of a file, null where it has none; one that is not there is a link, or is named at least. */
function fileLine({ file, goes }: DiscordRenderedFile, alt: boolean): Block | null {
  if (goes !== "natively") return fileBlock(file);
  const words = alt ? "" : captionOf(file);
  return words === "" ? null : paraOf(words);
}

/** What a message begins with that answers another and cannot say so otherwise: small, with a link that jumps there. */
export function replyLine({ name, excerpt: words }: Pick<OpReply, "name" | "excerpt">, jump: string): string {
  const who = cut(quiet(name), NAME_MAX, "utf16");
  const said = excerpt(quiet(words), QUOTED_MAX);
  const shown = [who, said].filter((part) => part !== "").join(": ") || "a message";
  // The bracket behind it must not stand behind a backslash.
  return `${LEAD}[${protectDiscordPart(shown, shown.includes("://"))}](<${jump}>)`;
}

const LEAD = "-# \u21aa ";

/**
 * Of a message that we wrote on the server of these channels (`channelsAt`): the line by which it answers another;
 * empty: it has none. A text may begin with such a line that leads elsewhere.
 */
export function leadOf(content: string, channels: string): string {
  const [line = ""] = content.split("\n", 1);
  const to = line.startsWith(`${LEAD}[`) ? jumpOf(line) : "";
  return to.startsWith(channels) && /^\d{1,20}\/\d{1,20}$/u.test(to.slice(channels.length)) ? line : "";
}

/** The line `lead` with other words; empty: there is none. */
export function leadWith(lead: string, reply: Pick<OpReply, "name" | "excerpt">): string {
  return lead === "" ? "" : replyLine(reply, jumpOf(lead));
}

const jumpOf = (lead: string): string => /\]\(<([^<>]*)>\)$/u.exec(lead)?.[1] ?? "";

/** Words within the brackets of a link: neither brackets nor what would be an address, with which it were no link. */
function quiet(text: string): string {
  const line = oneLine(text).replaceAll(/:\/\//g, ":\u200b//").trim();
  return line.replaceAll("[", "(").replaceAll("]", ")");
}

/** Whom a text may notify: nobody else, whatever stands in it. */
export interface DiscordPings {
  /** Ids of members whom we have written as mentions: others may stand in code, where they mean nobody. */
  readonly users: ReadonlySet<string>;
  readonly everyone: boolean;
}

export const NO_PINGS: DiscordPings = { users: new Set(), everyone: false };

/** `allowed_mentions` of a message with this text. */
export function allowedIn(content: string, { users, everyone }: DiscordPings): object {
  const ids = Array.from(content.matchAll(/<@(\d{1,20})>/g), ([, id = ""]) => id).filter((id) => users.has(id));
  return { parse: everyone ? ["everyone"] : [], users: [...new Set(ids)].slice(0, PINGS_MAX), replied_user: false };
}
