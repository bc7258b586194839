import { hash } from "node:crypto";
import type { SlackSaid } from "../../content/slack-blocks.ts";
import { slackIdsIn, slackSource, writtenSlack } from "../../content/slack-source.ts";
import { NO_NAMES, type SlackNames } from "../../content/slack-tokens.ts";
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
import type { OpId } from "../../contract/ids.ts";
import { cut } from "../../content/length.ts";
import { cleanName } from "../kit/clean-name.ts";
import { type Json, objectIn, textIn } from "../kit/json.ts";
import type { SlackHappening, SlackReacting } from "./happening.ts";
import { channelRef, eventKey, fileRef, messageRef, userRef } from "./ids.ts";
import { type SlackFile, type SlackMessage, slackTimeOf } from "./model.ts";
import { pictureOf } from "./people.ts";
import { fileWords, isFile, isSaid, isSilent, saidAttachments, systemWords } from "./words.ts";

export interface SlackReceiveContext {
  /** Our own user id. */
  readonly me: string;
  readonly isOurs: (message: SlackMessage) => boolean;
  /** What a message of ours was made for. */
  readonly opOf: (message: SlackMessage) => OpId | null;
  /** `fallback`: the name of one whom nobody can look up. */
  readonly author: (user: string, fallback?: string) => Author;
  readonly names: SlackNames;
  readonly emoji: (name: string) => string;
}

const NAME_MAX = 80;

/** Who and what has to be known before a message is read. */
export function neededFor(message: SlackMessage): {
  readonly users: readonly string[];
  readonly channels: readonly string[];
  readonly groups: readonly string[];
} {
  const { users, channels, groups } = slackIdsIn(saidIn(message));
  const named = [message.user, comer(message), ...users, ...message.reactions.flatMap((one) => one.users)];
  return { users: [...new Set(named.filter((id) => id !== ""))], channels, groups };
}

/** What a message tells when it is new; null: nothing that people read. */
export function toEvent(message: SlackMessage, context: SlackReceiveContext): Event | null {
  if (isSilent(message)) return null;
  if (COMINGS.has(message.subtype)) return member(message, context);
  const topic = TOPICS.get(message.subtype);
  return topic === undefined ? posted(message, context) : topicOf(message, topic, context);
}

function posted(message: SlackMessage, context: SlackReceiveContext): Posted | null {
  const body = bodyOf(message, context);
  if (body === null) return null;
  const { ts, channel, threadTs } = message;
  const thread = threadTs === "" || threadTs === ts ? null : messageRef(threadTs);
  return {
    kind: "posted",
    channel: channelRef(channel),
    echoOf: echoOf(message, context),
    key: eventKey(`p/${channel}/${ts}`),
    atMs: slackTimeOf(ts),
    messages: [messageRef(ts)],
    author: writer(message, context),
    body,
    replyTo: thread,
    thread,
  };
}

/**
 * The server has checked who may do it. Null when nothing of it is said by people, or nothing is left. `stamp`: what
 * tells it from another edit of the same second; empty where it is the first one. `atTs`: when the event of it was.
 */
export function edited(message: SlackMessage, context: SlackReceiveContext, stamp = "", atTs = ""): Edited | null {
  const body = isSaid(message) ? bodyOf(message, context) : null;
  if (body === null) return null;
  const { ts, channel, editedTs } = message;
  return {
    kind: "edited",
    channel: channelRef(channel),
    echoOf: echoOf(message, context),
    key: eventKey(`e/${channel}/${ts}/${editedTs}/${digestOf(message)}${stamp === "" ? "" : `/${stamp}`}`),
    atMs: slackTimeOf(editedTs || atTs || ts),
    message: messageRef(ts),
    aliases: [],
    author: writer(message, context),
    vouched: true,
    hasAllFiles: message.files.every((file) => isFile(file) || isDeleted(file)),
    body,
  };
}

/** The server does not say who did it. `ours`: we did. */
export function deleted(
  { channel, ts }: Pick<SlackMessage, "channel" | "ts">,
  { ours, atMs }: { readonly ours: boolean; readonly atMs: number },
): Deleted {
  return {
    kind: "deleted",
    channel: channelRef(channel),
    key: eventKey(`d/${channel}/${ts}`),
    atMs,
    echoOf: ours ? "self" : null,
    message: messageRef(ts),
    by: null,
    vouched: true,
  };
}

