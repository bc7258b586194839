import { MessageType } from "discord-api-types/v10";
import type { Style } from "../../../src/contract/content.ts";
import type { ChannelRequest } from "../../../src/contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../contract/fixture.ts";
import { byId } from "./clock.ts";
import { actionIn, jumpIn, seen, typed } from "./markdown.ts";
import { enter, Folk } from "./people.ts";
import type { FakeDiscord } from "./server.ts";
import type { ChannelRow, GuildRow, MessageRow } from "./wire.ts";

const SAID: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);

/** How long clients show that somebody types. */
const TYPING_MS = 10_000;

/** A person of the adapters' suite: calls of the server, and no code of the adapter. */
export class DiscordGuest implements Person {
  readonly #server: FakeDiscord;
  readonly #folk: Folk;
  readonly #freshName: () => string;
  /** The id before those of all messages since this person came to a channel. */
  readonly #since = new Map<string, string>();

  constructor(server: FakeDiscord, guild: GuildRow, freshName: () => string) {
    this.#server = server;
    this.#folk = new Folk(server, guild, server.world.addUser(freshName()));
    this.#freshName = freshName;
  }

  get name(): string {
    return this.#nameOf(this.#folk.id);
  }

  join({ name }: ChannelRequest): Promise<void> {
    const { guild, user } = this.#folk;
    if (!guild.members.has(user.id)) enter(this.#server, guild, user);
    this.#since.set(this.#channel(name).id, this.#server.world.clock.id());
    return Promise.resolve();
  }

  leave(): Promise<void> {
    this.#folk.leave();
    return Promise.resolve();
  }

  say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    this.#folk.say(this.#channel(channel), style === "action" ? `_${typed(text)}_` : typed(text));
    return Promise.resolve();
  }

  rename(): Promise<string> {
    this.#folk.setNick(this.#freshName());
    return Promise.resolve(this.name);
  }

  /** Of the end Discord says nothing. */
  type(channel: string, on: boolean): Promise<void> {
    if (on) this.#folk.typing(this.#channel(channel));
    return Promise.resolve();
  }

  typists(channel: string): readonly string[] {
    const { world } = this.#server;
    const typing = [...(world.typists.get(this.#channel(channel).id) ?? [])];
    const now = typing.filter(([user, sinceMs]) => user !== this.#folk.id && world.now() - sinceMs < TYPING_MS);
    return now.map(([user]) => this.#nameOf(user));
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#folk.setTopic(this.#channel(channel), topic);
    return Promise.resolve();
  }

  kick(_: string, name: string): Promise<void> {
    const other = [...this.#folk.guild.members.values()].find(({ user }) => this.#nameOf(user.id) === name);
    if (other === undefined) throw new Error(`there is nobody called ${name}`);
    this.#folk.kick(other.user);
    return Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    return this.#others(channel).flatMap((row) => this.#heard(row));
  }

  write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const to = reply === undefined ? undefined : this.#row(reply);
    if (to !== undefined) return Promise.resolve(this.#folk.reply(to, typed(text)).id);
    const at = thread === undefined ? this.#channel(channel) : this.#threadOf(thread);
    return Promise.resolve(this.#folk.say(at, typed(text)).id);
  }

  edit(_: string, message: Handle, text: string): Promise<void> {
    this.#folk.edit(this.#row(message), typed(text));
    return Promise.resolve();
  }

  erase(_: string, message: Handle): Promise<void> {
    this.#folk.erase(this.#row(message));
    return Promise.resolve();
  }

  react(_: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    if (on) this.#folk.react(this.#row(message), emoji);
    else this.#folk.unreact(this.#row(message), emoji);
    return Promise.resolve();
  }

  sendFile(channel: string, { name, mime, content, comment }: SentFile): Promise<Handle> {
    return Promise.resolve(this.#folk.sendFile(this.#channel(channel), { name, mime, content }, typed(comment)).id);
  }

  notified(channel: string): readonly string[] {
    const called = this.#others(channel).filter(
      ({ wire }) => wire.mention_everyone || wire.mentions.some(({ id }) => id === this.#folk.id),
    );
    return called.map(({ wire }) => this.#seen(wire.content));
  }

  fetch(_: string, message: Handle): Promise<Uint8Array> {
    const [id = "", at = "0"] = message.split("/");
    const file = this.#server.world.files.get(this.#row(id).wire.attachments[Number(at)]?.id ?? "");
    if (file === undefined) throw new Error("there is no file in the message");
    return Promise.resolve(file.upload.content);
  }

  #nameOf(user: string): string {
    const { guild } = this.#folk;
    const { username, global_name: name } = this.#server.world.user(user);
    return guild.members.get(user)?.nick ?? name ?? username;
  }

  #seen(content: string): string {
    return seen(content, (user) => this.#nameOf(user));
  }

  #channel(name: string): ChannelRow {
    const channel = [...this.#server.world.channels.values()].find((one) => one.name === name && one.thread === null);
    if (channel === undefined) throw new Error(`there is no channel ${name}`);
    return channel;
  }

  #row(message: Handle): MessageRow {
    const row = this.#server.world.messages.get(message);
    if (row === undefined) throw new Error(`there is no message ${message}`);
    return row;
  }

  /** The thread under a message, which begins with whoever wants to write in it. */
  #threadOf(message: Handle): ChannelRow {
    return this.#server.world.channels.get(message) ?? this.#folk.startThread(this.#row(message), "talk");
  }

  /** What others have said in the channel and its threads since this person came, and what still stands. */
  #others(name: string): readonly MessageRow[] {
    const { id } = this.#channel(name);
    const since = BigInt(this.#since.get(id) ?? "0");
    const { channels, messages } = this.#server.world;
    return [...messages.values()]
      .filter((row) => row.channel === id || channels.get(row.channel)?.parent === id)
      .filter((row) => BigInt(row.id) > since && row.wire.author.id !== this.#folk.id && SAID.has(row.wire.type))
      .sort(byId);
  }

  /** A message, and after it what else is in it: a line tells of one file. */
  #heard(row: MessageRow): readonly Heard[] {
    const { wire } = row;
    const by = wire.webhook_id === undefined ? this.#nameOf(wire.author.id) : wire.author.username;
    const jump = jumpIn(wire.content);
    const content = jump?.rest ?? wire.content;
    const action = actionIn(content);
    const reply = wire.message_reference?.message_id ?? jump?.message;
    const [file, ...more] = wire.attachments;
    const thread = this.#server.world.channels.get(row.channel)?.thread ?? null;
    const words = [this.#seen(action ?? content), file?.description ?? ""].filter((text) => text !== "");
    const heard: Heard = {
      by,
      text: words.join("\n"),
      style: action === null ? "normal" : "action",
      handle: row.id,
      reactions: row.reactions.flatMap(({ emoji, users }) => (users.length > 0 ? [emoji.name ?? ""] : [])),
      ...(reply !== undefined && { reply }),
      ...(thread !== null && { thread: row.channel }),
      ...(file !== undefined && { file: file.filename }),
    };
    const others = more.map(({ filename, description }, at): Heard => ({
      by,
      text: description ?? "",
      style: "normal",
      handle: `${row.id}/${at + 1}`,
      file: filename,
    }));
    return [heard, ...others];
  }
}
