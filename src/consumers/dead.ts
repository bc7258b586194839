import type { Seq } from "../log/log.ts";
import type { Dead } from "./saved.ts";

/** Dead letters that are kept; the oldest make room. */
const DEAD_MAX = 1000;

/** What a consumer has given up, in the order in which it did. */
export class DeadLetters {
  readonly #letters: Map<Seq, Dead>;
  /** Raised by every change. */
  version = 0;

  constructor(letters: Iterable<readonly [Seq, Dead]>) {
    this.#letters = new Map(letters);
  }

  get all(): ReadonlyMap<Seq, Dead> {
    return this.#letters;
  }

  add(seq: Seq, dead: Dead): void {
    this.version += 1;
    this.#letters.set(seq, dead);
    for (const oldest of this.#letters.keys()) {
      if (this.#letters.size <= DEAD_MAX) break;
      this.#letters.delete(oldest);
    }
  }

  /** Null: it is none. */
  take(seq: Seq): Dead | null {
    const dead = this.#letters.get(seq);
    if (dead === undefined) return null;
    this.#letters.delete(seq);
    this.version += 1;
    return dead;
  }
}
