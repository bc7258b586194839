import type { Idempotency } from "../../src/contract/capabilities.ts";
import type { Op } from "../../src/contract/ops.ts";
import type { Loop } from "./loop.ts";
import type { Oracle } from "./oracle.ts";

/** What one network is like. */
export interface NetTraits {
  /** The protocol; its one account is `<name>.x`. */
  readonly name: string;
  readonly idempotency: Idempotency;
  /** Edits, deletions, reactions and replies are the network's own. */
  readonly rich: boolean;
  /** What was said while nobody was connected is told later. */
  readonly history: boolean;
  readonly inflightMax: number;
  /** Longest way of a line, one direction, ms. */
  readonly latencyMs: number;
}

/** Something that goes wrong with the next request of the kind. */
export type NetFault =
  /** The connection breaks before the server sees the request, after it, or after the answer. */
  | "drop before"
  | "drop after"
  | "drop answered"
  | "answer late"
  | "answer twice"
  | "rate limit channel"
  | "rate limit session"
  | "reject"
  /** The request is never answered, though the connection stands. */
  | "hang"
  /** The whole connection goes silent. */
  | "silence"
  | "throw before"
  | "throw after";

export type OpenFault = "refused" | "auth" | "hang" | "throw" | "slow";
export type JoinFault = "banned" | "hang" | "throw";

export interface NetMessage {
  readonly ref: string;
  /** Of a person, or of Rialto. */
  readonly by: string;
  readonly ours: boolean;
  text: string;
  gone: boolean;
}

/** Something that happened in a room, as its members are told. */
export interface Happening {
  readonly is: "said" | "edited" | "deleted" | "reacted" | "topic";
  readonly nth: number;
  readonly atMs: number;
  readonly by: string;
  readonly ours: boolean;
  readonly ref: string;
  readonly text: string;
  readonly replyTo: string | null;
  /** A moderator did it, and the network says so. */
  readonly vouched: boolean;
  readonly emoji: string;
  readonly on: boolean;
}

export interface Listener {
  hear(room: string, happening: Happening): void;
  kick(room: string): void;
}

interface Room {
  readonly messages: Map<string, NetMessage>;
  readonly order: NetMessage[];
  readonly happenings: Happening[];
  readonly members: Set<Listener>;
  /** Nobody is told any more what happened before. */
  forgottenTo: number;
  readonly keys: Map<string, { readonly ref: string; readonly atMs: number }>;
  banned: boolean;
}

export type Said = { readonly ref: string; readonly again: boolean };

/** The network's side: rooms, what was said in them, and the faults to come. It outlives every program. */
export class Server {
  readonly traits: NetTraits;
  readonly faults: NetFault[] = [];
  readonly openFaults: OpenFault[] = [];
  readonly joinFaults: JoinFault[] = [];
  /** Ids of ops that it does not take, however often it is asked. */
  readonly rejected = new Set<string>();
  /** Nobody gets a connection. */
  isDown = false;
  /** The token of our account is not good. */
  isLocked = false;
  /** Events are told twice from time to time. */
  stutters = false;
  readonly #loop: Loop;
  readonly #oracle: Oracle;
  readonly #rooms = new Map<string, Room>();
  #refs = 0;

  constructor(traits: NetTraits, loop: Loop, oracle: Oracle) {
    this.traits = traits;
    this.#loop = loop;
    this.#oracle = oracle;
  }

  room(name: string): Room {
    let room = this.#rooms.get(name);
    if (room === undefined) {
      room = {
        messages: new Map(),
        order: [],
        happenings: [],
        members: new Set(),
        forgottenTo: 0,
        keys: new Map(),
        banned: false,
      };
      this.#rooms.set(name, room);
    }
    return room;
  }

