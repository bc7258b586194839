import type { OpenedFile } from "../../contract/session.ts";
import type { TelegramText } from "../../content/telegram-write.ts";
import type { Upload } from "../kit/http.ts";
import { isObject, type Json, numberIn, textIn } from "../kit/json.ts";
import { type FormField, multipart } from "../kit/multipart.ts";
import { BotApi, type BotApiOptions } from "./bot-api.ts";
import type { TelegramAddress } from "./ids.ts";
import type { TelegramIdentity } from "./me.ts";
import { chatIn, membershipIn, type TelegramChat, type TelegramMembership } from "./model-chats.ts";
import type { TelegramResult } from "./result.ts";

/** A poll is answered after so long at the latest. */
export const POLL_S = 25;
/** … and a server that has not answered by then is gone. */
const POLL_MARGIN_MS = 10_000;
const LOOKUP_MS = 15_000;

/** What is told, beside what is told when nothing is said of it. */
const UPDATES = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "my_chat_member",
  "chat_member",
  "message_reaction",
];

/** How a file is shown. */
export type TelegramFileKind = "photo" | "video" | "audio" | "voice" | "animation" | "document";

export interface TelegramAttached {
  readonly kind: TelegramFileKind;
  readonly name: string;
  readonly file: Upload;
  /** Null: none. */
  readonly caption: TelegramText | null;
  /** It is covered until a reader asks for it; photos, videos and animations alone can be. */
  readonly isHidden: boolean;
}

/** Where something is said. */
export interface TelegramPlace extends TelegramAddress {
  /** The message that it answers; null: none. One that is gone is no failure. */
  readonly replyTo: number | null;
}

export interface TelegramTarget {
  readonly chat: number;
  readonly id: number;
}

/** A message as it was taken. */
export interface TelegramSent {
  readonly id: number;
  /** The chat's id. */
  readonly chat: number;
}

export interface TelegramPicture {
  readonly id: string;
  readonly bytes: number | null;
}

/** The Bot API as far as a bridge needs it. Every answer is a value, and none holds the token. */
export class TelegramApi {
  readonly #bot: BotApi;

  constructor(options: BotApiOptions) {
    this.#bot = new BotApi(options);
  }

