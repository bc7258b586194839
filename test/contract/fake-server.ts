import type { Reason } from "../../src/contract/outcome.ts";
import type { FakeTraits } from "./fake-script.ts";
import { type FakeFile, type FakeLine, type FakeMessage, FakeRoom, type Member } from "./fake-room.ts";

/** Rooms, who is in them, and everything that was said: the truth that tests look at. */
export class FakeServer {
  readonly members = new Set<Member>();
  /** Names of all sessions there ever were. */
  readonly ours = new Set<string>();
  /** Rooms that refuse us, with the reason. */
  readonly refusals = new Map<string, { readonly why: Reason; readonly retryInMs: number | null }>();
  readonly #rooms = new Map<string, FakeRoom>();
  readonly #traits: Pick<FakeTraits, "refsPerRoom" | "limits">;
  #refs = 0;

  constructor(traits: Pick<FakeTraits, "refsPerRoom" | "limits">) {
    this.#traits = traits;
  }

  room(name: string): FakeRoom {
    const known = this.#rooms.get(name);
    if (known) return known;
    const room = new FakeRoom(name);
    this.#rooms.set(name, room);
    return room;
  }

  enter(name: string, member: Member): void {
    this.room(name).members.add(member);
  }

  /**
   * What a session says; null when it is not in the room. With `dedup`, a key that was seen gives the message it made.
   */
  post(
    name: string,
    member: Member,
    line: FakeLine,
    { key, dedup }: { key: string; dedup: boolean },
  ): FakeMessage | null {
    const room = this.room(name);
    if (!room.members.has(member)) return null;
    const { textMax = Infinity } = this.#traits.limits;
    if (/[\r\n\0]/u.test(line.text) || Array.from(line.text).length > textMax) {
      member.link.cut();
      return null;
    }
    const known = dedup ? room.messages.find((message) => message.key === key) : undefined;
    return known ?? this.say(name, member.name, line, key);
  }

  say(name: string, by: string, line: FakeLine, key: string | null = null): FakeMessage {
    const room = this.room(name);
    this.#refs += 1;
    const ref = `m${this.#traits.refsPerRoom ? room.messages.length + 1 : this.#refs}`;
    const message: FakeMessage = { ...line, ref, by, reactions: new Map(), gone: false, key };
    room.messages.push(message);
    room.tell({ is: "said", message });
    return message;
  }

  /** The file in a message with this ref, in whatever room. */
  file(ref: string): FakeFile | null {
    const messages = [...this.#rooms.values()].flatMap((room) => room.messages);
    return messages.find((message) => message.ref === ref && message.file !== null)?.file ?? null;
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
      member.link.tell(() => member.hear(name, { is: "kicked", by, reason }, room.length));
    }
    room.tell({ is: "left", name: victim, by, reason });
  }
}
