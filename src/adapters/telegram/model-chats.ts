import { isObject, type Json, listIn, numberIn, textIn } from "../kit/json.ts";
import type { TelegramChatType } from "./room.ts";

/** What `getChat` says of a chat. */
export interface TelegramChat {
  readonly id: number;
  readonly type: TelegramChatType;
  readonly title: string;
  readonly isForum: boolean;
  /** Of the channel that this group discusses, or the group that discusses this channel. */
  readonly linked: number | null;
  /** Null: all that there are. */
  readonly reactions: readonly string[] | null;
  /** What all members may do. */
  readonly permissions: Json;
}

/** What we are in a chat, and may do there. */
export interface TelegramMembership {
  readonly status: "creator" | "administrator" | "member" | "restricted" | "left" | "kicked";
  /** By their names, such as `can_post_messages`. */
  readonly rights: Json;
  /** Of somebody restricted. */
  readonly isMember: boolean;
}

const TYPES: readonly TelegramChatType[] = ["private", "group", "supergroup", "channel"];

export function chatIn(said: unknown): TelegramChat | null {
  if (!isObject(said)) return null;
  const id = numberIn(said, "id");
  const type = TYPES.find((one) => one === said["type"]);
  if (id === null || type === undefined) return null;
  const linked = numberIn(said, "linked_chat_id");
  const name = [textIn(said, "first_name"), textIn(said, "last_name")].filter(Boolean).join(" ");
  return {
    id,
    type,
    title: textIn(said, "title") ?? name,
    isForum: said["is_forum"] === true,
    linked,
    reactions: Array.isArray(said["available_reactions"]) ? emojiIn(said) : null,
    permissions: isObject(said["permissions"]) ? said["permissions"] : {},
  };
}

const emojiIn = (said: Json): readonly string[] =>
  listIn(said, "available_reactions").flatMap((one) => {
    const emoji = isObject(one) && one["type"] === "emoji" ? textIn(one, "emoji") : null;
    return emoji === null ? [] : [emoji];
  });

const STATUSES = ["creator", "administrator", "member", "restricted", "left", "kicked"] as const;

export function membershipIn(said: unknown): TelegramMembership | null {
  if (!isObject(said)) return null;
  const status = STATUSES.find((one) => one === said["status"]);
  return status === undefined ? null : { status, rights: said, isMember: said["is_member"] === true };
}
