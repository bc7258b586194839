import type { Style } from "../../../src/contract/content.ts";
import type { ChannelRequest } from "../../../src/contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../contract/fixture.ts";
import { emojiName, emojiOf } from "../site/emoji.ts";
import { actionIn, seen, typed } from "./markdown.ts";
import { isMentioned } from "./mentions.ts";
import { addPerson, type Folk } from "./people.ts";
import type { FakeMattermost } from "./server.ts";
import type { PostRow, ServerChannel, Team } from "./wire.ts";

/** How long clients show that somebody types. */
const TYPING_MS = 5_000;

/** A person of the adapters' suite: calls of the server, and no code of the adapter. */
export class MattermostGuest implements Person {
  readonly #server: FakeMattermost;
  readonly #folk: Folk;
  readonly #freshName: () => string;
  /** How many rows of the table were there when this person came to a channel. */
  readonly #since = new Map<string, number>();

  constructor(server: FakeMattermost, team: Team, freshName: () => string) {
    this.#server = server;
    this.#folk = addPerson(server, team, freshName());
    this.#freshName = freshName;
  }

  get name(): string {
    return this.#folk.name;
  }

  join({ name }: ChannelRequest): Promise<void> {
    const channel = this.#channel(name);
    this.#folk.enter(channel);
    this.#since.set(channel.id, this.#server.world.posts.size);
    return Promise.resolve();
  }

  leave(channel: string): Promise<void> {
    this.#folk.leave(this.#channel(channel));
    return Promise.resolve();
  }

  async say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    const action = style === "action";
    await this.#folk.say(
      this.#channel(channel),
      action ? `*${typed(text)}*` : typed(text),
      action ? { type: "me" } : {},
    );
  }

  rename(): Promise<string> {
    this.#folk.change({ username: this.#freshName() });
    return Promise.resolve(this.name);
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#folk.setHeader(this.#channel(channel), typed(topic));
    return Promise.resolve();
  }

  /** Of the end servers say nothing. */
  type(channel: string, on: boolean): Promise<void> {
    if (on) this.#folk.typing(this.#channel(channel));
    return Promise.resolve();
  }

  typists(channel: string): readonly string[] {
    const { world } = this.#server;
    const typing = [...(world.typists.get(this.#channel(channel).id) ?? [])];
    const now = typing.filter(([, sinceMs]) => Date.now() - sinceMs < TYPING_MS);
    return now.map(([user]) => world.accounts.get(user)?.user.username ?? "");
  }

  topic(channel: string): string {
    return seen(this.#server.world.channel(this.#channel(channel).id).header);
  }

  kick(channel: string, name: string): Promise<void> {
    const account = this.#server.world.named(name);
    if (account === undefined) throw new Error(`there is nobody called ${name}`);
    this.#folk.kick(this.#channel(channel), account.user.id);
    return Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    return this.#others(channel).flatMap((row) => this.#heard(row));
  }

  async write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const at = this.#channel(channel);
    const answered = this.#server.world.posts.get(reply ?? thread ?? "");
    const root = answered === undefined ? "" : answered.root_id === "" ? answered.id : answered.root_id;
    return (await this.#folk.say(at, typed(text), { root_id: root })).id;
  }

  edit(_: string, message: Handle, text: string): Promise<void> {
    this.#folk.edit(message, typed(text));
    return Promise.resolve();
  }

  erase(_: string, message: Handle): Promise<void> {
    this.#folk.erase(message);
    return Promise.resolve();
  }

  react(_: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    if (on) this.#folk.react(message, emojiName(emoji));
    else this.#folk.unreact(message, emojiName(emoji));
    return Promise.resolve();
  }

  async sendFile(channel: string, { name, content, comment }: SentFile): Promise<Handle> {
    return (await this.#folk.sendFile(this.#channel(channel), name, content, typed(comment))).id;
  }

  notified(channel: string): readonly string[] {
    const called = this.#others(channel).filter(({ message }) => isMentioned(message, this.name));
    return called.map(({ message }) => seen(message));
  }

  fetch(_: string, message: Handle): Promise<Uint8Array> {
    const [id = "", at = "0"] = message.split("/");
    const file = this.#server.world.files.get(this.#server.world.posts.get(id)?.file_ids?.[Number(at)] ?? "");
    if (file === undefined) throw new Error("there is no file in the message");
    return Promise.resolve(file.content);
  }

  #channel(name: string): ServerChannel {
    const channel = [...this.#server.world.channels.values()].find((one) => one.name === name);
    if (channel === undefined) throw new Error(`there is no channel ${name}`);
    return channel;
  }

  /** What others have said since this person came, and what still stands. */
  #others(name: string): readonly PostRow[] {
    const { id } = this.#channel(name);
    const rows = [...this.#server.world.posts.values()].slice(this.#since.get(id) ?? 0);
    return rows.filter(
      (row) =>
        row.channel_id === id &&
        row.delete_at === 0 &&
        row.user_id !== this.#folk.id &&
        !row.type.startsWith("system_"),
    );
  }

  /** A post, and after it what else is in it: a line tells of one file. */
  #heard(row: PostRow): readonly Heard[] {
    const { world } = this.#server;
    const { from_webhook: hook, override_username: shown } = row.props;
    const isShown = hook === "true" && typeof shown === "string" && world.config.usernameOverride;
    const action = actionIn(row.message);
    const reactions = world.reactions.get(row.id) ?? [];
    const [file, ...more] = (row.file_ids ?? []).flatMap((id) => world.files.get(id)?.info.name ?? []);
    const by = isShown ? shown : world.account(row.user_id).user.username;
    const heard: Heard = {
      by,
      text: seen(action ?? row.message),
      style: action === null ? "normal" : "action",
      handle: row.id,
      reactions: [...new Set(reactions.map(({ emoji_name }) => emojiOf(emoji_name)))],
      ...(row.root_id !== "" && { reply: row.root_id, thread: row.root_id }),
      ...(file !== undefined && { file }),
    };
    const others = more.map((name, at): Heard => ({
      by,
      text: "",
      style: "normal",
      handle: `${row.id}/${at + 1}`,
      file: name,
    }));
    return [heard, ...others];
  }
}
