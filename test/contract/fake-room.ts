import type { Style } from "../../src/contract/content.ts";
import type { FakeLink } from "./fake-link.ts";

/** What the server tells those in a room. */
export type Happening =
  | { readonly is: "said"; readonly message: FakeMessage }
  | { readonly is: "joined"; readonly name: string }
  | { readonly is: "left"; readonly name: string; readonly by: string | null; readonly reason: string | null }
  | { readonly is: "renamed"; readonly from: string; readonly to: string }
  | { readonly is: "topic"; readonly by: string; readonly topic: string }
  /** `checked`: the server made sure that `by` wrote it. */
  | {
      readonly is: "edited";
      readonly message: FakeMessage;
      readonly by: string;
      readonly text: string;
      readonly checked: boolean;
    }
  | { readonly is: "erased"; readonly message: FakeMessage; readonly by: string }
  | {
      readonly is: "reacted";
      readonly message: FakeMessage;
      readonly by: string;
      readonly emoji: string;
      readonly on: boolean;
    }
  /** You are out. */
  | { readonly is: "kicked"; readonly by: string; readonly reason: string };

/** What somebody can say. */
export interface FakeLine {
  readonly text: string;
  readonly style: Style;
  readonly reply: string | null;
  readonly thread: string | null;
  readonly file: FakeFile | null;
  /** Names of people whom it alerts. */
  readonly alerts: ReadonlySet<string>;
}

export interface FakeFile {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
}

export interface FakeMessage extends FakeLine {
  readonly ref: string;
  readonly by: string;
  text: string;
  /** Who gave each emoji. */
  readonly reactions: Map<string, Set<string>>;
  gone: boolean;
  /** Null for what people say. */
  readonly key: string | null;
}

/**
 * Someone who is told what happens: a session through its link, nobody else. `nth`: its place in all that happened in
 * the room.
 */
export interface Member {
  readonly name: string;
  readonly link: FakeLink;
  hear(room: string, happening: Happening, nth: number): void;
  /** Somebody types, or no longer: not part of what happened. */
  hearTyping(room: string, by: string, on: boolean): void;
}

/** A line of nothing but text. */
export function plainLine(text: string, style: Style = "normal"): FakeLine {
  return { text, style, reply: null, thread: null, file: null, alerts: new Set() };
}

export class FakeRoom {
  readonly name: string;
  readonly messages: FakeMessage[] = [];
  readonly members = new Set<Member>();
  readonly people = new Set<string>();
  readonly typists = new Set<string>();
  topic = "";
  /** How often it was set. */
  topics = 0;
  readonly #journal: Happening[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** How much has happened. */
  get length(): number {
    return this.#journal.length;
  }

  tell(happening: Happening): void {
    const nth = this.#journal.push(happening) - 1;
    for (const member of this.members) member.link.tell(() => member.hear(this.name, happening, nth));
  }

  type(by: string, on: boolean): void {
    if (on) this.typists.add(by);
    else this.typists.delete(by);
    for (const member of this.members) member.link.tell(() => member.hearTyping(this.name, by, on));
  }

  /** The member lives through what has happened from then on. */
  retell(member: Member, from: number): void {
    for (const [nth, happening] of this.#journal.entries()) {
      if (nth >= from) member.link.tell(() => member.hear(this.name, happening, nth));
    }
  }

  byRef(ref: string): FakeMessage | null {
    return this.messages.find((message) => message.ref === ref && !message.gone) ?? null;
  }

  edit(message: FakeMessage, by: string, text: string, checked = true): void {
    if (checked) message.text = text;
    this.tell({ is: "edited", message, by, text, checked });
  }

  setTopic(by: string, topic: string): void {
    if (topic === this.topic) return;
    this.topic = topic;
    this.topics += 1;
    this.tell({ is: "topic", by, topic });
  }

  erase(message: FakeMessage, by: string): void {
    message.gone = true;
    this.tell({ is: "erased", message, by });
  }

  react(message: FakeMessage, by: string, emoji: string, on: boolean): void {
    const who = message.reactions.get(emoji) ?? new Set();
    if (on) message.reactions.set(emoji, who.add(by));
    else if (who.delete(by) && who.size === 0) message.reactions.delete(emoji);
    this.tell({ is: "reacted", message, by, emoji, on });
  }
}
