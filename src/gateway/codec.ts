import type { Source } from "../contract/content.ts";
import type { Extra, Message } from "../contract/message.ts";

/**
 * The message as the log and the HTTP API carry it: compact JSON, the 13 keys in the order of the API specification §2
 * (`hops` after them when it says anything), and no character that some clients take for the end of a line.
 */
export function encode(message: Message): string {
  return toJson(ordered(message));
}

/** The inverse of `encode`, for strings that `encode` made; throws on anything that is not JSON. */
export function decode(payload: string): Message {
  return JSON.parse(payload) as Message;
}

/**
 * The message as an entry of the log has it: `encode`, and behind it the text as its network wrote it where that says more. Readers of
 * the API never get that key: what they are shown is encoded anew.
 */
export function encodeStored(message: Message, source: Source | null): string {
  if (source === null) return encode(message);
  return toJson({ ...ordered(message), source: { format: source.format, text: source.text } });
}

/** The inverse of `encodeStored`. */
export function decodeStored(payload: string): { readonly message: Message; readonly source: Source | null } {
  const { source, ...message } = JSON.parse(payload) as Message & { readonly source?: Source };
  return { message, source: source ?? null };
}

function toJson(value: Message & { readonly source?: Source }): string {
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
    file: extra.file.map(({ Name, Data, Comment, URL, Size, Avatar, SHA, NativeID }) => ({
      Name,
      Data,
      Comment,
      URL,
      Size,
      Avatar,
      SHA,
      NativeID,
    })),
  };
}