  async me(signal: AbortSignal): Promise<TelegramResult<TelegramIdentity>> {
    return mapped(await this.#look("getMe", {}, signal), (user) => {
      if (!isObject(user)) return null;
      const id = numberIn(user, "id");
      const username = textIn(user, "username") ?? "";
      const name = textIn(user, "first_name") ?? username;
      return id === null ? null : { id, username, name, readsAll: user["can_read_all_group_messages"] === true };
    });
  }

  /** Where updates go instead; empty: nowhere. */
  async webhook(signal: AbortSignal): Promise<TelegramResult<string>> {
    return mapped(await this.#look("getWebhookInfo", {}, signal), (info) =>
      isObject(info) ? (textIn(info, "url") ?? "") : null,
    );
  }

  /** From `offset` on, which confirms all before it; waits for `waitS` where there are none. */
  async updates(
    { offset, waitS, most = 100 }: { readonly offset: number; readonly waitS: number; readonly most?: number },
    signal: AbortSignal,
  ): Promise<TelegramResult<readonly Json[]>> {
    const args = { offset, timeout: waitS, limit: most, allowed_updates: UPDATES };
    const timeoutMs = waitS * 1000 + POLL_MARGIN_MS;
    return mapped(await this.#bot.call("getUpdates", args, { signal, timeoutMs }), (list) =>
      Array.isArray(list) ? list.filter(isObject) : null,
    );
  }

  async chat(chat: number, signal: AbortSignal): Promise<TelegramResult<TelegramChat>> {
    return mapped(await this.#look("getChat", { chat_id: chat }, signal), chatIn);
  }

  /** How many are in it, all bots and ourselves counted. */
  async count(chat: number, signal: AbortSignal): Promise<TelegramResult<number>> {
    const answer = await this.#look("getChatMemberCount", { chat_id: chat }, signal);
    return mapped(answer, (count) => (typeof count === "number" ? count : null));
  }

  async membership(chat: number, user: number, signal: AbortSignal): Promise<TelegramResult<TelegramMembership>> {
    const args = { chat_id: chat, user_id: user };
    return mapped(await this.#look("getChatMember", args, signal), membershipIn);
  }

  /** The picture of somebody, in its smallest size of 160 pixels or so; null: none that we may see. */
  async picture(user: number, signal: AbortSignal): Promise<TelegramResult<TelegramPicture | null>> {
    const args = { user_id: user, limit: 1 };
    const answer = await this.#look("getUserProfilePhotos", args, signal);
    if (!answer.ok) return answer;
    const photos = isObject(answer.value) ? answer.value["photos"] : null;
    const sizes: unknown = Array.isArray(photos) ? photos[0] : null;
    const smallest: unknown = Array.isArray(sizes) ? sizes[0] : null;
    const id = isObject(smallest) ? textIn(smallest, "file_id") : null;
    if (id === null || !isObject(smallest)) return { ok: true, value: null };
    return { ok: true, value: { id, bytes: numberIn(smallest, "file_size") } };
  }

  /** For what is rare; it may be repeated. */
  async call(method: string, args: Json, signal: AbortSignal): Promise<TelegramResult<unknown>> {
    return await this.#look(method, args, signal);
  }

  /** By its id; the address at which its content is lives an hour, and holds the token. */
  async openFile(id: string, signal: AbortSignal): Promise<OpenedFile> {
    return await this.#bot.openFile(id, signal);
  }

  /** Shows for 5 s that the bot types. */
  async typing({ chat, topic }: TelegramAddress, signal: AbortSignal): Promise<TelegramResult<unknown>> {
    const args = { ...placed({ chat, topic, replyTo: null }), action: "typing" };
    return await this.#bot.call("sendChatAction", args, { signal });
  }

  async sendText(
    place: TelegramPlace,
    said: TelegramText & { readonly preview: boolean },
    signal: AbortSignal,
  ): Promise<TelegramResult<TelegramSent>> {
    const { text, entities, preview } = said;
    const args = { ...placed(place), text, entities, ...(!preview && NO_PREVIEW) };
    return mapped(await this.#bot.call("sendMessage", args, { signal }), sentIn);
  }

  async sendFile(
    place: TelegramPlace,
    attached: TelegramAttached,
    signal: AbortSignal,
  ): Promise<TelegramResult<TelegramSent>> {
    const { kind, name, file, caption } = attached;
    const fields = formOf({ ...placed(place), ...captioned(caption), ...manner(attached) });
    const form = multipart([...fields, { name: kind, fileName: name, file }]);
    const method = `send${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    return mapped(await this.#bot.upload(method, form, { signal }), sentIn);
  }

  /** Two to ten; in the order in which they are shown. */
  async sendAlbum(
    place: TelegramPlace,
    items: readonly TelegramAttached[],
    signal: AbortSignal,
  ): Promise<TelegramResult<readonly TelegramSent[]>> {
    const media = items.map((item, at) => ({
      type: item.kind,
      media: `attach://file${at}`,
      ...captioned(item.caption),
      ...manner(item),
    }));
    const files = items.map(({ name, file }, at) => ({ name: `file${at}`, fileName: name, file }));
    const form = multipart([...formOf({ ...placed(place), media }), ...files]);
    return mapped(await this.#bot.upload("sendMediaGroup", form, { signal }), (list) => {
      const sent = Array.isArray(list) ? list.map(sentIn) : [];
      return sent.length === items.length ? sent.filter((one) => one !== null) : null;
    });
  }

  async editText(
    { chat, id }: TelegramTarget,
    { text, entities, preview }: TelegramText & { readonly preview: boolean },
    signal: AbortSignal,
  ): Promise<TelegramResult<null>> {
    const args = { chat_id: chat, message_id: id, text, entities, ...(!preview && NO_PREVIEW) };
    return nothing(await this.#bot.call("editMessageText", args, { signal, again: true }));
  }

  async editCaption(
    { chat, id }: TelegramTarget,
    caption: TelegramText,
    signal: AbortSignal,
  ): Promise<TelegramResult<null>> {
    const args = { chat_id: chat, message_id: id, ...captioned(caption) };
    return nothing(await this.#bot.call("editMessageCaption", args, { signal, again: true }));
  }

  /** The file of a message, with its caption. */
  async editMedia(
    { chat, id }: TelegramTarget,
    { kind, name, file, caption, isHidden }: TelegramAttached,
    signal: AbortSignal,
  ): Promise<TelegramResult<null>> {
    const media = { type: kind, media: "attach://file0", ...captioned(caption), ...manner({ kind, isHidden }) };
    const form = multipart([
      ...formOf({ chat_id: chat, message_id: id, media }),
      { name: "file0", fileName: name, file },
    ]);
    return nothing(await this.#bot.upload("editMessageMedia", form, { signal }));
  }

  async delete({ chat, id }: TelegramTarget, signal: AbortSignal): Promise<TelegramResult<null>> {
    const args = { chat_id: chat, message_id: id };
    return nothing(await this.#bot.call("deleteMessage", args, { signal, again: true }));
  }

  /** Our one reaction to a message; null: none. */
  async react({ chat, id }: TelegramTarget, emoji: string | null, signal: AbortSignal): Promise<TelegramResult<null>> {
    const reaction = emoji === null ? [] : [{ type: "emoji", emoji }];
    const args = { chat_id: chat, message_id: id, reaction };
    return nothing(await this.#bot.call("setMessageReaction", args, { signal, again: true }));
  }

  async #look(method: string, args: Json, signal: AbortSignal): Promise<TelegramResult<unknown>> {
    return await this.#bot.call(method, args, { signal, timeoutMs: LOOKUP_MS, again: true });
  }
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } };

const placed = ({ chat, topic, replyTo }: TelegramPlace): Json => ({
  chat_id: chat,
  ...(topic !== null && { message_thread_id: topic }),
  ...(replyTo !== null && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
});

/** A document stays the file that it is: no sticker is made of it, and no animation. */
const manner = ({ kind, isHidden }: Pick<TelegramAttached, "kind" | "isHidden">): Json => {
  if (kind === "document") return { disable_content_type_detection: true };
  return { ...(kind === "video" && { supports_streaming: true }), ...(isHidden && { has_spoiler: true }) };
};

const captioned = (caption: TelegramText | null): Json =>
  caption === null ? {} : { caption: caption.text, caption_entities: caption.entities };

const formOf = (args: Json): readonly FormField[] =>
  Object.entries(args).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value.toWellFormed() : JSON.stringify(value),
  }));

function sentIn(message: unknown): TelegramSent | null {
  if (!isObject(message)) return null;
  const id = numberIn(message, "message_id");
  const chat = isObject(message["chat"]) ? numberIn(message["chat"], "id") : null;
  return id === null || chat === null ? null : { id, chat };
}

/** `map`: null for what no Bot API answers. */
function mapped<T>(answer: TelegramResult<unknown>, map: (result: unknown) => T | null): TelegramResult<T> {
  if (!answer.ok) return answer;
  const value = map(answer.value);
  return value === null ? { ok: false, failure: STRANGE } : { ok: true, value };
}

const STRANGE = {
  code: "remote_error",
  why: "unreadable",
  status: 200,
  description: "",
  message: "what answers is not the Bot API: check ApiURL",
  retryAfterMs: null,
  migrateTo: null,
  certain: false,
} as const;

const nothing = (answer: TelegramResult<unknown>): TelegramResult<null> =>
  answer.ok ? { ok: true, value: null } : answer;
