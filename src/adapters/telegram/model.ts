import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";

/** The network's records, as far as a bridge needs them. What lacks its id is none. */
export interface TelegramUser {
  readonly id: number;
  readonly isBot: boolean;
  readonly firstName: string;
  readonly lastName: string;
  /** Without `@`; empty: there is none. */
  readonly username: string;
}

/** A chat, as the messages in it and those of others say. */
export interface TelegramPeer {
  readonly id: number;
  /** `private`, `group`, `supergroup`, `channel`. */
  readonly type: string;
  /** Of a private chat, the name of the person. */
  readonly title: string;
  /** Without `@`; empty: there is none. */
  readonly username: string;
}

/** A text with its formats, in units of UTF-16. */
export interface TelegramSaid {
  readonly text: string;
  /** As they came. */
  readonly entities: readonly Json[];
}

export interface TelegramMessage {
  /** Its own only within its chat. */
  readonly id: number;
  readonly chat: TelegramPeer;
  /** Of a forum; null: it is in none, or in the first one, which has no number. */
  readonly topic: number | null;
  readonly atMs: number;
  /** Null in channels. */
  readonly from: TelegramUser | null;
  /** A chat that speaks in place of a person: a channel, or the group of an administrator who is hidden. */
  readonly senderChat: TelegramPeer | null;
  /** Who wrote it in a channel, or the title of an administrator who is hidden; empty: nobody says. */
  readonly signature: string;
  /** Text, or caption. */
  readonly said: TelegramSaid;
  /** What the messages of one album have in common; empty: it is in none. */
  readonly group: string;
  /** All the rest of what came. */
  readonly raw: Json;
}

/** One thing that happened. */
export interface TelegramUpdate {
  readonly id: number;
  /** `message`, `edited_message`, … */
  readonly kind: string;
  readonly body: Json;
}

/** Null for what has no id: it cannot be confirmed either. */
export function updateIn(raw: unknown): TelegramUpdate | null {
  if (!isObject(raw)) return null;
  const id = idIn(raw, "update_id");
  if (id === null) return null;
  const kind = Object.keys(raw).find((key) => key !== "update_id" && isObject(raw[key])) ?? "";
  return { id, kind, body: objectIn(raw, kind) };
}

export function telegramMessageIn(raw: unknown): TelegramMessage | null {
  if (!isObject(raw)) return null;
  const id = idIn(raw, "message_id");
  const chat = peerIn(raw["chat"]);
  if (id === null || chat === null) return null;
  return {
    id,
    chat,
    topic: topicIn(raw, chat),
    atMs: timeIn(raw, "date"),
    from: telegramUserIn(raw["from"]),
    senderChat: peerIn(raw["sender_chat"]),
    signature: textIn(raw, "author_signature") ?? "",
    said: formatted(raw, "text") ?? formatted(raw, "caption") ?? NOTHING_SAID,
    group: textIn(raw, "media_group_id") ?? "",
    raw,
  };
}

export function telegramUserIn(raw: unknown): TelegramUser | null {
  if (!isObject(raw)) return null;
  const id = idIn(raw, "id");
  if (id === null) return null;
  return {
    id,
    isBot: raw["is_bot"] === true,
    firstName: textIn(raw, "first_name") ?? "",
    lastName: textIn(raw, "last_name") ?? "",
    username: textIn(raw, "username") ?? "",
  };
}

export function peerIn(raw: unknown): TelegramPeer | null {
  if (!isObject(raw)) return null;
  const id = idIn(raw, "id");
  if (id === null) return null;
  const person = telegramUserIn(raw);
  const name = person === null ? "" : `${person.firstName} ${person.lastName}`.trim();
  return {
    id,
    type: textIn(raw, "type") ?? "",
    title: textIn(raw, "title") ?? name,
    username: textIn(raw, "username") ?? "",
  };
}

const NOTHING_SAID: TelegramSaid = { text: "", entities: [] };

/** Null: there is no such text. */
export function formatted(from: Json, key: string): TelegramSaid | null {
  const text = textIn(from, key);
  const name = key === "text" ? "entities" : `${key}_entities`;
  return text === null ? null : { text, entities: listIn(from, name).filter((one) => isObject(one)) };
}

/**
 * In other groups than forums, what answers something is in a thread, which is no topic. What a person and a bot say to
 * each other may be in topics, too, but is one room.
 */
function topicIn(raw: Json, { type }: TelegramPeer): number | null {
  const topic = raw["is_topic_message"] === true && type !== "private" ? idIn(raw, "message_thread_id") : null;
  return topic === GENERAL ? null : topic;
}

/** The first topic of a forum. */
const GENERAL = 1;

/** Ids of chats have up to 52 bits, and those of groups are negative. */
export function idIn(from: Json, key: string): number | null {
  const id = numberIn(from, key);
  return id !== null && Number.isSafeInteger(id) ? id : null;
}

/** Unix milliseconds. */
export const timeIn = (from: Json, key: string): number => Math.max(0, numberIn(from, key) ?? 0) * 1000;

/** Those in a list that are objects. */
export const objectsIn = (from: Json, key: string): readonly Json[] => listIn(from, key).filter((one) => isObject(one));
