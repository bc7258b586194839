import { Returns } from "./returns.ts";

export interface FakeBridge {
  readonly name: string;
  /**
   * What stands before the words of a message that it carries; nothing: it speaks with the senders' names elsewhere.
   */
  readonly frame: (name: string) => string;
  /** From which rooms to which. */
  readonly ways: Readonly<Record<string, readonly string[]>>;
}

interface Utterance {
  readonly room: string;
  readonly by: string;
  readonly text: string;
}

/** Rooms with bridges between them; the first is ours, and asks before it carries anything. */
export class FakeRooms {
  readonly returns = new Returns();
  nowMs = 0;
  /** Everything said, in order. */
  readonly said: Utterance[] = [];
  /** What ours did not carry. */
  readonly withheld: Utterance[] = [];
  readonly #bridges: readonly FakeBridge[];
  readonly #ours: ReadonlySet<string>;
  #seq = 0;

  /** `ours`: names of bridges that are one program with the first. */
  constructor(bridges: readonly FakeBridge[], ours: readonly string[] = bridges.slice(0, 1).map(({ name }) => name)) {
    this.#bridges = bridges;
    this.#ours = new Set(ours);
  }

  /** Somebody says something, and the bridges carry it until nothing is left to carry, or `most` lines are said. */
  say(room: string, by: string, text: string, most = 2_000): void {
    const queue: Utterance[] = [{ room, by, text }];
    const end = this.said.length + most;
    for (let next = queue.shift(); next !== undefined && this.said.length < end; next = queue.shift()) {
      const utterance = next;
      this.said.push(utterance);
      this.nowMs += 1;
      queue.push(...this.#bridges.flatMap((bridge) => this.#carry(bridge, utterance)));
    }
  }

  #carry(bridge: FakeBridge, { room, by, text }: Utterance): readonly Utterance[] {
    const targets = bridge.ways[room] ?? [];
    if (by === bridge.name || targets.length === 0) return [];
    if (this.#ours.has(bridge.name) && !this.#mayCarry({ room, by, text })) return [];
    const carried = targets.map((target) => ({ room: target, by: bridge.name, text: bridge.frame(by) + text }));
    if (!this.#ours.has(bridge.name)) return carried;
    for (const each of carried) {
      const frame = bridge.frame(by);
      this.returns.written({ seq: this.#seq, place: each.room, frame, words: text, atMs: this.nowMs });
    }
    return carried;
  }

  #mayCarry(said: Utterance): boolean {
    const { room: place, by, text: words } = said;
    this.#seq += 1;
    this.returns.heard({ seq: this.#seq, place, author: by, name: by, words, atMs: this.nowMs });
    if (this.returns.verdict(this.#seq, this.nowMs) === null) return true;
    this.withheld.push(said);
    return false;
  }
}

export const both = { a: ["b"], b: ["a"] } as const;
export const named = (name: string): string => `<${name}> `;
export const bare = (): string => "";
