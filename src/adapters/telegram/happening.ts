import { isObject, type Json, objectIn, textIn } from "../kit/json.ts";
import {
  idIn,
  objectsIn,
  peerIn,
  telegramMessageIn,
  type TelegramMessage,
  type TelegramPeer,
  type TelegramUpdate,
  type TelegramUser,
  telegramUserIn,
  timeIn,
} from "./model.ts";

/** All reactions of one person to a message, in place of those before. */
export interface TelegramReacting {
  readonly chat: TelegramPeer;
  readonly message: number;
  readonly atMs: number;
  /** Who it was, or, of those who are hidden, the chat that stands for them. */
  readonly from: TelegramUser | null;
  readonly senderChat: TelegramPeer | null;
  readonly before: readonly Json[];
  readonly now: readonly Json[];
}

/** What somebody is in a chat from now on. */
export interface TelegramComing {
  readonly chat: TelegramPeer;
  readonly atMs: number;
  /** Who has done it. */
  readonly by: TelegramUser | null;
  readonly user: TelegramUser;
  readonly was: boolean;
  readonly is: boolean;
}

/** What an update says, as far as it concerns us. */
export type TelegramHappening =
  | { readonly is: "said" | "edited"; readonly message: TelegramMessage }
  | { readonly is: "reacted"; readonly reacting: TelegramReacting }
  | { readonly is: "came"; readonly coming: TelegramComing }
  | { readonly is: "other" };

/** … and what of it may be told. */
export type TelegramHappened = Exclude<TelegramHappening, { readonly is: "other" }>;

export function telegramHappeningIn({ kind, body }: TelegramUpdate): TelegramHappening {
  switch (kind) {
    case "message":
    case "channel_post":
    case "edited_message":
    case "edited_channel_post": {
      const message = telegramMessageIn(body);
      return message === null ? OTHER : { is: kind.startsWith("edited") ? "edited" : "said", message };
    }
    case "message_reaction": {
      const reacting = reactingIn(body);
      return reacting === null ? OTHER : { is: "reacted", reacting };
    }
    case "chat_member": {
      const coming = comingIn(body);
      return coming === null ? OTHER : { is: "came", coming };
    }
    default:
      return OTHER;
  }
}

const OTHER: TelegramHappening = { is: "other" };

/** Null where nobody is named. */
function reactingIn(raw: Json): TelegramReacting | null {
  const chat = peerIn(raw["chat"]);
  const message = idIn(raw, "message_id");
  const [from, senderChat] = [telegramUserIn(raw["user"]), peerIn(raw["actor_chat"])];
  if (chat === null || message === null || (from === null && senderChat === null)) return null;
  const [before, now] = [objectsIn(raw, "old_reaction"), objectsIn(raw, "new_reaction")];
  return { chat, message, atMs: timeIn(raw, "date"), from, senderChat, before, now };
}

function comingIn(raw: Json): TelegramComing | null {
  const chat = peerIn(raw["chat"]);
  const [before, now] = [objectIn(raw, "old_chat_member"), objectIn(raw, "new_chat_member")];
  const user = telegramUserIn(now["user"]);
  if (chat === null || user === null || !isObject(raw["new_chat_member"])) return null;
  const by = telegramUserIn(raw["from"]);
  return { chat, atMs: timeIn(raw, "date"), by, user, was: isMember(before), is: isMember(now) };
}

function isMember(member: Json): boolean {
  const status = textIn(member, "status") ?? "left";
  return status === "restricted" ? member["is_member"] === true : status !== "left" && status !== "kicked";
}

/** Where it happened. */
export function chatOf(what: TelegramHappened): TelegramPeer {
  switch (what.is) {
    case "reacted":
      return what.reacting.chat;
    case "came":
      return what.coming.chat;
    case "said":
    case "edited":
      return what.message.chat;
  }
}

/** The person who did it; null: a chat did. */
export function whoIn(what: TelegramHappened): TelegramUser | null {
  switch (what.is) {
    case "reacted":
      return what.reacting.from;
    case "came":
      return what.coming.user;
    case "said":
    case "edited":
      return what.message.senderChat === null ? what.message.from : null;
  }
}
