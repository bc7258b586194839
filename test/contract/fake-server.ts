import type { Style } from "../../src/contract/content.ts";
import type { Why } from "../../src/contract/outcome.ts";
import type { ChannelRequest } from "../../src/contract/session.ts";
import type { FakeLink } from "./fake-link.ts";
import type { Heard, Person } from "./harness.ts";

/** What the server tells those in a room. */
export type Happening =
  | { readonly is: "said"; readonly message: FakeMessage }
  | { readonly is: "joined"; readonly name: string }
  | { readonly is: "left"; readonly name: string; readonly by: string | null; readonly reason: string | null }
  | { readonly is: "renamed"; readonly from: string; readonly to: string }
  | { readonly is: "topic"; readonly by: string; readonly topic: string }
  /** You are out. */
  | { readonly is: "kicked"; readonly by: string; readonly reason: string };

export interface FakeMessage {
  readonly ref: string;
  readonly by: string;
  text: string;
  readonly style: Style;
  readonly reactions: Set<string>;
  gone: boolean;
  /** Null for what people say. */
  readonly key: string | null;
}

/** Someone who is told what happens: a session through its link, nobody else. */
export interface Member {
  readonly name: string;
  readonly link: FakeLink;
  hear(room: string, happening: Happening): void;
}

class FakeRoom {
  readonly messages: FakeMessage[] = [];
  readonly members = new Set<Member>();

  tell(name: string, happening: Happening, except: Member | null = null): void {
    for (const member of this.members) {
      if (member !== except) member.link.tell(() => member.hear(name, happening));
    }
  }
}

/** Rooms, who is in them, and everything that was said: the truth that tests look at. */
export class FakeServer {
  readonly members = new Set<Member>();
  /** Rooms that refuse us, with the reason. */
  readonly refusals = new Map<string, { readonly why: Why; readonly retryInMs: number | null }>();
  readonly #rooms = new Map<string, FakeRoom>();
  #refs = 0;
  #stamps = 0;

  /** A text that was never given before. */
  stamp(): string {
    this.#stamps += 1;
    return `e${this.#stamps}`;
  }

  room(name: string): FakeRoom {
    const known = this.#rooms.get(name);
    if (known) return known;
    const room = new FakeRoom();
    this.#rooms.set(name, room);
    return room;
  }

  enter(name: string, member: Member): void {
    this.room(name).members.add(member);
  }

  /** What a session says; null when it is not in the room. A key that was seen gives the message it made. */
  post(
    name: string,
    member: Member,
    line: { text: string; style: Style; key: string; dedup: boolean },
  ): FakeMessage | null {
    const room = this.room(name);
    if (!room.members.has(member)) return null;
    if (/[\r\n\0]/u.test(line.text)) {
      member.link.cut();
      return null;
    }
    return (
      (line.dedup ? this.find(name, line.key) : null) ?? this.say(name, member.name, line.text, line.style, line.key)
    );
  }

  say(name: string, by: string, text: string, style: Style, key: string | null = null): FakeMessage {
    this.#refs += 1;
    const message = { ref: `m${this.#refs}`, by, text, style, reactions: new Set<string>(), gone: false, key };
    const room = this.room(name);
    room.messages.push(message);
    room.tell(name, { is: "said", message });
    return message;
  }

  find(name: string, key: string): FakeMessage | null {
    return this.room(name).messages.find((message) => message.key === key) ?? null;
  }

  byRef(name: string, ref: string): FakeMessage | null {
    return this.room(name).messages.find((message) => message.ref === ref && !message.gone) ?? null;
  }

  /** A name that nobody has among the sessions. */
  free(wanted: string): string {
    const taken = new Set([...this.members].map(({ name }) => name));
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    return name;
  }

  remove(member: Member): void {
    this.members.delete(member);
    for (const room of this.#rooms.values()) room.members.delete(member);
  }

  kick(name: string, victim: string, by: string, reason: string): void {
    const room = this.room(name);
    const member = [...room.members].find((one) => one.name === victim);
    if (member) {
      room.members.delete(member);
      member.link.tell(() => member.hear(name, { is: "kicked", by, reason }));
    }
    room.tell(name, { is: "left", name: victim, by, reason });
  }
}

/** Somebody on the fake network. Says and hears without any delay. */
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

  join({ name }: Pick<ChannelRequest, "name">): Promise<void> {
    const room = this.#server.room(name);
    this.#since.set(name, room.messages.length);
    room.tell(name, { is: "joined", name: this.#name });
    return Promise.resolve();
  }

  leave(channel: string, reason: string): Promise<void> {
    this.#server.room(channel).tell(channel, { is: "left", name: this.#name, by: null, reason });
    return Promise.resolve();
  }

  say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    this.#server.say(channel, this.#name, text, style);
    return Promise.resolve();
  }

  rename(): Promise<string> {
    const [from, to] = [this.#name, `${this.#name}_`];
    this.#name = to;
    for (const channel of this.#since.keys()) {
      this.#server.room(channel).tell(channel, { is: "renamed", from, to });
    }
    return Promise.resolve(to);
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#server.room(channel).tell(channel, { is: "topic", by: this.#name, topic });
    return Promise.resolve();
  }

  kick(channel: string, name: string, reason: string): Promise<void> {
    this.#server.kick(channel, name, this.#name, reason);
    return Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    const since = this.#since.get(channel);
    if (since === undefined) return [];
    return this.#server
      .room(channel)
      .messages.slice(since)
      .filter(({ by, gone }) => !gone && by !== this.#name)
      .map(({ by, text, style, reactions }) => ({ by, text, style, reactions: [...reactions] }));
  }
}
