import { hash } from "node:crypto";
import { type DiscordNames, nameMentions } from "../../content/discord-names.ts";
import { protectDiscord } from "../../content/discord-protect.ts";
import type { RemoteFile } from "../../contract/content.ts";
import type {
  Author,
  Deleted,
  Edited,
  Event,
  Membership,
  Posted,
  Reacted,
  SaidBody,
  Topic,
} from "../../contract/events.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { channelRef, type DiscordPlace, eventKey, fileRef, messageRef } from "./ids.ts";
import type { DiscordAttachment, DiscordMember, DiscordMessage, DiscordReaction } from "./model.ts";
import type { DiscordSite } from "./site.ts";
import { attachmentsOf, pollResultWords, stickerPictures, systemWords, wordsOf } from "./words.ts";

/** `MessageFlags`: only one person sees it; a program has not said it yet. */
const EPHEMERAL = 64;
const LOADING = 128;

/** `MessageType` of what people and programs say. */
const SAID: ReadonlySet<number> = new Set([0, 19, 20, 23]);
const JOINED = 7;
const POLL_RESULT = 46;
/** What a thread begins with repeats the message that it began with; reminders are for nobody. */
const SILENT: ReadonlySet<number> = new Set([3, 5, 14, 15, 16, 17, 21, 22, 26]);

const EMOJI_MAX = 64;

export interface DiscordReceiveContext {
  /** The joined channel. */
  readonly room: string;
  /** The thread of it that this is about; null: the room itself. */
  readonly thread: string | null;
  /** The first message of that thread; null: not known. */
  readonly first: MessageRef | null;
  readonly showEmbeds: boolean;
  /** Why all files of the channel are hidden; null: they are not. */
  readonly hidden: string | null;
  readonly site: DiscordSite;
  /** Whether we wrote it. */
  readonly isOurs: (message: DiscordMessage) => boolean;
  readonly writer: (message: DiscordMessage) => Author;
  /** Somebody who is only named by an id. */
  readonly person: (user: string) => Author;
  readonly nameOf: (member: DiscordMember) => string;
  readonly names: DiscordNames;
}

/** Nobody but one person sees it, or there is nothing to see yet. */
export function isHidden({ flags }: Pick<DiscordMessage, "flags">): boolean {
  return (flags & (EPHEMERAL | LOADING)) !== 0;
}

/** Whether a program has yet to say it. */
export function isLoading({ flags }: Pick<DiscordMessage, "flags">): boolean {
  return (flags & LOADING) !== 0;
}

/** Of what people and programs may change in a message; two with the same one say the same. */
export function digestOf({ content, attachments, components }: DiscordMessage): string {
  const said = JSON.stringify([content, attachments.map(({ id }) => id), components]);
  return hash("sha1", said, "base64url").slice(0, 12);
}

/** What a message tells when it is new; null: nothing that people read. */
export function toEvent(message: DiscordMessage, context: DiscordReceiveContext): Event | null {
  if (isHidden(message) || SILENT.has(message.type)) return null;
  if (message.type === JOINED) return come(message, context);
  const body = bodyOf(message, context);
  return body === null ? null : posted(message, body, context);
}

/** The network has checked who may do it. Null when there is nothing left of it to say. */
export function edited(message: DiscordMessage, context: DiscordReceiveContext): Edited | null {
  if (isHidden(message) || !SAID.has(message.type)) return null;
  const body = bodyOf(message, context);
  if (body === null) return null;
  const atMs = message.editedMs ?? message.atMs;
  return {
    kind: "edited",
    ...base(message, context),
    key: eventKey(`e/${message.id}/${atMs}/${digestOf(message)}`),
    atMs,
    message: refOf(message.id, context),
    aliases: [],
    author: context.writer(message),
    vouched: true,
    hasAllFiles: true,
    body,
  };
}

/** The network does not say who did it. `ours`: we did. */
export function deleted(
  id: string,
  at: { readonly ours: boolean; readonly atMs: number },
  context: DiscordReceiveContext,
): Deleted {
  return {
    kind: "deleted",
    channel: channelRef(context.room),
    key: eventKey(`d/${id}`),
    atMs: at.atMs,
    echoOf: at.ours ? "self" : null,
    message: refOf(id, context),
    by: null,
    vouched: true,
  };
}

/** Somebody's reaction to a message. `user`: who; `me`: our own id. */
export interface DiscordReacting {
  readonly message: string;
  readonly user: string;
  readonly me: string;
  readonly emoji: Pick<DiscordReaction, "emojiId" | "emojiName">;
  readonly on: boolean;
  readonly atMs: number;
}

/** Nothing tells a reaction from a later one of the same kind. */
export function reacted(reacting: DiscordReacting, context: DiscordReceiveContext): Reacted {
  const { message, user, me, emoji, on, atMs } = reacting;
  return {
    kind: "reacted",
    channel: channelRef(context.room),
    key: null,
    atMs,
    echoOf: user === me ? "self" : null,
    message: refOf(message, context),
    author: context.person(user),
    emoji: emojiOf(emoji),
    on,
  };
}

export function emojiOf({ emojiId, emojiName }: Pick<DiscordReaction, "emojiId" | "emojiName">): string {
  if (emojiId === null) return emojiName;
  return `:${emojiName.slice(0, EMOJI_MAX) || "emoji"}:`;
}

/** `stamp`: what tells this coming from others of the same person; null: nothing does. */
export function joins(room: string, author: Author, atMs: number, stamp: string | null): Membership {
  const key = stamp === null ? null : eventKey(`j/${author.id}/${room}/${stamp}`);
  return { ...member(room, author, atMs), key, change: "join", text: `${author.name} joins` };
}

