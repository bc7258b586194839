import type { TelegramIdentity } from "./me.ts";
import type { TelegramMembership } from "./model-chats.ts";
import type { TelegramChatType } from "./room.ts";

/** Null where we are in. */
export function notIn({ status, isMember }: TelegramMembership): "left" | "kicked" | null {
  if (status === "left" || status === "kicked") return status;
  return status === "restricted" && !isMember ? "left" : null;
}

export const NOT_IN = (username: string): string => `an administrator of the chat can add @${username} to it`;

/** What does not work for what we are there, and how to change it; null: nothing is missing. */
export function lacking(
  { readsAll, username }: Pick<TelegramIdentity, "readsAll" | "username">,
  type: TelegramChatType,
  { status, rights }: TelegramMembership,
): string | null {
  if (type === "private" || status === "creator") return null;
  const isAdmin = status === "administrator";
  if (type === "channel") {
    if (!isAdmin)
      return `@${username} is no administrator of the channel, and can neither read nor write there: make it one`;
    return rights["can_post_messages"] === true
      ? null
      : `@${username} may not post in the channel: give it the right Post Messages`;
  }
  const lacks = [
    ...(isAdmin || readsAll ? [] : [PRIVACY(username)]),
    ...(status === "restricted" && rights["can_send_messages"] !== true
      ? [`@${username} may not write in the chat: an administrator can allow it`]
      : []),
  ];
  return lacks.length === 0 ? null : lacks.join("; ");
}

const PRIVACY = (username: string): string =>
  `@${username} is told only what is meant for it, because its privacy mode is on: make it an administrator of the group, or write /setprivacy to @BotFather, choose the bot and Disable, and then remove it from the group and add it again`;
