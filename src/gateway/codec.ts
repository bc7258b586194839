import type { Source } from "../contract/content.ts";
import type { FileId, MessageRef, Progress } from "../contract/ids.ts";
import type { FileChanges } from "../contract/ops.ts";
import type { Extra, Message } from "../contract/message.ts";
import type { Seq } from "../log/log.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

/**
 * The message as the log and the HTTP API carry it: compact JSON, the 13 keys in the order of the API specification §2
 * (`hops` after them when it says anything), and no character that some clients take for the end of a line.
 */
export function encode(message: Message): string {
  return toJson(ordered(message));
}

/** The inverse of `encode`, for strings that `encode` made; throws on anything that is no object in JSON. */
export function decode(payload: string): Message {
  return parseAs(payload, isEncoded);
}

/** Which is not looked into: it is done for every message that is read. */
const isEncoded = (value: unknown): value is Message & Internal & Earlier => isObject(value);

/**
 * What an entry of the log holds: the message as readers of the API see it, and after it what only destinations need.
 */
export interface Stored {
  readonly message: Message;
  /** The text as its network wrote it, where that says more than the message's own. */
  readonly source: Source | null;
  readonly about: About | null;
  /** One for each of the message's files: how to get it; null: the message itself holds it, or nobody has it. */
  readonly files: readonly (FileId | null)[];
  /** How to get the author's avatar; null: the message's URL is the only way. */
  readonly avatar: FileId | null;
  /** As `Topic.topic` in contract/events.ts; null of all other events. */
  readonly topic: string | null;
  /** Of a member who takes another name: that name. Absent of all others, and in what earlier versions stored. */
  readonly newName?: string;
  /** The author is a program, says the network. Absent: not known to be, as in all that earlier versions stored. */
  readonly bot?: boolean;
  /** Whom it may notify at most, wherever it goes; absent: whom a destination lets it. */
  readonly mentions?: Mentions;
  /** Of an entry that has one destination send a message again; absent of all others. */
  readonly again?: Again;
}

/** How a message is sent again to one destination. */
export interface Again {
  /** The message. */
  readonly of: Seq;
  /** It goes on behind here; null: nothing of it is there. */
  readonly from: Progress | null;
  /** Its copies there, when that was asked for. */
  readonly messages: readonly MessageRef[];
}

/** `none`: nobody. `users`: who is named, but no whole room. */
export type Mentions = "none" | "users";

/**
 * The message that an entry acts on. `seq`, `name`, `excerpt`: as `Known` in log/log.ts; `seq` null: one that nobody
 * knows.
 */
export interface About {
  readonly is: "reply" | "edit" | "delete" | "reaction";
  readonly seq: Seq | null;
  readonly name: string;
  /** Of an edit: what it said before. */
  readonly excerpt: string;
  /**
   * Of a reply: the first message of the thread it belongs to; null: none, or nobody knows it. `seq` is the same where
   * it answers no other.
   */
  readonly thread: Seq | null;
  /** Of a deletion: who wrote the message, as the origin has the person, and the account by which it came. */
  readonly author: { readonly id: string; readonly account: string } | null;
  /** Of a reaction. */
  readonly emoji: string;
  readonly on: boolean;
  /** Of an edit. */
  readonly changed?: FileChanges;
  /** Of an edit: its files are all that the message has. Absent: where it has none, the earlier ones stay. */
  readonly hasAllFiles?: boolean;
}