export function leaves(room: string, author: Author, atMs: number): Membership {
  return { ...member(room, author, atMs), change: "leave", text: `${author.name} leaves` };
}

/** `before`: the name that people know. */
export function renames(room: string, before: string, author: Author, atMs: number): Membership {
  const text = `${before} is now known as ${author.name}`;
  return { ...member(room, author, atMs), change: "rename", newName: author.name, text };
}

function member(room: string, author: Author, atMs: number) {
  return { kind: "member" as const, channel: channelRef(room), key: null, atMs, echoOf: null, author };
}

/** The network says nobody's name. */
export function topicChanged(room: string, topic: string, atMs: number): Topic {
  const words = topic.replaceAll(/\s+/gu, " ").trim();
  const text = words === "" ? "the topic was removed" : `the topic is now: ${words}`;
  return {
    kind: "topic",
    channel: channelRef(room),
    key: null,
    atMs,
    echoOf: null,
    author: null,
    topic: topic.trim(),
    text,
  };
}

function posted(message: DiscordMessage, body: SaidBody, context: DiscordReceiveContext): Posted {
  const own = refOf(message.id, context);
  return {
    kind: "posted",
    ...base(message, context),
    key: eventKey(`p/${message.id}`),
    atMs: message.atMs,
    messages: [own],
    author: context.writer(message),
    body,
    replyTo: answered(message, context),
    thread: context.first === own ? null : context.first,
  };
}

/** Of another channel, nobody here has the message. */
function answered({ reference, channel }: DiscordMessage, context: DiscordReceiveContext): MessageRef | null {
  if (reference === null || reference.type !== "reply" || reference.message === "") return null;
  return reference.channel === channel ? refOf(reference.message, context) : null;
}

function bodyOf(message: DiscordMessage, context: DiscordReceiveContext): SaidBody | null {
  const names: DiscordNames = { ...context.names, user: (id) => nameIn(message, id, context) };
  const source = (text: string) => ({ format: "discord", text: nameMentions(text, names) });
  if (message.type === POLL_RESULT)
    return { style: "normal", source: source(pollResultWords(message.embeds)), files: [] };
  if (!SAID.has(message.type)) {
    const words = systemWords(message);
    return words === null ? null : { style: "action", source: source(words), files: [] };
  }
  const said = wordsOf(message, context.showEmbeds);
  const words = [commandWords(message, context), said].filter((part) => part !== "").join("\n");
  const files = [
    ...attachmentsOf(message).map((file) => remoteFile(file, message, context)),
    ...stickerPictures(message, context.site).map(sticker),
  ];
  if (words === "" && files.length === 0) return null;
  const action = words === message.content.trim() ? actionIn(words) : null;
  return { style: action === null ? "normal" : "action", source: source(action ?? words), files };
}

/** Clients write `/me waves` as `_waves_`: italics around all of it, and no others within. */
export function actionIn(text: string): string | null {
  const [, words] = /^_(?![_\s])([\s\S]*[^\s_\\])_$/u.exec(text) ?? [];
  if (words === undefined) return null;
  return /(?<![\p{L}\p{N}\\])_|_(?![\p{L}\p{N}])/u.test(words) ? null : words;
}

/** Who used the command that this answers. */
function commandWords({ command }: DiscordMessage, { nameOf }: DiscordReceiveContext): string {
  if (command === null) return "";
  const name = protectDiscord(nameOf(command.by));
  return command.name === "" ? `(${name} used a command)` : `(${name} used ${protectDiscord(`/${command.name}`)})`;
}

function nameIn(
  { mentions, reference }: DiscordMessage,
  id: string,
  { names, nameOf }: DiscordReceiveContext,
): string | null {
  const mentioned = mentions.find(({ user }) => user.id === id);
  if (mentioned !== undefined) return nameOf(mentioned);
  // A webhook speaks for many: who is meant is who wrote what this answers.
  const answered = reference?.author ?? null;
  return answered?.id === id ? nameOf({ user: answered, nick: "", avatar: "", roles: [] }) : names.user(id);
}

function remoteFile(
  file: DiscordAttachment,
  { channel, id }: DiscordMessage,
  context: Pick<DiscordReceiveContext, "hidden">,
): RemoteFile {
  const { name, title, description, mime, bytes, isSpoiler } = file;
  const end = /\.[^.]{1,10}$/u.exec(name)?.[0] ?? "";
  const why = context.hidden ?? isSpoiler;
  const hidden = why !== false && { spoiler: why };
  const shown = title === "" ? name : title.endsWith(end) ? title : `${title}${end}`;
  return { name: shown, comment: description, mime, bytes, url: null, ref: fileRef(channel, id, file.id), ...hidden };
}

const sticker = ({ name, mime, url }: { name: string; mime: string; url: string }): RemoteFile => ({
  name,
  comment: "",
  mime,
  bytes: null,
  url,
  ref: null,
});

/** The message of the network by which it greets who is new. We say nothing of ourselves. */
function come(message: DiscordMessage, context: DiscordReceiveContext): Membership | null {
  if (context.isOurs(message)) return null;
  return joins(context.room, context.writer(message), message.atMs, message.id);
}

function base(message: DiscordMessage, context: DiscordReceiveContext) {
  return { channel: channelRef(context.room), echoOf: context.isOurs(message) ? ("self" as const) : null };
}

function refOf(id: string, { thread }: Pick<DiscordReceiveContext, "thread">): MessageRef {
  const place: DiscordPlace = { thread, id };
  return messageRef(place);
}
