import type { Chat, ChatPermissions, User } from "@grammyjs/types";
import { Clock, newSecret } from "./clock.ts";
import type { AdminRight, BotRow, ChatRow, MemberRow, MessageRow } from "./wire.ts";

/** All that members may do where nothing is restricted. */
export const ALL_PERMISSIONS = {
  can_send_messages: true,
  can_send_audios: true,
  can_send_documents: true,
  can_send_photos: true,
  can_send_videos: true,
  can_send_video_notes: true,
  can_send_voice_notes: true,
  can_send_polls: true,
  can_send_other_messages: true,
  can_add_web_page_previews: true,
  can_react_to_messages: true,
  can_change_info: false,
  can_invite_users: true,
  can_edit_tag: false,
  can_pin_messages: false,
  can_manage_topics: false,
} as const satisfies ChatPermissions;

/** What administrators have who are made so without a word on what they may do. */
export const USUAL_RIGHTS: readonly AdminRight[] = [
  "can_manage_chat",
  "can_delete_messages",
  "can_restrict_members",
  "can_change_info",
  "can_invite_users",
  "can_pin_messages",
  "can_manage_topics",
  "can_post_messages",
  "can_edit_messages",
];

/** Who stands for administrators that hide, for channels, and for the service itself. */
export const ANONYMOUS: User = { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
export const AS_CHANNEL: User = { id: 136_817_688, is_bot: true, first_name: "Channel", username: "Channel_Bot" };
export const SERVICE: User = { id: 777_000, is_bot: false, first_name: "Telegram" };

/** All that is stored. */
export class World {
  readonly clock = new Clock();
  readonly users = new Map<number, User>();
  readonly bots = new Map<number, BotRow>();
  readonly chats = new Map<number, ChatRow>();
  /** By bot and person. */
  readonly privates = new Map<string, ChatRow>();
  /** Since when which bot types in a chat, by the ids of both. */
  readonly typists = new Map<number, Map<number, number>>();
  #last = 100_000_000;

  addUser(name: string, more: Partial<User> = {}): User {
    const user = { id: (this.#last += 101), is_bot: false, first_name: name, language_code: "en", ...more };
    this.users.set(user.id, user);
    return user;
  }

  addBot(name: string): BotRow {
    const id = (this.#last += 101);
    const bot: BotRow = {
      user: { id, is_bot: true, first_name: name, username: `${name.replaceAll(/\W/g, "")}_bot` },
      token: `${id}:${newSecret(26)}`,
      revoked: new Set(),
      hasPrivacy: true,
      hearsBots: false,
      loggedOut: false,
      webhook: "",
      allowed: null,
    };
    this.bots.set(id, bot);
    this.users.set(id, bot.user);
    return bot;
  }

  addGroup(title: string, creator: User): ChatRow {
    const id = -(this.#last += 101);
    return this.#add({ id, type: "group", title }, creator);
  }

  addSupergroup(title: string, creator: User, more: { username?: string; is_forum?: true } = {}): ChatRow {
    return this.#add({ id: this.#longId(), type: "supergroup", title, ...more }, creator);
  }

  addChannel(title: string, creator: User, username?: string): ChatRow {
    const wire = { id: this.#longId(), type: "channel" as const, title, ...(username !== undefined && { username }) };
    return this.#add(wire, creator);
  }

  /** The chat of a person with a bot, which has the person's id; it is made where it is not there. */
  privateChat(bot: BotRow, user: User): ChatRow {
    const key = `${bot.user.id}:${user.id}`;
    const known = this.privates.get(key);
    if (known !== undefined) return known;
    const { id, first_name, last_name, username } = user;
    const names = { ...(last_name !== undefined && { last_name }), ...(username !== undefined && { username }) };
    const chat = this.#row({ id, type: "private", first_name, ...names });
    for (const one of [user, bot.user]) chat.members.set(one.id, newMember(one));
    this.privates.set(key, chat);
    return chat;
  }

  chat(id: number): ChatRow {
    const chat = this.chats.get(id);
    if (chat === undefined) throw new Error(`there is no chat ${id}`);
    return chat;
  }

  message(chat: ChatRow, id: number): MessageRow {
    const row = chat.messages.get(id);
    if (row === undefined) throw new Error(`there is no message ${id}`);
    return row;
  }

  /** A supergroup in place of a group, with its members. */
  successor(group: ChatRow): ChatRow {
    const chat = this.#row({ id: this.#longId(), type: "supergroup", title: group.wire.title ?? "" });
    for (const [id, member] of group.members) chat.members.set(id, { ...member });
    Object.assign(chat, { permissions: group.permissions, reactions: group.reactions });
    this.chats.set(chat.id, chat);
    return chat;
  }

  #longId(): number {
    return -1_000_000_000_000 - (this.#last += 101);
  }

  #add(wire: Chat, creator: User): ChatRow {
    const chat = this.#row(wire);
    chat.members.set(creator.id, { ...newMember(creator), status: "creator" });
    // The first says that it was made.
    if (wire.type !== "group") chat.lastId = 1;
    this.chats.set(chat.id, chat);
    return chat;
  }

  #row(wire: Chat): ChatRow {
    return {
      id: wire.id,
      wire,
      members: new Map(),
      messages: new Map(),
      lastId: 0,
      permissions: ALL_PERMISSIONS,
      slowMode: 0,
      reactions: null,
      linked: null,
      topics: new Map(),
      isGeneralClosed: false,
      migratedTo: null,
      lastBot: null,
      isBlocked: false,
      description: "",
    };
  }
}

export const newMember = (user: User): MemberRow => ({
  user,
  status: "member",
  rights: new Set(),
  permissions: {},
  isAnonymous: false,
  title: "",
  lastSaid: 0,
});
