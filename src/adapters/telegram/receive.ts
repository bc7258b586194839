import { telegramBlocks, telegramSource, treeSource } from "../../content/telegram-read.ts";
import type { Author, Edited, Event, Membership, Posted, Reacted, SaidBody, Topic } from "../../contract/events.ts";
import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import { excerpt } from "../../content/length.ts";
import { cleanName } from "../kit/clean-name.ts";
import { isObject, type Json, listIn, NOTHING, objectIn, textIn } from "../kit/json.ts";
import type { TelegramComing, TelegramReacting } from "./happening.ts";
import { eventKey, messageRef } from "./ids.ts";
import {
  formatted,
  idIn,
  objectsIn,
  peerIn,
  type TelegramMessage,
  type TelegramPeer,
  type TelegramSaid,
  type TelegramUser,
  telegramUserIn,
} from "./model.ts";
import { bare, inFormat, joinedSaid } from "./said.ts";
import { allFilesOf } from "./shared-files.ts";
import {
  communityWords,
  contentWords,
  isElsewhere,
  isQuietService,
  personWords,
  richBlocks,
  serviceKey,
  serviceWords,
  shortWords,
} from "./words.ts";

export interface TelegramReceiveContext {
  /** Our own user id. */
  readonly me: number;
  readonly author: (message: TelegramMessage) => Author;
  readonly person: (user: TelegramUser) => Author;
  readonly peer: (peer: TelegramPeer) => Author;
  readonly emoji: (reaction: Json) => string;
  /** Whether we are told there what is said in a chat. */
  readonly isJoined: (chat: number) => boolean;
  /** Stickers that stand still are told as PNG. */
  readonly stickersAsPng: boolean;
  /** Stickers that move come as a still picture. */
  readonly stickersAsStills?: boolean;
}

/** What a message says, or the messages of an album say together. Nothing: there is nothing in it for people. */
export function toEvents(
  messages: readonly TelegramMessage[],
  channel: ChannelRef,
  context: TelegramReceiveContext,
): readonly Event[] {
  const [first] = messages;
  if (first === undefined || isPassedOver(first, context)) return [];
  const key = serviceKey(first.raw);
  if (key === "new_chat_members" || key === "left_chat_member") return comers(first, key, channel, context);
  if (key === "community_chat_joined") return fromCommunity(first, channel, context);
  if (key === "new_chat_title" || key === "forum_topic_edited") return [renamed(first, key, channel, context)];
  const event = posted(messages, first, channel, context);
  return event === null ? [] : [event];
}

/**
 * What nobody but us or one person sees, and what a channel says that we are told there: its group has it once more by
 * itself.
 */
function isPassedOver({ raw, senderChat }: TelegramMessage, { isJoined }: TelegramReceiveContext): boolean {
  if (isElsewhere(raw)) return true;
  return isAutomatic(raw) && senderChat !== null && isJoined(senderChat.id);
}

const isAutomatic = (raw: Json): boolean => raw["is_automatic_forward"] === true;

function posted(
  messages: readonly TelegramMessage[],
  first: TelegramMessage,
  channel: ChannelRef,
  context: TelegramReceiveContext,
): Posted | null {
  const body = bodyOf(messages, first, context);
  if (body === null) return null;
  return {
    kind: "posted",
    channel,
    key: eventKey(`p/${first.chat.id}/${first.id}`),
    atMs: first.atMs,
    echoOf: echoOf(first, context),
    messages: messages.map(refOf),
    author: context.author(first),
    body,
    replyTo: answered(first, context),
    thread: null,
  };
}

/**
 * `whole`: the messages as they are now: of an album, all. `message`: the one that was changed. `update`: which change
 * it is.
 */
export function edited(
  whole: readonly TelegramMessage[],
  { message, update }: { readonly message: TelegramMessage; readonly update: number },
  channel: ChannelRef,
  context: TelegramReceiveContext,
): Edited | null {
  const [first = message] = whole;
  if (isPassedOver(first, context) || serviceKey(message.raw) !== null) return null;
  const body = bodyOf(whole, first, context);
  if (body === null) return null;
  return {
    kind: "edited",
    channel,
    key: eventKey(`e/${message.chat.id}/${message.id}/${update}`),
    atMs: Math.max(message.atMs, (idIn(message.raw, "edit_date") ?? 0) * 1000),
    echoOf: echoOf(message, context),
    message: refOf(message),
    aliases: [],
    author: context.author(message),
    // Telegram lets nobody else do it.
    vouched: true,
    body,
  };
}