/** `Stored` as a string: `encode`, and what else there is after it. Readers of the API are shown the message alone. */
export function encodeStored(stored: Stored): string {
  const { message, source, about, files, avatar, topic, newName, bot = false, mentions, again } = stored;
  const hasFiles = files.some((file) => file !== null);
  const isNews = topic !== null || newName !== undefined;
  const saysNothing = source === null && about === null && avatar === null && !isNews;
  const isBareMessage = saysNothing && !hasFiles && !bot && mentions === undefined && again === undefined;
  if (isBareMessage) return encode(message);
  // Key by key, in their order: a spread of each costs more than all of the rest.
  const whole: Mutable<Message & Internal> = ordered(message);
  if (source !== null) whole.source = shortSource(source, message);
  if (about !== null) whole.about = about;
  if (hasFiles) whole.files = files;
  if (avatar !== null) whole.avatarFile = avatar;
  if (topic !== null) whole.topic = topic;
  if (newName !== undefined) whole.newName = newName;
  if (bot) whole.bot = true;
  if (mentions !== undefined) whole.mentions = mentions;
  if (again !== undefined) whole.again = again;
  whole.internal = true;
  return toJson(whole);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const shortSource = ({ format, text }: Source, message: Message): NonNullable<Internal["source"]> =>
  text === message.text ? { format } : { format, text };

/** The inverse of `encodeStored`; takes what earlier versions stored, too. */
export function decodeStored(payload: string): Stored {
  const value = parseAs(payload, isEncoded);
  const {
    source,
    about,
    files,
    avatarFile,
    picture,
    topic,
    newName,
    bot,
    mentions,
    again,
    internal: _,
    behind: __,
    ...message
  } = value;
  const avatar = avatarFile ?? picture ?? null;
  const more = {
    ...(newName !== undefined && { newName }),
    ...(bot === true && { bot }),
    ...(mentions !== undefined && { mentions }),
    ...(again !== undefined && { again }),
  };
  const rest = { avatar, topic: topic ?? null, ...more };
  const whole = source === undefined ? null : { format: source.format, text: source.text ?? message.text };
  return { message, source: whole, about: about ?? null, files: files ?? [], ...rest };
}

/** Whether a string is one that `encodeStored` may have made: on a failing disk anything may stand in its place. */
export function isStored(payload: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return false;
  }
  if (!isObject(value)) return false;
  const { Extra: extra, ...fields } = value;
  const hasFiles = isObject(extra) && Array.isArray(extra["file"]) && extra["file"].every(isObject);
  return TEXTS.every((name) => typeof fields[name] === "string") && (extra === null || hasFiles);
}

const TEXTS = ["text", "channel", "username", "userid", "avatar", "account", "event", "protocol", "gateway", "id"];

/** Whether a string that `encodeStored` made is the message and nothing more, so that a reader can have it as it is. */
export function isBare(payload: string): boolean {
  return !payload.endsWith(INTERNAL_END) && !payload.endsWith(EARLIER_END);
}

/** No message ends like this: its last key is `Extra` or `hops`. */
const INTERNAL_END = ',"internal":true}';
const EARLIER_END = ',"behind":true}';

/** The keys after those of the message. */
interface Internal {
  /** Without `text`: that of the message. */
  readonly source?: Pick<Source, "format"> & Partial<Source>;
  readonly about?: About;
  readonly files?: Stored["files"];
  readonly avatarFile?: FileId;
  readonly topic?: string;
  readonly newName?: string;
  readonly bot?: boolean;
  readonly mentions?: Mentions;
  readonly again?: Again;
  /** There are such keys. */
  readonly internal?: true;
}

/** The names that two of them had up to format 3 of the log. Such rows are read for good, and never rewritten. */
interface Earlier {
  readonly picture?: FileId;
  readonly behind?: true;
}

function toJson(value: Message & Internal): string {
  const json = JSON.stringify(value);
  // In JSON these three can only stand inside strings, where the escape means the same.
  return LINE_ENDS.test(json) ? json.replaceAll(EACH_LINE_END, escape) : json;
}

const LINE_ENDS = /[\u0085\u2028\u2029]/;
const EACH_LINE_END = /[\u0085\u2028\u2029]/g;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function ordered(message: Message): Message {
  const thirteen: Message = {
    text: message.text,
    channel: message.channel,
    username: message.username,
    userid: message.userid,
    avatar: message.avatar,
    account: message.account,
    event: message.event,
    protocol: message.protocol,
    gateway: message.gateway,
    parent_id: message.parent_id,
    timestamp: message.timestamp,
    id: message.id,
    Extra: message.Extra === null ? null : orderedExtra(message.Extra),
  };
  return message.hops !== undefined && message.hops > 0 ? { ...thirteen, hops: message.hops } : thirteen;
}

function orderedExtra(extra: Extra): Extra {
  return {
    file: extra.file.map(({ Name, Data, Comment, URL, Size, Avatar, SHA, NativeID, Spoiler }) => ({
      Name,
      Data,
      Comment,
      URL,
      Size,
      Avatar,
      SHA,
      NativeID,
      ...(Spoiler !== undefined && { Spoiler }),
    })),
  };
}