  get roomNames(): readonly string[] {
    return [...this.#rooms.keys()];
  }

  /** The network has lost what happened so far. */
  forget(name: string): void {
    const room = this.room(name);
    room.forgottenTo = room.happenings.length;
    this.#oracle.forgotten(this.traits.name, name, room.forgottenTo);
  }

  /** A part of a message of ours has come. */
  post(by: Listener, name: string, op: Op, part: number, parts: number, text: string, replyTo: string | null): Said {
    const room = this.room(name);
    const key = `${op.id} ${part}`;
    const { idempotency } = this.traits;
    const known = room.keys.get(key);
    const nowMs = this.#loop.monotonicMs;
    const isKept =
      known !== undefined &&
      (idempotency.by === "echo" || (idempotency.by === "key" && nowMs - known.atMs < idempotency.windowMs));
    if (isKept) return { ref: known.ref, again: true };
    room.keys.set(key, { ref: this.#nextRef(), atMs: nowMs });
    const ref = `${this.traits.name}${this.#refs}`;
    const message: NetMessage = { ref, by: "rialto", ours: true, text, gone: false };
    this.#oracle.posted(this.traits.name, name, op, { part, parts, text, ref, replyTo });
    this.#add(room, message);
    this.#happen(name, { is: "said", by: "rialto", ours: true, ref, text, replyTo }, by);
    return { ref, again: false };
  }

  /** A message of ours reads otherwise from now on. False: there is none. */
  edit(name: string, op: Op, targets: readonly string[], text: string): boolean {
    const found = targets.map((ref) => this.room(name).messages.get(ref));
    this.#oracle.changed(this.traits.name, name, op, { is: "edit", targets: found, text });
    const first = found[0];
    if (first === undefined || first.gone) return false;
    first.text = text;
    for (const message of found.slice(1)) if (message !== undefined) message.gone = true;
    return true;
  }

  erase(name: string, op: Op, targets: readonly string[]): void {
    const found = targets.map((ref) => this.room(name).messages.get(ref));
    this.#oracle.changed(this.traits.name, name, op, { is: "delete", targets: found, text: "" });
    for (const message of found) if (message !== undefined) message.gone = true;
  }

  react(name: string, op: Op, target: string): boolean {
    const found = this.room(name).messages.get(target);
    this.#oracle.changed(this.traits.name, name, op, { is: "react", targets: [found], text: "" });
    return found !== undefined && !found.gone;
  }

  setTopic(name: string, op: Op, topic: string): void {
    this.#oracle.topicSet(this.traits.name, name, op, topic);
    this.#happen(name, { is: "topic", by: "rialto", ours: true, ref: "", text: topic });
  }

  /** A person does. */
  newTopic(name: string, by: string, topic: string): void {
    this.#happen(name, { is: "topic", by, ours: false, ref: "", text: topic });
  }

  /** A person says something; its ref. */
  say(name: string, by: string, text: string, replyTo: string | null): string {
    const ref = this.#nextRef();
    this.#add(this.room(name), { ref, by, ours: false, text, gone: false });
    this.#happen(name, { is: "said", by, ours: false, ref, text, replyTo });
    return ref;
  }

  change(
    name: string,
    {
      is,
      by,
      ref,
      text = "",
      vouched = false,
      emoji = "",
      on = false,
    }: Partial<Happening> & Pick<Happening, "is" | "by" | "ref">,
  ): void {
    const message = this.room(name).messages.get(ref);
    if (message !== undefined && is === "deleted") message.gone = true;
    this.#happen(name, { is, by, ours: false, ref, text, vouched, emoji, on });
  }

  kick(name: string): void {
    for (const member of this.room(name).members) member.kick(name);
    this.room(name).members.clear();
  }

  #nextRef(): string {
    this.#refs += 1;
    return `${this.traits.name}${this.#refs}`;
  }

  #add(room: Room, message: NetMessage): void {
    room.messages.set(message.ref, message);
    room.order.push(message);
  }

  /** Our own session is told of what it said by its answer; some networks show it as well. */
  #happen(
    name: string,
    what: Partial<Happening> & Pick<Happening, "is" | "by" | "ours" | "ref">,
    except?: Listener,
  ): void {
    const room = this.room(name);
    const happening: Happening = {
      text: "",
      replyTo: null,
      vouched: false,
      emoji: "",
      on: false,
      ...what,
      nth: room.happenings.length,
      atMs: this.#loop.nowMs(),
    };
    room.happenings.push(happening);
    if (!happening.ours) this.#oracle.happened(this.traits.name, name, happening, room.members.size > 0);
    for (const member of room.members)
      if (member !== except || this.traits.idempotency.by === "echo") member.hear(name, happening);
  }
}
