import type { ChatPermissions, User } from "@grammyjs/types";
import type { Messages } from "./messages.ts";
import { memberOf } from "./show.ts";
import { isIn, type Updates } from "./updates.ts";
import type { AdminRight, ChatRow, Content, MemberRow, MessageRow, TopicRow } from "./wire.ts";
import { ANONYMOUS, newMember, USUAL_RIGHTS, type World } from "./world.ts";

/** Who is in a chat, with what rights, and what else happens to chats. */
export class Groups {
  readonly #world: World;
  readonly #updates: Updates;
  readonly #messages: Messages;

  constructor(world: World, updates: Updates, messages: Messages) {
    this.#world = world;
    this.#updates = updates;
    this.#messages = messages;
  }

  /** What the server writes when somebody does something. */
  note(chat: ChatRow, actor: User, content: Content, topic?: number): MessageRow {
    const isHidden = chat.members.get(actor.id)?.isAnonymous === true;
    const who = chat.wire.type === "channel" || isHidden ? { sender_chat: chat.wire } : {};
    const from = chat.wire.type === "channel" ? {} : { from: isHidden ? ANONYMOUS : actor };
    return this.#messages.post(chat, {
      content: { ...from, ...who, ...content },
      by: actor.id,
      topic,
      isService: true,
    });
  }

  /** Somebody joins, or is added by another. In channels nobody is told but administrators. */
  enter(chat: ChatRow, user: User, actor: User = user): void {
    if (isIn(chat, user.id)) return;
    this.#change(chat, user, actor, (member) => {
      member.status = "member";
    });
    if (chat.wire.type !== "channel") this.note(chat, actor, { new_chat_members: [user] });
  }

  /** Somebody leaves, or is thrown out. */
  remove(chat: ChatRow, user: User, actor: User, status: "left" | "kicked"): void {
    if (!isIn(chat, user.id) && status === "left") return;
    const wasIn = isIn(chat, user.id);
    if (wasIn && chat.wire.type !== "channel") this.note(chat, actor, { left_chat_member: user });
    this.#change(chat, user, actor, (member) => {
      member.status = status;
    });
  }

  promote(chat: ChatRow, user: User, actor: User, rights: readonly AdminRight[] = USUAL_RIGHTS): void {
    this.#change(chat, user, actor, (member) => {
      member.status = "administrator";
      member.rights = new Set(rights);
    });
  }

  demote(chat: ChatRow, user: User, actor: User): void {
    this.#change(chat, user, actor, (member) => {
      member.status = "member";
      member.rights = new Set();
    });
  }

  /** What is not named is forbidden. */
  restrict(chat: ChatRow, user: User, actor: User, permissions: ChatPermissions): void {
    this.#change(chat, user, actor, (member) => {
      member.status = "restricted";
      member.permissions = permissions;
    });
  }

  rename(chat: ChatRow, actor: User, title: string): void {
    if (chat.wire.type === "private") throw new Error("a private chat has no title");
    chat.wire = { ...chat.wire, title };
    this.note(chat, actor, { new_chat_title: title });
  }

  createTopic(chat: ChatRow, actor: User, name: string): TopicRow {
    const next = chat.lastId + 1;
    const topic: TopicRow = { id: next, name, isClosed: false, isGone: false };
    chat.topics.set(next, topic);
    const made = { forum_topic_created: { name, icon_color: 7_322_096 } };
    this.note(chat, actor, { ...made, message_thread_id: next, is_topic_message: true });
    return topic;
  }

  renameTopic(chat: ChatRow, actor: User, topic: TopicRow, name: string): void {
    topic.name = name;
    this.note(chat, actor, { forum_topic_edited: { name } }, topic.id);
  }

  closeTopic(chat: ChatRow, actor: User, topic: TopicRow): void {
    topic.isClosed = true;
    this.note(chat, actor, { forum_topic_closed: {} }, topic.id);
  }

  reopenTopic(chat: ChatRow, actor: User, topic: TopicRow): void {
    topic.isClosed = false;
    this.note(chat, actor, { forum_topic_reopened: {} }, topic.id);
  }

  /** With all its messages; nobody is told. */
  deleteTopic(chat: ChatRow, topic: TopicRow): void {
    topic.isGone = true;
    for (const row of chat.messages.values()) if (row.wire.message_thread_id === topic.id) chat.messages.delete(row.id);
  }

  /** A group becomes a supergroup: it has another id, and its messages begin anew. */
  upgrade(group: ChatRow, actor: User): ChatRow {
    const chat = this.#world.successor(group);
    this.note(group, actor, { migrate_to_chat_id: chat.id });
    group.migratedTo = chat.id;
    this.note(chat, actor, { migrate_from_chat_id: group.id });
    return chat;
  }

  /** What a channel says from now on comes into the group, too. */
  link(channel: ChatRow, group: ChatRow): void {
    channel.linked = group;
    group.linked = channel;
  }

  #change(chat: ChatRow, user: User, actor: User, how: (member: MemberRow) => void): void {
    const before = chat.members.get(user.id) ?? { ...newMember(user), status: "left" as const };
    const after = { ...before };
    how(after);
    chat.members.set(user.id, after);
    this.tell(chat, actor, before, after);
  }

  /** Whom it concerns hears of it, and so do administrators. */
  tell(chat: ChatRow, actor: User, before: MemberRow, after: MemberRow): void {
    const { id } = after.user;
    const told = {
      chat: chat.wire,
      from: actor,
      date: this.#world.clock.seconds(),
      old_chat_member: memberOf(chat, before),
      new_chat_member: memberOf(chat, after),
    };
    const bot = this.#world.bots.get(id);
    if (bot !== undefined) this.#updates.put(bot, { my_chat_member: told });
    this.#updates.forAdmins(chat, { chat_member: told });
  }
}
