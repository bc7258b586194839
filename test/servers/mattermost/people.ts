import { store } from "./files.ts";
import type { PostDraft } from "./posts.ts";
import { changeUser } from "./routes-people.ts";
import type { FakeMattermost } from "./server.ts";
import { newId, type ServerChannel, type Team, type WirePost, type WireUser } from "./wire.ts";
import type { Account } from "./world.ts";

/** Somebody on the fake server, a person or a bot, who does things without a client. */
export class Folk {
  readonly #server: FakeMattermost;
  readonly account: Account;

  constructor(server: FakeMattermost, account: Account) {
    this.#server = server;
    this.account = account;
  }

  get id(): string {
    return this.account.user.id;
  }

  get name(): string {
    return this.account.user.username;
  }

  /** A token for its own access, as made in the settings of an account. */
  token(): string {
    const token = newId();
    this.#server.world.tokens.set(token, this.id);
    return token;
  }

  enter(channel: ServerChannel): void {
    this.#server.channels.enter(this.id, channel, this.id);
  }

  leave(channel: ServerChannel): void {
    this.#server.channels.remove(this.id, channel.id, this.id);
  }

  async say(channel: ServerChannel, message: string, more: PostDraft = {}): Promise<WirePost> {
    return await this.#server.posts.create(this.id, { ...more, channel_id: channel.id, message });
  }

  async reply(root: WirePost, message: string): Promise<WirePost> {
    const thread = root.root_id === "" ? root.id : root.root_id;
    return await this.#server.posts.create(this.id, { channel_id: root.channel_id, message, root_id: thread });
  }

  /** A file that stands in no post yet; its id. */
  upload(channel: ServerChannel, name: string, content: Uint8Array): string {
    return store(this.#server.world, this.id, channel.id, name, content).info.id;
  }

  async sendFile(channel: ServerChannel, name: string, content: Uint8Array, message = ""): Promise<WirePost> {
    return await this.say(channel, message, { file_ids: [this.upload(channel, name, content)] });
  }

  edit(post: string, message: string): WirePost {
    return this.#server.posts.edit(this.id, post, { message });
  }

  erase(post: string): void {
    this.#server.posts.erase(this.id, post);
  }

  react(post: string, emoji: string): void {
    this.#server.posts.react(this.id, post, emoji);
  }

  unreact(post: string, emoji: string): void {
    this.#server.posts.unreact(this.id, post, emoji);
  }

  setHeader(channel: ServerChannel, header: string): void {
    this.#server.channels.patch(this.id, channel.id, { header });
  }

  add(channel: ServerChannel, other: Folk): void {
    this.#server.channels.enter(this.id, channel, other.id);
  }

  kick(channel: ServerChannel, other: string): void {
    this.#server.channels.remove(this.id, channel.id, other);
  }

  archive(channel: ServerChannel): void {
    this.#server.channels.archive(this.id, channel.id);
  }

  restore(channel: ServerChannel): void {
    this.#server.channels.restore(this.id, channel.id);
  }

  change(what: Partial<Pick<WireUser, "username" | "nickname" | "first_name" | "last_name">>): void {
    changeUser(this.#server.world, this.account, what);
  }

  /** Pins a post, of which everybody is told as of an edit. */
  pin(post: string): void {
    this.#server.posts.touch(post, { is_pinned: true });
  }

  typing(channel: ServerChannel): void {
    const data = { parent_id: "", user_id: this.id };
    this.#server.world.tell("typing", data, { channel: channel.id, omit: [this.id] });
  }
}

/** A person in the team. */
export function addPerson(server: FakeMattermost, team: Team, username: string, more: Partial<WireUser> = {}): Folk {
  const account = server.world.addUser(username, more);
  server.world.members.get(team.id)?.add(account.user.id);
  return new Folk(server, account);
}

/** A bot account in the team, which has tokens and no password. */
export function addBot(server: FakeMattermost, team: Team, username: string): Folk {
  const more = { is_bot: true, roles: "system_user", bot_description: "" };
  return addPerson(server, team, username, more);
}
