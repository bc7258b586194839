import type { Seq } from "../log/log.ts";
import type { EventFilter, Feed } from "./feed.ts";

/** Counted up to here; where there are more, it says "at least". */
const COUNT_MAX = 10_000;

/** How many events are still to be handed out, without counting all of them at each pull. */
export class ConsumerBacklog {
  readonly #feed: Feed;
  /** Not handed out, up to `#counted`; null: not known. */
  #left: number | null = null;
  #counted: Seq = 0;
  /** There may be more up to `#counted`. */
  #isLeast = false;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** So many of them were handed out. */
  took(count: number): void {
    if (this.#left !== null) this.#left = Math.max(0, this.#left - count);
  }

  /** Rejects with the log's LogError. */
  async after(cursor: Seq, filter: EventFilter): Promise<number> {
    const { head } = this.#feed;
    if (cursor >= head) {
      this.#know(0, head);
      return 0;
    }
    const known = this.#left;
    if (known === null || cursor > this.#counted || (this.#isLeast && known < COUNT_MAX / 2)) {
      const count = await this.#feed.count(cursor, filter, COUNT_MAX);
      this.#know(count, head);
      return count;
    }
    if (head > this.#counted && !this.#isLeast) {
      const from = this.#counted;
      const more = await this.#feed.count(from, filter, COUNT_MAX);
      // Another has counted meanwhile.
      if (this.#counted === from) this.#know((this.#left ?? 0) + more, head);
    }
    return this.#left ?? 0;
  }

  #know(left: number, counted: Seq): void {
    this.#left = Math.min(left, COUNT_MAX);
    this.#counted = counted;
    this.#isLeast = left >= COUNT_MAX;
  }
}
