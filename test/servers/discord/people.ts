import {
  type APIEmbed,
  type APIEmoji,
  type APIMessage,
  type APIPartialEmoji,
  type APIRole,
  ChannelType,
  EmbedType,
  GatewayIntentBits,
  type GuildMemberFlags,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";
import { typing } from "./members.ts";
import type { Right } from "./permissions.ts";
import { showChannel } from "./show.ts";
import type { FakeDiscord } from "./server.ts";
import { type APIUser, type AppRow, type ChannelRow, type GuildRow, type MessageRow, no } from "./wire.ts";
import type { Upload } from "./wire.ts";

const { Guilds, GuildMessages, GuildMessageReactions, MessageContent } = GatewayIntentBits;
const CLIENT = Guilds | GuildMessages | GuildMessageReactions | MessageContent;

/** What people do with their clients; the server tells everybody, as it does. */
export class Folk {
  readonly #server: FakeDiscord;
  readonly guild: GuildRow;
  readonly user: APIUser;

  constructor(server: FakeDiscord, guild: GuildRow, user: APIUser) {
    this.#server = server;
    this.guild = guild;
    this.user = user;
  }

  get id(): string {
    return this.user.id;
  }

  /** What this person's client is told. */
  watch(listener: (event: string, data: Readonly<Record<string, unknown>>) => void): void {
    const say = (text: string): void => {
      const { t, d } = JSON.parse(text) as { t: string; d: Readonly<Record<string, unknown>> };
      listener(t, d);
    };
    const portal = { messageContent: true, members: true, presence: true };
    const pipe = { say, close: () => undefined };
    this.#server.world.hub.identify({ user: this.user, token: this.id, portal }, CLIENT, undefined, pipe);
  }

  say(channel: ChannelRow, content: string, more: Partial<APIMessage> = {}): MessageRow {
    return this.#server.messages.post(this.id, channel.id, { content, more });
  }

  reply(to: MessageRow, content: string): MessageRow {
    const reference = { type: MessageReferenceType.Default, message: to.id, channel: undefined, mustExist: true };
    return this.#server.messages.post(this.id, to.channel, { content, reference });
  }

  forward(what: MessageRow, to: ChannelRow): MessageRow {
    const reference = { type: MessageReferenceType.Forward, message: what.id, channel: what.channel, mustExist: true };
    return this.#server.messages.post(this.id, to.id, { reference });
  }

  sendFile(channel: ChannelRow, file: Upload, content = ""): MessageRow {
    return this.#server.messages.post(this.id, channel.id, { content, files: [file] });
  }

  sendVoice(channel: ChannelRow, seconds: number): MessageRow {
    const more = { duration_secs: seconds, waveform: "AAAA" };
    const file = { name: "voice-message.ogg", mime: "audio/ogg", content: new Uint8Array([79, 103, 103]), more };
    return this.#server.messages.post(this.id, channel.id, { files: [file], flags: MessageFlags.IsVoiceMessage });
  }

  sendSticker(channel: ChannelRow, name: string): MessageRow {
    const sticker = { id: this.#server.world.clock.id(), name, format_type: 1 };
    return this.say(channel, "", { sticker_items: [sticker] });
  }

  sendPoll(channel: ChannelRow, question: string, answers: readonly string[]): MessageRow {
    const poll = {
      question: { text: question },
      answers: answers.map((text, at) => ({ answer_id: at + 1, poll_media: { text } })),
      expiry: this.#server.world.clock.iso(),
      allow_multiselect: false,
      layout_type: 1,
      results: { is_finalized: false, answer_counts: [] },
    };
    return this.say(channel, "", { poll });
  }

  /** The time for votes is over: the poll has its result, which the server announces in a message. */
  endPoll(row: MessageRow, votes: readonly number[]): MessageRow {
    const { poll } = row.wire;
    if (poll === undefined) throw no("unknownMessage");
    const counts = poll.answers.map(({ answer_id: id }, at) => ({ id, count: votes[at] ?? 0, me_voted: false }));
    row.wire = { ...row.wire, poll: { ...poll, results: { is_finalized: true, answer_counts: counts } } };
    const channel = this.#server.world.channels.get(row.channel);
    if (channel === undefined) throw no("unknownChannel");
    this.#server.world.hub.tellMessage("MESSAGE_UPDATE", row, channel);
    const victor = counts.toSorted((one, other) => other.count - one.count)[0];
    const total = votes.reduce((sum, count) => sum + count, 0);
    const text = poll.answers.find(({ answer_id: id }) => id === victor?.id)?.poll_media.text ?? "";
    const fields = [
      ["poll_question_text", poll.question.text ?? ""],
      ["victor_answer_votes", String(victor?.count ?? 0)],
      ["total_votes", String(total)],
      ["victor_answer_id", String(victor?.id ?? 0)],
      ["victor_answer_text", text],
    ].map(([name = "", value = ""]) => ({ name, value, inline: false }));
    const about = { type: MessageReferenceType.Default, channel_id: row.channel, message_id: row.id };
    const more = { type: MessageType.PollResult, message_reference: about };
    const embeds = [{ type: EmbedType.PollResult, fields }];
    return this.#server.messages.create({ user: row.wire.author }, channel, { embeds, more });
  }

  edit(row: MessageRow, content: string): void {
    this.#server.messages.edit(this.id, row.channel, row.id, { content });
  }

  erase(row: MessageRow): void {
    this.#server.messages.erase(this.id, row.channel, row.id);
  }

  eraseMany(channel: ChannelRow, rows: readonly MessageRow[]): void {
    const ids = rows.map(({ id }) => id);
    this.#server.messages.removeMany(this.id, channel.id, ids);
  }

  /** With a character, or one of the guild's own. */
  react(row: MessageRow, emoji: string | APIEmoji): void {
    this.#server.messages.react(this.id, row.channel, row.id, emojiOf(emoji));
  }

  unreact(row: MessageRow, emoji: string | APIEmoji): void {
    this.#server.messages.unreact(this.id, row.channel, row.id, emojiOf(emoji), this.id);
  }

  clearReactions(row: MessageRow): void {
    this.#server.messages.clear(this.id, row.channel, row.id);
  }

  /** The preview of a link appears, a while after the message. */
  unfurl(row: MessageRow, embed: APIEmbed): void {
    this.#server.messages.unfurl(row, [embed]);
  }

  pin(row: MessageRow): void {
    this.#server.messages.pin(this.id, row.channel, row.id, true);
  }

  typing(channel: ChannelRow): void {
    typing(this.#server.world, channel.id, this.id);
  }

  startThread(under: MessageRow, name: string): ChannelRow {
    return this.#server.threads.under({ user: this.user }, under, name);
  }

  startPrivateThread(parent: ChannelRow, name: string): ChannelRow {
    return this.#server.threads.start({ user: this.user }, parent, name, false);
  }

  postInForum(forum: ChannelRow, name: string, content: string): { thread: ChannelRow; first: MessageRow } {
    return this.#server.threads.post({ user: this.user }, forum, name, { content });
  }

  archive(thread: ChannelRow, locked = false): void {
    this.#server.threads.archive(thread, true, locked);
  }

  setTopic(channel: ChannelRow, topic: string): void {
    channel.topic = topic;
    this.#server.world.hub.tell("CHANNEL_UPDATE", channel.guild, showChannel(this.#server.world, channel));
  }

  setSlow(channel: ChannelRow, seconds: number): void {
    channel.slowS = seconds;
    this.#server.world.hub.tell("CHANNEL_UPDATE", channel.guild, showChannel(this.#server.world, channel));
  }

  /** Nobody with this id reacts to what this person writes. */
  block(other: string): void {
    this.#server.world.blocks.add(`${this.id} ${other}`);
  }

  rename(channel: ChannelRow, name: string): void {
    channel.name = name;
    this.#server.world.hub.tell("CHANNEL_UPDATE", channel.guild, showChannel(this.#server.world, channel));
  }

  setNick(nick: string | null): void {
    const member = this.guild.members.get(this.id);
    if (member === undefined) throw no("unknownMember");
    const next = { ...member, nick };
    this.guild.members.set(this.id, next);
    this.#server.world.hub.tell("GUILD_MEMBER_UPDATE", this.guild.id, { guild_id: this.guild.id, ...next });
  }

  deleteChannel(channel: ChannelRow): void {
    const { world } = this.#server;
    const event = channel.thread === null ? "CHANNEL_DELETE" : "THREAD_DELETE";
    const { id, guild, type, parent } = channel;
    const data =
      channel.thread === null ? showChannel(world, channel) : { id, guild_id: guild, parent_id: parent, type };
    world.hub.tell(event, guild, data, channel.thread === null ? {} : { channel });
    world.channels.delete(id);
    for (const row of world.webhooks.values()) if (row.channel === id) world.webhooks.delete(row.id);
  }

  leave(): void {
    this.guild.members.delete(this.id);
    this.#server.world.hub.tell("GUILD_MEMBER_REMOVE", this.guild.id, { guild_id: this.guild.id, user: this.user });
  }

  /** Somebody may only read for a while. */
  timeOut(other: APIUser, ms: number): void {
    const { world } = this.#server;
    const member = this.guild.members.get(other.id);
    if (member === undefined) throw no("unknownMember");
    const next = { ...member, communication_disabled_until: new Date(world.now() + ms).toISOString() };
    this.guild.members.set(other.id, next);
    world.hub.tell("GUILD_MEMBER_UPDATE", this.guild.id, { guild_id: this.guild.id, ...next });
  }

  /** Throws somebody out of the guild; a bot hears that the guild is gone. */
  kick(other: APIUser): void {
    const { hub } = this.#server.world;
    const { id } = this.guild;
    if (this.#server.world.apps.has(other.id)) hub.tell("GUILD_DELETE", id, { id }, { only: other.id });
    this.guild.members.delete(other.id);
    hub.tell("GUILD_MEMBER_REMOVE", id, { guild_id: id, user: other });
  }
}

const emojiOf = (emoji: string | APIEmoji): APIPartialEmoji =>
  typeof emoji === "string" ? { id: null, name: emoji } : { id: emoji.id, name: emoji.name };

/** A person in the guild, who has come in as people do. */
export function addPerson(server: FakeDiscord, guild: GuildRow, username: string, more: Partial<APIUser> = {}): Folk {
  const user = server.world.addUser(username, more);
  enter(server, guild, user);
  const channel = server.world.channels.get(guild.systemChannel ?? "");
  if (channel !== undefined) server.messages.create({ user }, channel, { more: { type: MessageType.UserJoin } });
  return new Folk(server, guild, user);
}

/** The bot comes in, with the rights that everybody has. */
export function addBot(server: FakeDiscord, guild: GuildRow, app: AppRow): void {
  enter(server, guild, app.user);
  server.world.hub.tellGuild(guild, app.user.id);
}

/** A role of somebody's own, with these rights. */
export function giveRole(server: FakeDiscord, guild: GuildRow, user: APIUser, rights: readonly Right[]): APIRole {
  const role = server.world.addRole(guild, user.username, rights);
  const member = guild.members.get(user.id);
  if (member === undefined) throw no("unknownMember");
  const next = { ...member, roles: [...member.roles, role.id] };
  guild.members.set(user.id, next);
  server.world.hub.tell("GUILD_ROLE_CREATE", guild.id, { guild_id: guild.id, role });
  server.world.hub.tell("GUILD_MEMBER_UPDATE", guild.id, { guild_id: guild.id, ...next });
  return role;
}

/** Somebody comes in, and everybody is told. */
export function enter(server: FakeDiscord, guild: GuildRow, user: APIUser): void {
  const member = server.world.memberOf(user, { flags: 0 as GuildMemberFlags });
  guild.members.set(user.id, member);
  server.world.hub.tell("GUILD_MEMBER_ADD", guild.id, { guild_id: guild.id, ...member });
}

/** Many people and channels who were there before anybody looked: nobody is told of them. */
export function populate(server: FakeDiscord, guild: GuildRow, people: number, channels: number): void {
  for (let number = 0; number < people; number += 1) {
    const user = server.world.addUser(`person${number}`);
    guild.members.set(user.id, server.world.memberOf(user));
  }
  for (let number = 0; number < channels; number += 1) server.world.addChannel(guild, `channel${number}`);
}

/** A custom emoji of the guild. */
export function addEmoji(server: FakeDiscord, guild: GuildRow, name: string): APIEmoji {
  const emoji: APIEmoji = { id: server.world.clock.id(), name, animated: false, available: true, managed: false };
  guild.emojis.push(emoji);
  const data = { guild_id: guild.id, emojis: guild.emojis };
  server.world.hub.tell("GUILD_EMOJIS_UPDATE", guild.id, data);
  return emoji;
}

/** Channels that a guild of tests has: in a category, for voice, and a forum. */
export function furnish(server: FakeDiscord, guild: GuildRow) {
  const category = server.world.addChannel(guild, "Harbour", ChannelType.GuildCategory);
  return {
    category,
    dock: server.world.addChannel(guild, "dock", ChannelType.GuildText, category),
    voice: server.world.addChannel(guild, "bridge", ChannelType.GuildVoice, category),
    forum: server.world.addChannel(guild, "questions", ChannelType.GuildForum, category),
  };
}