/** What was put on, and what was taken off: the network tells all that stands, before and after. */
export function reacted(
  { chat, message, atMs, from, senderChat, before, now }: TelegramReacting,
  { channel, update }: { readonly channel: ChannelRef; readonly update: number },
  context: TelegramReceiveContext,
): readonly Reacted[] {
  const author = from === null ? (senderChat === null ? null : context.peer(senderChat)) : context.person(from);
  if (author === null) return [];
  const [gone, come] = [shownOf(before, context), shownOf(now, context)];
  const changes = [
    ...[...gone].filter((emoji) => !come.has(emoji)).map((emoji) => ({ emoji, on: false })),
    ...[...come].filter((emoji) => !gone.has(emoji)).map((emoji) => ({ emoji, on: true })),
  ];
  return changes.map(({ emoji, on }) => ({
    kind: "reacted",
    channel,
    key: eventKey(`r/${channel}/${message}/${update}/${on ? "+" : "-"}${emoji}`),
    atMs,
    echoOf: from?.id === context.me ? "self" : null,
    message: messageRef(chat.id, message, chat.type === "group"),
    author,
    emoji,
    on,
  }));
}

const shownOf = (reactions: readonly Json[], { emoji }: TelegramReceiveContext): ReadonlySet<string> =>
  new Set(reactions.map(emoji).filter((one) => one !== ""));

/** Somebody is in the chat now, or no more. Null: that was so before, or it is about us. */
export function came(
  { chat, atMs, by, user, was, is }: TelegramComing,
  { channel, update }: { readonly channel: ChannelRef; readonly update: number },
  context: TelegramReceiveContext,
): Membership | null {
  if (was === is || user.id === context.me) return null;
  const key = `m/${chat.id}/${user.id}/${update}`;
  return member({ user, by, isIn: is, key, atMs, channel }, context);
}

function comers(
  { chat, id, atMs, from, raw }: TelegramMessage,
  key: "new_chat_members" | "left_chat_member",
  channel: ChannelRef,
  context: TelegramReceiveContext,
): readonly Membership[] {
  const isIn = key === "new_chat_members";
  const users = (isIn ? objectsIn(raw, key) : [raw[key]]).flatMap((one) => telegramUserIn(one) ?? []);
  // We say nothing of ourselves.
  return users
    .filter((user) => user.id !== context.me)
    .map((user) => member({ user, by: from, isIn, key: `m/${chat.id}/${id}/${user.id}`, atMs, channel }, context));
}

/** The writer of the message has come by way of a community. */
function fromCommunity(
  { chat, id, atMs, from, raw }: TelegramMessage,
  channel: ChannelRef,
  context: TelegramReceiveContext,
): readonly Membership[] {
  if (from === null || from.id === context.me) return [];
  const come = member(
    { user: from, by: null, isIn: true, key: `m/${chat.id}/${id}/${from.id}`, atMs, channel },
    context,
  );
  return [{ ...come, text: `${come.text} from ${communityWords(objectIn(raw, "community_chat_joined"))}` }];
}

interface Come {
  readonly user: TelegramUser;
  readonly by: TelegramUser | null;
  readonly isIn: boolean;
  readonly key: string;
  readonly atMs: number;
  readonly channel: ChannelRef;
}

function member({ user, by, isIn, key, atMs, channel }: Come, context: TelegramReceiveContext): Membership {
  const author = context.person(user);
  const other = by === null || by.id === user.id ? null : context.person(by).name;
  const how = isIn ? ["joins", "was added by"] : ["leaves", "was removed by"];
  return {
    kind: "member",
    channel,
    key: eventKey(key),
    atMs,
    echoOf: null,
    author,
    change: isIn ? "join" : "leave",
    text: other === null ? `${author.name} ${how[0]}` : `${author.name} ${how[1]} ${other}`,
  };
}

/** The chat, or a topic of it, has another name. */
function renamed(
  message: TelegramMessage,
  key: "new_chat_title" | "forum_topic_edited",
  channel: ChannelRef,
  context: TelegramReceiveContext,
): Topic {
  const { chat, id, atMs, raw } = message;
  const isChat = key === "new_chat_title";
  const name = excerpt(textIn(isChat ? raw : objectIn(raw, key), isChat ? key : "name") ?? "", NAME_MAX);
  const author = context.author(message);
  const what = isChat ? "the name of the chat" : name === "" ? "the icon of the topic" : "the name of the topic";
  return {
    kind: "topic",
    channel,
    key: eventKey(`p/${chat.id}/${id}`),
    atMs,
    echoOf: echoOf(message, context),
    author,
    // It is a name: what Telegram describes a chat with is told to nobody.
    topic: null,
    text: `${author.name} changed ${what}${name === "" ? "" : ` to: ${name}`}`,
  };
}

const NAME_MAX = 256;

const refOf = ({ chat, id }: TelegramMessage): MessageRef => messageRef(chat.id, id, chat.type === "group");

const echoOf = ({ from }: TelegramMessage, { me }: TelegramReceiveContext): "self" | null =>
  from?.id === me ? "self" : null;

