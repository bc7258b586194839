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
  title: string;
  readonly isForum: boolean;
  /** The channel that this group discusses, or the group that discusses this channel. */
  readonly linked: number | null;
  /** Whether we are an administrator, or it is ours alone: then reactions of others are told. */
  isAdmin: boolean;
  /** The emoji that can be put on here; null: all that Telegram has for it. */
  readonly reactions: readonly string[] | null;
  /** Posts to it can be sent. */
  joined: boolean;
}
