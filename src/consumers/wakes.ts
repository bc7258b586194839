import type { Seq } from "../log/log.ts";
import type { EventFilter, Feed } from "./feed.ts";
import { passes } from "./filter.ts";

/** Somebody who has read all there is. */
export interface WakeWaiter {
  readonly filter: EventFilter;
  /** Up to where it has looked. */
  readonly position: () => Seq;
  /** Nothing for it up to there. */
  readonly passed: (next: Seq) => void;
  /** There is something for it, or it must look for itself. */
  readonly wake: () => void;
}

const EVERYTHING: EventFilter = { gateways: [], types: [], accounts: [], mine: true };
const LIMIT = 256;
const BYTES = 1024 * 1024;

/**
 * Wakes those who wait for new events, and only those for whom there are some: what is new is read once, whatever
 * number waits. While nobody waits, a commit costs nothing.
 */
export class Wakes {
  readonly #feed: Feed;
  readonly #waiters = new Set<WakeWaiter>();
  /** Of the waiters, those who have looked at less than this look for themselves. */
  #seen: Seq = 0;
  #running = false;
  #unlisten: (() => void) | null = null;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** Returns what ends it. Wakes once at most, and at once if more was looked at than the waiter has. */
  add(waiter: WakeWaiter): () => void {
    if (this.#waiters.size === 0) this.#seen = waiter.position();
    if (waiter.position() < this.#seen) {
      waiter.wake();
      return () => undefined;
    }
    this.#waiters.add(waiter);
    this.#unlisten ??= this.#feed.onCommit(() => this.#look());
    // What came since it has looked.
    this.#look();
    return () => this.#drop(waiter);
  }

  #drop(waiter: WakeWaiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = null;
  }

  #look(): void {
    if (this.#running) return;
    this.#running = true;
    // Several commits in one turn are looked at together.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiters.size > 0 && this.#seen < this.#feed.head) await this.#step();
    } catch {
      // They meet the error themselves.
      for (const waiter of this.#waiters) this.#wake(waiter);
    } finally {
      this.#running = false;
    }
  }

  async #step(): Promise<void> {
    const after = this.#seen;
    const { items, next, gap } = await this.#feed.read({ after, filter: EVERYTHING, limit: LIMIT, bytes: BYTES });
    this.#seen = Math.max(next, after + 1);
    for (const waiter of this.#waiters) {
      const position = waiter.position();
      if (
        position < after ||
        gap !== null ||
        items.some((item) => item.seq > position && passes(waiter.filter, item))
      ) {
        this.#wake(waiter);
      } else if (next > position) {
        waiter.passed(next);
      }
    }
  }

  #wake(waiter: WakeWaiter): void {
    this.#drop(waiter);
    waiter.wake();
  }
}