function bodyOf(
  messages: readonly TelegramMessage[],
  first: TelegramMessage,
  context: TelegramReceiveContext,
): SaidBody | null {
  if (serviceKey(first.raw) !== null) {
    const words = serviceWords(first.raw);
    return words === null ? null : { style: "action", source: telegramSource(words, []), files: [] };
  }
  const above = before(first, context);
  const below = joinedSaid([linkButtons(first.raw), through(first.raw)]);
  const files = messages.flatMap(({ raw, id }) => allFilesOf(raw, id, context.stickersAsPng, context.stickersAsStills));
  const rich = richBlocks(first.raw["rich_message"]);
  if (rich.length > 0) {
    const [over, under] = [joinedSaid(above), below].map(({ text, entities }) => telegramBlocks(text, entities));
    return { style: "normal", source: treeSource([...(over ?? []), ...rich, ...(under ?? [])]), files };
  }
  const { text, entities } = joinedSaid([...above, ...messages.map(({ raw }) => contentWords(raw)), below]);
  if (text === "" && files.length === 0) return null;
  return { style: "normal", source: telegramSource(text, entities), files };
}

/** What stands above a message: whose words it repeats, and what it answers that is not here. */
function before(message: TelegramMessage, context: TelegramReceiveContext): readonly TelegramSaid[] {
  const { raw } = message;
  const origin = isAutomatic(raw) ? "" : originWords(objectIn(raw, "forward_origin"));
  const parts = origin === "" ? [] : [inFormat("italic", bare(`Forwarded from ${origin}:`))];
  const reply = objectIn(raw, "reply_to_message");
  const quote = isElsewhere(reply) ? null : formatted(objectIn(raw, "quote"), "text");
  const elsewhere = objectIn(raw, "external_reply");
  if (elsewhere !== NOTHING) {
    const who = originWords(objectIn(elsewhere, "origin")) || "somebody";
    const words = quote ?? bare(shortWords(elsewhere));
    return [...parts, inFormat("italic", bare(`In answer to ${who}:`)), inFormat("blockquote", words)];
  }
  const story = objectIn(raw, "reply_to_story");
  if (story !== NOTHING) {
    const of = personWords(objectIn(story, "chat"));
    return [...parts, inFormat("italic", bare(`In answer to a story of ${of}:`))];
  }
  if (quote !== null && objectIn(raw, "quote")["is_manual"] === true) return [...parts, inFormat("blockquote", quote)];
  return isCopy(reply, context) ? [...parts, inFormat("blockquote", bare(shortWords(reply)))] : parts;
}

/** The buttons below a message that lead somewhere: others do nothing on other networks. */
function linkButtons(raw: Json): TelegramSaid {
  const rows = listIn(objectIn(raw, "reply_markup"), "inline_keyboard");
  let text = "";
  const entities: Json[] = [];
  for (const button of rows.flatMap((row): readonly unknown[] => (Array.isArray(row) ? row : []))) {
    const url = isObject(button) ? (textIn(button, "url") ?? "") : "";
    if (!isObject(button) || !/^https?:/iu.test(url) || entities.length === BUTTONS_MAX) continue;
    if (text !== "") text += " / ";
    const words = cleanName(textIn(button, "text") ?? "") || url;
    entities.push({ type: "text_link", offset: text.length, length: words.length, url });
    text += words;
  }
  return { text, entities };
}

/** Messages may have a hundred. */
const BUTTONS_MAX = 20;

/** By which bot something was made, or for whom a bot that is a guest made it. */
function through(raw: Json): TelegramSaid {
  const name = cleanName(textIn(objectIn(raw, "via_bot"), "username") ?? "");
  const caller = [raw["guest_bot_caller_user"], raw["guest_bot_caller_chat"]].find((one) => isObject(one));
  const asked = caller === undefined || isObject(raw["reply_to_message"]) ? "" : `for ${personWords(caller)}`;
  return inFormat("italic", bare(name === "" ? asked : `via @${name}`));
}

/** Who said it first. */
function originWords(origin: Json): string {
  const signature = cleanName(textIn(origin, "author_signature") ?? "");
  const name = [origin["sender_user"], origin["sender_chat"], origin["chat"]].find((one) => isObject(one));
  const hidden = cleanName(textIn(origin, "sender_user_name") ?? "");
  const who = name === undefined ? hidden : personWords(name);
  return signature === "" || signature === who ? who : `${signature} (${who})`;
}

/** What a channel said that we are told there: of its copy here nobody else has heard. */
function isCopy(raw: Json, { isJoined }: TelegramReceiveContext): boolean {
  const channel = peerIn(raw["sender_chat"]);
  return isAutomatic(raw) && channel !== null && isJoined(channel.id);
}

/** Null: it answers nothing that was told. What is in a topic answers its beginning, where it answers nothing else. */
function answered({ raw, chat, topic }: TelegramMessage, context: TelegramReceiveContext): MessageRef | null {
  const reply = objectIn(raw, "reply_to_message");
  const id = idIn(reply, "message_id");
  if (id === null || id === topic || isElsewhere(reply)) return null;
  if (isQuietService(reply) || isCopy(reply, context)) return null;
  const other = peerIn(reply["chat"]);
  if (other !== null && other.id !== chat.id) return null;
  return messageRef(chat.id, id, chat.type === "group");
}
