import type { ChatPermissions, MessageEntity, ReactionType, User } from "@grammyjs/types";
import { normal } from "./entities.ts";
import { type Extra, mediaOf } from "./media.ts";
import { heldIn } from "./methods-edit.ts";
import { makePoll, newGroup } from "./methods-send.ts";
import { originOf } from "./place.ts";
import { isReaction } from "./reactions.ts";
import type { FakeTelegram } from "./server.ts";
import type {
  AdminRight,
  BotRow,
  ChatRow,
  Content,
  MediaKind,
  MemberRow,
  MessageRow,
  TopicRow,
  Upload,
  WireMessage,
} from "./wire.ts";
import { ANONYMOUS, AS_CHANNEL, newMember } from "./world.ts";

export interface How {
  readonly entities?: readonly MessageEntity[];
  readonly reply?: MessageRow | undefined;
  /** The part of the answered message that is quoted. */
  readonly quote?: string;
  readonly topic?: TopicRow | undefined;
  /** Speaks as this channel. */
  readonly as?: ChatRow;
  readonly more?: Content;
}

/** A file with the words under it. */
export interface Captioned extends How, Extra {
  readonly caption?: string;
}

/** Somebody who does things without a client of ours. */
export class Folk {
  readonly #server: FakeTelegram;
  readonly user: User;

  constructor(server: FakeTelegram, user: User) {
    this.#server = server;
    this.user = user;
  }

  get id(): number {
    return this.user.id;
  }

  /** Opens a chat with a bot, without which that cannot write. */
  start(bot: BotRow): ChatRow {
    const chat = this.#server.world.privateChat(bot, this.user);
    chat.isBlocked = false;
    this.say(chat, "/start");
    return chat;
  }

  enter(chat: ChatRow): void {
    this.#server.groups.enter(chat, this.user);
  }

  leave(chat: ChatRow): void {
    this.#server.groups.remove(chat, this.user, this.user, "left");
  }

  say(chat: ChatRow, text: string, how: How = {}): MessageRow {
    const { text: kept, entities } = normal(text, how.entities);
    if (kept === "") throw new Error("nobody can say nothing");
    return this.#post(chat, { text: kept, ...(entities.length > 0 && { entities: [...entities] }) }, how);
  }

  /** As pictures, documents, stickers (`.webp`, `.tgs`, `.webm`) and so on. */
  send(chat: ChatRow, kind: MediaKind, file: Upload, how: Captioned = {}): MessageRow {
    const stored = this.#server.files.store(kind, file);
    return this.#post(chat, { ...mediaOf(this.#server.files, stored, how), ...captionOf(how) }, how);
  }

  album(chat: ChatRow, items: readonly (Captioned & { kind: MediaKind; file: Upload })[], how: How = {}): MessageRow[] {
    const group = { media_group_id: newGroup() };
    return items.map((item) => {
      const more = { ...how.more, ...group };
      return this.send(chat, item.kind, item.file, { ...how, ...item, more });
    });
  }

  place(chat: ChatRow, latitude: number, longitude: number, how: How = {}): MessageRow {
    return this.#post(chat, { location: { latitude, longitude } }, how);
  }

  venue(chat: ChatRow, title: string, address: string, how: How = {}): MessageRow {
    const location = { latitude: 52.37, longitude: 4.9 };
    return this.#post(chat, { location, venue: { location, title, address } }, how);
  }

  contact(chat: ChatRow, phone: string, name: string, how: How = {}): MessageRow {
    return this.#post(chat, { contact: { phone_number: phone, first_name: name } }, how);
  }

  poll(chat: ChatRow, question: string, options: readonly string[], how: How = {}): MessageRow {
    return this.#post(chat, { poll: makePoll(question, options) }, how);
  }

  dice(chat: ChatRow, value = 4, how: How = {}): MessageRow {
    return this.#post(chat, { dice: { emoji: "🎲", value } }, how);
  }

  forward(row: MessageRow, chat: ChatRow, how: How = {}): MessageRow {
    const { from, sender_chat: sender, date, forward_origin: earlier } = row.wire;
    const origin = earlier ?? originOf({ from, sender_chat: sender, date, chat: row.chat.wire, message_id: row.id });
    return this.#post(chat, { ...heldIn(row.wire), forward_origin: origin }, how);
  }

  /** Text, or caption. */
  edit(row: MessageRow, text: string, entities: readonly MessageEntity[] = []): void {
    const styled = normal(text, entities);
    const kept = styled.entities.length === 0 ? undefined : [...styled.entities];
    const isText = row.wire.text !== undefined;
    const { messages } = this.#server;
    if (isText) messages.edit(row, { text: styled.text, entities: kept });
    else messages.edit(row, { caption: styled.text || undefined, caption_entities: kept });
  }

  /** What the server writes into a message later, as a preview of a link or a vote: an edit that changes no word. */
  touch(row: MessageRow, more: Content = {}): void {
    this.#server.messages.edit(row, more);
  }

  replace(row: MessageRow, kind: MediaKind, file: Upload): void {
    const { files, messages } = this.#server;
    messages.edit(row, mediaOf(files, files.store(kind, file)));
  }

  erase(row: MessageRow): void {
    this.#server.messages.erase(row);
  }

  /** All reactions of this person, in place of those before; custom emoji by their numbers. */
  react(row: MessageRow, ...emoji: readonly string[]): void {
    const now = emoji.map((one): ReactionType => {
      if (/^\d+$/.test(one)) return { type: "custom_emoji", custom_emoji_id: one };
      if (!isReaction(one)) throw new Error(`nobody can react with ${one}`);
      return { type: "emoji", emoji: one };
    });
    const isHidden = this.#member(row.chat).isAnonymous;
    this.#server.messages.react(row, this.user, now, isHidden ? "chat" : "user");
  }

