import type { ChatFullInfo, ChatMember, UserFromGetMe } from "@grammyjs/types";
import { isReaction } from "./reactions.ts";
import type { AdminRight, BotRow, ChatRow, MemberRow } from "./wire.ts";
import { ALL_PERMISSIONS } from "./world.ts";

/** A bot as it sees itself. */
export const meOf = (bot: BotRow): UserFromGetMe => ({
  ...bot.user,
  can_join_groups: true,
  can_read_all_group_messages: !bot.hasPrivacy,
  supports_inline_queries: false,
  supports_join_request_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
});

export function memberOf(chat: ChatRow, member: MemberRow): ChatMember {
  const { user, status, isAnonymous, title } = member;
  const has = (right: AdminRight): boolean => member.rights.has(right);
  const titled = title === "" ? {} : { custom_title: title };
  switch (status) {
    case "creator":
      return { status, user, is_anonymous: isAnonymous, ...titled };
    case "administrator": {
      const isChannel = chat.wire.type === "channel";
      return {
        status,
        user,
        can_be_edited: false,
        is_anonymous: isAnonymous,
        can_manage_chat: has("can_manage_chat"),
        can_delete_messages: has("can_delete_messages"),
        can_manage_video_chats: has("can_manage_video_chats"),
        can_restrict_members: has("can_restrict_members"),
        can_promote_members: has("can_promote_members"),
        can_change_info: has("can_change_info"),
        can_invite_users: has("can_invite_users"),
        can_post_stories: false,
        can_edit_stories: false,
        can_delete_stories: false,
        can_send_welcome_messages: false,
        ...(isChannel
          ? { can_post_messages: has("can_post_messages"), can_edit_messages: has("can_edit_messages") }
          : { can_pin_messages: has("can_pin_messages"), can_manage_topics: has("can_manage_topics") }),
        ...titled,
      };
    }
    case "restricted":
      return {
        status,
        user,
        is_member: true,
        ...ALL_PERMISSIONS,
        ...Object.fromEntries(Object.keys(ALL_PERMISSIONS).map((name) => [name, false])),
        ...member.permissions,
        until_date: 0,
      };
    case "kicked":
      return { status, user, until_date: 0 };
    case "member":
    case "left":
      return { status, user };
  }
}

/** A chat with what only a question of its own shows. */
export function fullOf(chat: ChatRow): ChatFullInfo {
  const common = {
    accent_color_id: 2,
    max_reaction_count: 11,
    accepted_gift_types: {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    },
  };
  const { wire, description, reactions, linked } = chat;
  const shown = {
    ...(description !== "" && { description }),
    ...(reactions !== null && {
      available_reactions: reactions.filter(isReaction).map((emoji) => ({ type: "emoji" as const, emoji })),
    }),
  };
  const linkedId = linked === null ? {} : { linked_chat_id: linked.id };
  switch (wire.type) {
    case "private":
      return { ...wire, ...common };
    case "group":
      return { ...wire, ...common, ...shown, permissions: chat.permissions };
    case "supergroup": {
      const slow = chat.slowMode === 0 ? {} : { slow_mode_delay: chat.slowMode };
      return { ...wire, ...common, ...shown, ...linkedId, ...slow, permissions: chat.permissions };
    }
    case "channel":
      return { ...wire, ...common, ...shown, ...linkedId };
  }
}
