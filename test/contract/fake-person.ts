import type { Style } from "../../src/contract/content.ts";
import type { ChannelRequest } from "../../src/contract/session.ts";
import type { FakeMessage } from "./fake-room.ts";
import { plainLine } from "./fake-room.ts";
import type { FakeServer } from "./fake-server.ts";
import type { Handle, Heard, How, Person, SentFile } from "./fixture.ts";

/** Somebody on the fake network. Says and hears without any delay. A handle is the message's ref. */
export class FakePerson implements Person {
  #name: string;
  readonly #server: FakeServer;
  readonly #since = new Map<string, number>();

  constructor(server: FakeServer, name: string) {
    this.#server = server;
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  async join({ name }: Pick<ChannelRequest, "name">): Promise<void> {
    const room = this.#server.room(name);
    this.#since.set(name, room.messages.length);
    room.people.add(this.#name);
    room.tell({ is: "joined", name: this.#name });
    return await Promise.resolve();
  }

  async leave(channel: string, reason: string): Promise<void> {
    const room = this.#server.room(channel);
    room.people.delete(this.#name);
    room.tell({ is: "left", name: this.#name, by: null, reason });
    return await Promise.resolve();
  }

  async say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    this.#server.say(channel, this.#name, plainLine(text, style));
    return await Promise.resolve();
  }

  async write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const { ref } = this.#server.say(channel, this.#name, {
      ...plainLine(text),
      reply: reply ?? null,
      thread: thread ?? null,
    });
    return await Promise.resolve(ref);
  }

  async edit(channel: string, message: Handle, text: string): Promise<void> {
    this.#server.room(channel).edit(this.#message(channel, message), this.#name, text);
    return await Promise.resolve();
  }

  /** Claims an edit of a message that need not be this person's: the server passes it on, and vouches for nothing. */
  async forge(channel: string, message: Handle, text: string): Promise<void> {
    this.#server.room(channel).edit(this.#message(channel, message), this.#name, text, false);
    return await Promise.resolve();
  }

  async erase(channel: string, message: Handle): Promise<void> {
    this.#server.room(channel).erase(this.#message(channel, message), this.#name);
    return await Promise.resolve();
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    this.#server.room(channel).react(this.#message(channel, message), this.#name, emoji, on);
    return await Promise.resolve();
  }

  async sendFile(channel: string, { comment, ...file }: SentFile): Promise<Handle> {
    const { ref } = this.#server.say(channel, this.#name, { ...plainLine(comment), file });
    return await Promise.resolve(ref);
  }

  notified(channel: string): readonly string[] {
    return this.#seen(channel).flatMap(({ alerts, text }) => (alerts.has(this.#name) ? [text] : []));
  }

  async fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const { file } = this.#message(channel, message);
    if (file === null) throw new Error("there is no file in it");
    return await Promise.resolve(file.content);
  }

  async rename(): Promise<string> {
    const [from, to] = [this.#name, `${this.#name}_`];
    this.#name = to;
    for (const channel of this.#since.keys()) {
      const room = this.#server.room(channel);
      room.people.delete(from);
      room.people.add(to);
      room.tell({ is: "renamed", from, to });
    }
    return await Promise.resolve(to);
  }

  async setTopic(channel: string, topic: string): Promise<void> {
    this.#server.room(channel).setTopic(this.#name, topic);
    return await Promise.resolve();
  }

  async type(channel: string, on: boolean): Promise<void> {
    this.#server.room(channel).type(this.#name, on);
    return await Promise.resolve();
  }

  typists(channel: string): readonly string[] {
    return [...this.#server.room(channel).typists].filter((name) => name !== this.#name);
  }

  topic(channel: string): string {
    return this.#server.room(channel).topic;
  }

  async kick(channel: string, name: string, reason: string): Promise<void> {
    this.#server.kick(channel, name, this.#name, reason);
    return await Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    return this.#seen(channel).map(heardOf);
  }

  /** What others said since this person entered. */
  #seen(channel: string): readonly FakeMessage[] {
    const since = this.#since.get(channel);
    if (since === undefined) return [];
    const { messages } = this.#server.room(channel);
    return messages.slice(since).filter(({ by, gone }) => !gone && by !== this.#name);
  }

  #message(channel: string, ref: Handle): FakeMessage {
    const message = this.#server.room(channel).byRef(ref);
    if (message === null) throw new Error(`there is no message ${ref} in ${channel}`);
    return message;
  }
}

function heardOf({ ref, by, text, style, reply, thread, file, reactions }: FakeMessage): Heard {
  return {
    by,
    text,
    style,
    handle: ref,
    ...(reply !== null && { reply }),
    ...(thread !== null && { thread }),
    ...(file !== null && { file: file.name }),
    reactions: [...reactions.keys()],
  };
}
