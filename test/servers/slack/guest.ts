import type { Style } from "../../../src/contract/content.ts";
import type { ChannelRequest } from "../../../src/contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../contract/fixture.ts";
import { byTs, micros } from "./clock.ts";
import { emojiName, emojiOf } from "./emoji.ts";
import { addPerson, type Folk } from "./people.ts";
import { called, escaped, isAction, seen, unescaped } from "./seen.ts";
import type { FakeSlack } from "./server.ts";
import type { ChannelRow, FileRow, MessageRow, TeamRow } from "./wire.ts";

/** What people and apps say; all other kinds are the server's. */
const SAID: ReadonlySet<string> = new Set(["", "bot_message", "file_share", "me_message", "thread_broadcast"]);

/** A person of the adapters' suite: calls of the server, and no code of the adapter. */
export class SlackGuest implements Person {
  readonly #server: FakeSlack;
  readonly #folk: Folk;
  readonly #freshName: () => string;
  /** The time when this person came to a channel. */
  readonly #since = new Map<string, string>();

  constructor(server: FakeSlack, team: TeamRow, freshName: () => string) {
    this.#server = server;
    this.#folk = addPerson(server, team, freshName());
    this.#freshName = freshName;
  }

  get name(): string {
    return this.#nameOf(this.#folk.id);
  }

  join({ name }: ChannelRequest): Promise<void> {
    const channel = this.#channel(name);
    this.#folk.enter(channel);
    this.#since.set(channel.id, this.#server.world.clock.ts());
    return Promise.resolve();
  }

  leave(channel: string): Promise<void> {
    this.#folk.leave(this.#channel(channel));
    return Promise.resolve();
  }

  say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    if (style === "action") this.#folk.act(this.#channel(channel), text);
    else this.#folk.say(this.#channel(channel), text, { literal: true });
    return Promise.resolve();
  }

  rename(): Promise<string> {
    this.#folk.change({ profile: { display_name: this.#freshName() } });
    return Promise.resolve(this.name);
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#folk.setTopic(this.#channel(channel), escaped(topic));
    return Promise.resolve();
  }

  topic(channel: string): string {
    return unescaped(this.#channel(channel).topic.value);
  }

  kick(channel: string, name: string): Promise<void> {
    const other = [...this.#server.world.users.values()].find(({ id }) => this.#nameOf(id) === name);
    if (other === undefined) throw new Error(`there is nobody called ${name}`);
    this.#folk.kick(this.#channel(channel), other);
    return Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    return this.#others(channel).flatMap((row) => this.#heard(row));
  }

  write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const at = this.#channel(channel);
    const answered = reply ?? thread;
    const how = { literal: true, ...(answered !== undefined && { thread: this.#row(channel, answered) }) };
    return Promise.resolve(this.#folk.say(at, text, how).wire.ts);
  }

  edit(channel: string, message: Handle, text: string): Promise<void> {
    this.#folk.edit(this.#row(channel, message), text, { literal: true });
    return Promise.resolve();
  }

  erase(channel: string, message: Handle): Promise<void> {
    this.#folk.erase(this.#row(channel, message));
    return Promise.resolve();
  }

  react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    const row = this.#row(channel, message);
    if (on) this.#folk.react(row, emojiName(emoji));
    else this.#folk.unreact(row, emojiName(emoji));
    return Promise.resolve();
  }

  sendFile(channel: string, { name, mime, content, comment }: SentFile): Promise<Handle> {
    const files = [this.#folk.upload({ name, mime, content })];
    const row = this.#folk.say(this.#channel(channel), comment, { files, literal: true });
    return Promise.resolve(row.wire.ts);
  }

  notified(channel: string): readonly string[] {
    const alarms = new Set([this.#folk.id, "here", "channel", "everyone"]);
    const rows = this.#others(channel).filter(({ wire }) => called(wire).some((whom) => alarms.has(whom)));
    return rows.map(({ wire }) => this.#seen(wire));
  }

  fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const [ts = "", at = "0"] = message.split("/");
    const file = this.#filesOf(this.#row(channel, ts))[Number(at)];
    if (file === undefined) throw new Error("there is no file in the message");
    return Promise.resolve(file.content);
  }

  #nameOf(user: string): string {
    const { name = "", profile } = this.#server.world.user(user).wire;
    return profile?.display_name || profile?.real_name || name;
  }

  #seen(wire: MessageRow["wire"]): string {
    return seen(wire, (user) => this.#nameOf(user));
  }

  #channel(name: string): ChannelRow {
    const channel = [...this.#server.world.channels.values()].find((one) => one.name === name);
    if (channel === undefined) throw new Error(`there is no channel ${name}`);
    return channel;
  }

  #row(channel: string, message: Handle): MessageRow {
    return this.#server.world.message(this.#channel(channel).id, message);
  }

  #filesOf({ files }: MessageRow): readonly FileRow[] {
    return files.flatMap((id) => this.#server.world.files.get(id) ?? []);
  }

  /** What others have said since this person came, and what still stands. */
  #others(name: string): readonly MessageRow[] {
    const channel = this.#channel(name);
    const since = micros(this.#since.get(channel.id) ?? "0") ?? 0n;
    return [...channel.messages.values()]
      .filter(({ wire }) => wire.user !== this.#folk.id && SAID.has(wire.subtype ?? ""))
      .filter(({ wire }) => (micros(wire.ts) ?? 0n) > since)
      .sort((one, other) => byTs(one.wire, other.wire));
  }

  /** A message, and after it what else is in it: a line tells of one file. */
  #heard(row: MessageRow): readonly Heard[] {
    const { wire } = row;
    const by = wire.username ?? (wire.user === undefined ? "" : this.#nameOf(wire.user));
    const root = wire.thread_ts === wire.ts ? undefined : wire.thread_ts;
    const [file, ...more] = this.#filesOf(row);
    const heard: Heard = {
      by,
      text: this.#seen(wire),
      style: isAction(wire) ? "action" : "normal",
      handle: wire.ts,
      reactions: row.reactions.map(({ name }) => emojiOf(name)),
      ...(root !== undefined && { reply: root, thread: root }),
      ...(file !== undefined && { file: file.wire.name ?? "" }),
    };
    const others = more.map(({ wire: { name = "" } }, at): Heard => ({
      by,
      text: "",
      style: "normal",
      handle: `${wire.ts}/${at + 1}`,
      file: name,
    }));
    return [heard, ...others];
  }
}
