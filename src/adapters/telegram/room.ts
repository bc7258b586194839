import type { ChannelRef } from "../../contract/ids.ts";

export type TelegramChatType = "private" | "group" | "supergroup" | "channel";

/** A chat, or a topic of one, that the core has. */
export interface TelegramRoom {
  readonly ref: ChannelRef;
  /** The chat's id as it is now: another one than in `ref` after a group has become a supergroup. */
  chat: number;
  /** `message_thread_id` of its topic; null: the whole chat, and in a forum General. */
  readonly topic: number | null;
  type: TelegramChatType;
  /** The emoji that can be put on here. */
  readonly reactions: readonly string[];
  /** Posts to it can be sent. */
  joined: boolean;
}