  rename(chat: ChatRow, title: string): void {
    this.#server.groups.rename(chat, this.user, title);
  }

  pin(row: MessageRow): MessageRow {
    const { message_thread_id: topic } = row.wire;
    const inTopic = row.wire.is_topic_message === true ? topic : undefined;
    const { reply_to_message: _, ...pinned } = row.wire;
    return this.#server.groups.note(row.chat, this.user, { pinned_message: pinned }, inTopic);
  }

  createTopic(chat: ChatRow, name: string): TopicRow {
    return this.#server.groups.createTopic(chat, this.user, name);
  }

  renameTopic(chat: ChatRow, topic: TopicRow, name: string): void {
    this.#server.groups.renameTopic(chat, this.user, topic, name);
  }

  closeTopic(chat: ChatRow, topic: TopicRow): void {
    this.#server.groups.closeTopic(chat, this.user, topic);
  }

  reopenTopic(chat: ChatRow, topic: TopicRow): void {
    this.#server.groups.reopenTopic(chat, this.user, topic);
  }

  deleteTopic(chat: ChatRow, topic: TopicRow): void {
    this.#server.groups.deleteTopic(chat, topic);
  }

  /** The supergroup that the group becomes. */
  upgrade(group: ChatRow): ChatRow {
    return this.#server.groups.upgrade(group, this.user);
  }

  add(chat: ChatRow, who: Folk | BotRow): void {
    this.#server.groups.enter(chat, who.user, this.user);
  }

  kick(chat: ChatRow, who: Folk | BotRow): void {
    this.#server.groups.remove(chat, who.user, this.user, "kicked");
  }

  promote(chat: ChatRow, who: Folk | BotRow, rights?: readonly AdminRight[]): void {
    this.#server.groups.promote(chat, who.user, this.user, rights);
  }

  demote(chat: ChatRow, who: Folk | BotRow): void {
    this.#server.groups.demote(chat, who.user, this.user);
  }

  /** What is not named is forbidden. */
  restrict(chat: ChatRow, who: Folk | BotRow, permissions: ChatPermissions = {}): void {
    this.#server.groups.restrict(chat, who.user, this.user, permissions);
  }

  /** From now on others see the chat in place of this administrator, with the title as signature. */
  hide(chat: ChatRow, title = ""): void {
    Object.assign(this.#member(chat), { isAnonymous: true, title });
  }

  /** Stops a bot: it cannot write any more. */
  block(bot: BotRow): void {
    const chat = this.#server.world.privateChat(bot, this.user);
    chat.isBlocked = true;
    const [before, after] = [newMember(bot.user), { ...newMember(bot.user), status: "kicked" as const }];
    this.#server.groups.tell(chat, this.user, before, after);
  }

  #member(chat: ChatRow): MemberRow {
    const member = chat.members.get(this.id);
    if (member === undefined) throw new Error(`${this.user.first_name} is not in ${chat.wire.title ?? "the chat"}`);
    return member;
  }

  #post(chat: ChatRow, content: Content, { reply, quote, topic, as, more }: How): MessageRow {
    const author = this.#author(chat, as);
    const quoted = quote === undefined || reply === undefined ? {} : { quote: quoteIn(reply.wire, quote) };
    const where = topic === undefined || topic.id === 0 ? undefined : topic.id;
    const whole = { ...author, ...quoted, ...content, ...more };
    return this.#server.messages.post(chat, { content: whole, by: this.id, topic: where, reply });
  }

  /** Whom others see as author: in channels, and of those who hide, it is a chat. */
  #author(chat: ChatRow, as: ChatRow | undefined): Content {
    if (chat.wire.type === "channel") return { sender_chat: chat.wire };
    if (as !== undefined) return { from: AS_CHANNEL, sender_chat: as.wire };
    const { isAnonymous, title } = this.#member(chat);
    if (!isAnonymous) return { from: this.user };
    return { from: ANONYMOUS, sender_chat: chat.wire, ...(title !== "" && { author_signature: title }) };
  }
}

function captionOf({ caption = "", entities = [] }: Captioned): Content {
  const styled = normal(caption, entities);
  if (styled.text === "") return {};
  return {
    caption: styled.text,
    ...(styled.entities.length > 0 && { caption_entities: [...styled.entities] }),
  };
}

function quoteIn(wire: WireMessage, text: string): NonNullable<Content["quote"]> {
  const position = (wire.text ?? wire.caption ?? "").indexOf(text);
  if (position < 0) throw new Error(`"${text}" does not stand there`);
  return { text, position, is_manual: true };
}

export function addPerson(server: FakeTelegram, name: string, more: Partial<User> = {}): Folk {
  return new Folk(server, server.world.addUser(name, more));
}

/** A bot in chats, as a member; in channels, where it can be nothing else, as an administrator. */
export function install(server: FakeTelegram, name: string, chats: readonly ChatRow[] = []): BotRow {
  const bot = server.world.addBot(name);
  for (const chat of chats) seat(chat, bot);
  return bot;
}

/** Without a word about it to anybody, as if it had been so for long. */
export function seat(chat: ChatRow, who: Folk | BotRow, rights?: readonly AdminRight[]): void {
  const isAdmin = rights !== undefined || chat.wire.type === "channel";
  chat.members.set(who.user.id, {
    ...newMember(who.user),
    status: isAdmin ? "administrator" : "member",
    rights: new Set(rights ?? ["can_manage_chat", "can_post_messages", "can_edit_messages", "can_delete_messages"]),
  });
}

/** What stands in a chat, for judges: in order, without what the server itself wrote. */
export function standing(chat: ChatRow): readonly MessageRow[] {
  return [...chat.messages.values()].filter(({ isService }) => !isService);
}