/** `stamp`: what tells this change from a later one of the same kind; null: nothing does. */
export function reacted(
  { ts, user, name, on }: SlackReacting,
  at: { readonly channel: string; readonly atMs: number; readonly stamp: string | null },
  context: SlackReceiveContext,
): Reacted {
  const { channel, atMs, stamp } = at;
  return {
    kind: "reacted",
    channel: channelRef(channel),
    key: stamp === null ? null : eventKey(`${on ? "r" : "u"}/${channel}/${ts}/${user}/${name}/${stamp}`),
    atMs,
    echoOf: user === context.me ? "self" : null,
    message: messageRef(ts),
    author: context.author(user),
    emoji: context.emoji(name),
    on,
  };
}

/** Of what people and programs say in a message; two with the same one say the same. */
export function digestOf(message: SlackMessage): string {
  const { text, blocks, files } = message;
  const said = [text, blocks.map(bare), saidAttachments(message).map(bare), files.map(({ id, mode }) => [id, mode])];
  return hash("sha1", JSON.stringify(said), "base64url").slice(0, 12);
}

/**
 * Of what they say, alike in events and in the history: of the files of strangers, an event tells less, but it marks a
 * deleted file.
 */
export function saidDigestOf(message: SlackMessage): string {
  const files = message.files.map((file) => (isDeleted(file) ? file : { ...file, mode: "" }));
  return digestOf({ ...message, files });
}

export const isDeleted = ({ mode }: Pick<SlackFile, "mode">): boolean => mode === "tombstone";

/** What people read of it: the server adds to blocks and attachments what they do not. */
export const wordsOf = (message: SlackMessage): string => slackSource(saidIn(message), NO_NAMES);

/** Without the names that the server gives to parts. */
const bare = (part: Json): Json =>
  Object.fromEntries(Object.entries(part).filter(([key]) => key !== "block_id" && key !== "id"));

const saidIn = (message: SlackMessage): SlackSaid => ({
  text: message.text,
  blocks: message.blocks,
  attachments: saidAttachments(message),
});

function bodyOf(message: SlackMessage, context: SlackReceiveContext): SaidBody | null {
  if (!isSaid(message)) {
    const words = systemWords(message, context.names);
    return words === null ? null : { style: "action", source: { format: "slack", text: words }, files: [] };
  }
  const shared = message.files.filter(isFile);
  const missing = message.files.filter((file) => !isFile(file)).map(fileWords);
  const said = slackSource(saidIn(message), context.names);
  const text = [said, ...missing].filter((words) => words !== "").join("\n");
  if (text === "" && shared.length === 0) return null;
  const style = message.subtype === "me_message" ? "action" : "normal";
  return { style, source: { format: "slack", text }, files: shared.map(remoteFile) };
}

function remoteFile({ id, name, mime, size }: SlackFile): RemoteFile {
  return { name, comment: "", mime, bytes: size, url: null, ref: fileRef(id) };
}

function echoOf(message: SlackMessage, { isOurs, opOf }: SlackReceiveContext): OpId | "self" | null {
  return isOurs(message) ? (opOf(message) ?? "self") : null;
}

/** Programs may give themselves another name for each message. */
function writer(message: SlackMessage, context: SlackReceiveContext): Author {
  const { user, botId, username, raw } = message;
  const bot = objectIn(raw, "bot_profile");
  const named = botId === "" ? "" : cleanName(username);
  const isBot = botId !== "" && { bot: true };
  if (named === "" && user !== "") {
    const known = context.author(user, profileName(raw) || cleanName(textIn(bot, "name") ?? ""));
    return { ...known, avatar: known.avatar ?? pictureIn(objectIn(bot, "icons")), ...isBot };
  }
  const name = named || cleanName(textIn(bot, "name") ?? "") || cleanName(username) || "a program";
  const icons = named === "" ? objectIn(bot, "icons") : objectIn(raw, "icons");
  const id = userRef(user || botId || name);
  return { id, identity: null, name: cut(name, NAME_MAX, "codepoints"), avatar: pictureIn(icons), ...isBot };
}

