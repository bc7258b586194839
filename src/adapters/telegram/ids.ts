import {
  type ChannelRef,
  type Cursor,
  type EventKey,
  type FileRef,
  type MessageRef,
  mint,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";
import { isObject, numberIn, parsed, textIn } from "../kit/json.ts";

/** Every name that the core is given of Telegram is made here. */

/** A chat by its id, and a topic of it; null: none, which in a forum is General. */
export interface TelegramAddress {
  readonly chat: number;
  readonly topic: number | null;
}

/** What stands in the configuration, as `-1001234567890` or `-1001234567890/5`; null for anything else. */
export function readAddress(name: string): TelegramAddress | null {
  const found = /^(?<chat>-?[1-9]\d{0,15})(?:\/(?<topic>[1-9]\d{0,9}))?$/u.exec(name.trim());
  const { chat, topic } = found?.groups ?? {};
  if (chat === undefined) return null;
  // General is told without a number everywhere, though its own is 1.
  return { chat: Number(chat), topic: topic === undefined || topic === "1" ? null : Number(topic) };
}

/** By the address of the configuration, also after the chat has got another id. */
export const channelRef = ({ chat, topic }: TelegramAddress): ChannelRef =>
  mint("ChannelRef", topic === null ? String(chat) : `${chat}/${topic}`);

/** Messages of a basic group are counted anew once it is a supergroup. */
export const messageRef = (chat: number, id: number, isBasicGroup: boolean): MessageRef =>
  mint("MessageRef", isBasicGroup ? `${chat}/${id}` : String(id));

/** `chat`: the basic group that it was said in; null: the chat as it is now. Null for what is no message's name. */
export function readMessageRef(ref: MessageRef): { readonly chat: number | null; readonly id: number } | null {
  const { chat, id } = /^(?:(?<chat>-\d{1,16})\/)?(?<id>\d{1,15})$/u.exec(ref)?.groups ?? {};
  return id === undefined ? null : { chat: chat === undefined ? null : Number(chat), id: Number(id) };
}

export const eventKey = (text: string): EventKey => mint("EventKey", text);

/** A person, or the chat that speaks in its own name. */
export const userRef = (id: number | string): UserRef => mint("UserRef", String(id));

export const cursorOf = (positions: object): Cursor => mint("Cursor", JSON.stringify(positions));

/** What of a post is sent. */
export const progressAt = (end: string): Progress => mint("Progress", end);

/** What `openFile` is asked for. The address of its content is looked up when it is opened. */
export interface TelegramFile {
  /** The file's id at Telegram. */
  readonly id: string;
  readonly name: string;
  readonly bytes: number | null;
  readonly mime: string | null;
  /** What it was announced as, and so has to be made: PNG, of a sticker that stands still or of one that moves. */
  readonly to?: "png" | "still";
}

export const fileRef = ({ id, name, bytes, mime, to }: TelegramFile): FileRef =>
  mint("FileRef", JSON.stringify({ id, name, bytes, mime, to }));

export function readFileRef(ref: FileRef): TelegramFile | null {
  const said = parsed(ref);
  if (!isObject(said)) return null;
  const id = textIn(said, "id") ?? "";
  if (id === "") return null;
  const file = { id, name: textIn(said, "name") ?? "", bytes: numberIn(said, "bytes"), mime: textIn(said, "mime") };
  const to = (["png", "still"] as const).find((one) => one === said["to"]);
  return to === undefined ? file : { ...file, to };
}
