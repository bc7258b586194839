/** How long a shortage is told of after it was last felt. */
const RECENT_MS = 60_000;
const RELIEF_MS = 1_000;

export interface Shortage {
  /** How many descriptors the system gives the program. */
  readonly limit: number;
  readonly sinceMs: number;
  /** Connections that were refused since then. */
  readonly refused: number;
}

export interface DescriptorsOptions {
  /** What the system gives; Infinity: it does not say. */
  readonly limit: number;
  /** What clients may not have at first: the log, the networks, files and operators need it. */
  readonly reserved: number;
  readonly nowMs: () => number;
  /** Once a minute while they run short. */
  readonly onShort: (shortage: Shortage) => void;
}

/**
 * Counts the file descriptors that connections of clients hold, over all servers of the program, so that the rest of it
 * never lacks one.
 */
export class Descriptors {
  /** Called before a connection is refused: what can be closed without harm. */
  readonly relief = new Set<() => void>();
  readonly #options: DescriptorsOptions;
  #reserved: number;
  #taken = 0;
  #sinceMs = 0;
  #lastMs = -Infinity;
  #reportedMs = -Infinity;
  #relievedMs = -Infinity;
  #refused = 0;

  constructor(options: DescriptorsOptions) {
    this.#options = options;
    this.#reserved = options.reserved;
  }

  /** So many are kept from clients from now on; those who have more already keep it. */
  reserve(count: number): void {
    this.#reserved = count;
  }

  /** False: there are none left for clients. */
  take(count: number): boolean {
    if (this.#taken + count <= this.#options.limit - this.#reserved) {
      this.#taken += count;
      return true;
    }
    this.#relieve();
    this.failed();
    return false;
  }

  give(count: number): void {
    this.#taken -= count;
  }

  /** The system has refused one, or we did. */
  failed(): void {
    const now = this.#options.nowMs();
    if (this.shortage === null) {
      this.#sinceMs = now;
      this.#refused = 0;
    }
    this.#lastMs = now;
    this.#refused += 1;
    const { shortage } = this;
    if (shortage === null || now - this.#reportedMs < RECENT_MS) return;
    this.#reportedMs = now;
    this.#options.onShort(shortage);
  }

  /** Null: there are enough, and there were in the last minute. */
  get shortage(): Shortage | null {
    const { limit, nowMs } = this.#options;
    if (nowMs() - this.#lastMs >= RECENT_MS) return null;
    return { limit, sinceMs: this.#sinceMs, refused: this.#refused };
  }

  /** Not for each of a flood: it looks at every connection. */
  #relieve(): void {
    const now = this.#options.nowMs();
    if (now - this.#relievedMs < RELIEF_MS) return;
    this.#relievedMs = now;
    for (const relieve of this.relief) relieve();
  }
}