const pictureIn = (icons: Json): RemoteFile | null =>
  pictureOf(textIn(icons, "image_72") ?? textIn(icons, "image_64") ?? textIn(icons, "image_48"));

/** What the message itself says of one whom we cannot look up. */
function profileName(raw: Json): string {
  const profile = objectIn(raw, "user_profile");
  const names = ["display_name", "real_name", "name"].map((key) => cleanName(textIn(profile, key) ?? ""));
  return names.find((name) => name !== "") ?? "";
}

const JOIN = { change: "join", verb: "joins" } as const;
const LEAVE = { change: "leave", verb: "leaves" } as const;

/** Who comes and goes: events tell it, too, but what was missed is found by these alone. */
const COMINGS: ReadonlyMap<string, typeof JOIN | typeof LEAVE> = new Map<string, typeof JOIN | typeof LEAVE>([
  ["channel_join", JOIN],
  ["group_join", JOIN],
  ["channel_leave", LEAVE],
  ["group_leave", LEAVE],
]);

const SLACKBOT = "USLACKBOT";

/** The one who comes or goes. Where somebody was removed, the server's own bot says it. Empty: it is about nobody. */
function comer({ subtype, user, text }: SlackMessage): string {
  if (!COMINGS.has(subtype)) return "";
  return user === SLACKBOT || user === "" ? (/<@([UW][A-Z0-9]+)/u.exec(text)?.[1] ?? "") : user;
}

/** Somebody came or went, as an event has it. Null: it is about us. */
export function came(
  { user, channel, change, atTs }: SlackHappening & { readonly is: "came" },
  context: SlackReceiveContext,
): Membership | null {
  if (user === context.me) return null;
  const author = context.author(user);
  return {
    kind: "member",
    channel: channelRef(channel),
    key: atTs === "" ? null : eventKey(`m/${channel}/${user}/${change}/${atTs}`),
    atMs: slackTimeOf(atTs),
    echoOf: null,
    author,
    change,
    text: `${author.name} ${change === "join" ? JOIN.verb : LEAVE.verb}`,
  };
}

function member(message: SlackMessage, context: SlackReceiveContext): Membership | null {
  const { channel, ts, user, subtype } = message;
  const coming = COMINGS.get(subtype);
  const id = comer(message);
  // We say nothing of ourselves.
  if (coming === undefined || id === "" || id === context.me) return null;
  const author = context.author(id, id === user ? profileName(message.raw) : "");
  const verb = id === user ? coming.verb : "was removed";
  return {
    kind: "member",
    channel: channelRef(channel),
    key: eventKey(`p/${channel}/${ts}`),
    atMs: slackTimeOf(ts),
    echoOf: null,
    author,
    change: coming.change,
    text: `${author.name} ${verb}`,
  };
}

/** By subtype: the field that has the new one, and what people call it. */
const TOPICS: ReadonlyMap<string, readonly [field: string, name: string]> = new Map([
  ["channel_topic", ["topic", "topic"]],
  ["group_topic", ["topic", "topic"]],
  ["channel_purpose", ["purpose", "purpose"]],
  ["group_purpose", ["purpose", "purpose"]],
]);

function topicOf(message: SlackMessage, [field, name]: readonly [string, string], context: SlackReceiveContext): Topic {
  const { channel, ts, user, raw } = message;
  const source = slackSource({ text: textIn(raw, field) ?? "", blocks: [], attachments: [] }, context.names);
  // Marks in topics are no marks.
  const words = writtenSlack(source).replaceAll(/\s+/gu, " ").trim();
  const author = user === "" ? null : context.author(user, profileName(raw));
  const who = author?.name ?? "somebody";
  return {
    kind: "topic",
    channel: channelRef(channel),
    key: eventKey(`p/${channel}/${ts}`),
    atMs: slackTimeOf(ts),
    echoOf: user === context.me ? "self" : null,
    author,
    topic: name === "topic" ? words : null,
    text: `${who} ${words === "" ? `removed the ${name}` : `changed the ${name} to: ${words}`}`,
  };
}
