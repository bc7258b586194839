/**
 * Milliseconds of each turn of the event loop in which all connections to chat servers together handle what came. The
 * rest of a turn belongs to everything else, such as requests to the API.
 */
const TURN_MS = 5;

interface TurnTiming {
  readonly nowMs: () => number;
  /** Calls it in the next turn, after what has come meanwhile. */
  readonly later: (next: () => void) => void;
}

/**
 * Shares the time of each turn between connections. Work that no time is left for waits for a later turn, first come
 * first served, so one server that floods Rialto slows down neither the others nor the rest of the program.
 */
export class TurnBudget {
  readonly #timing: TurnTiming;
  readonly #waiting = new Set<() => void>();
  #leftMs = TURN_MS;
  #isEndDue = false;
  /** The one that has waited longest begins now, before the others that wait. */
  #isServing = false;

  constructor(timing: TurnTiming) {
    this.#timing = timing;
  }

  /** No more work may begin in this turn. */
  get isSpent(): boolean {
    return this.#leftMs <= 0 || (this.#waiting.size > 0 && !this.#isServing);
  }

  /** Does the work now, on account of this turn. */
  spend<T>(work: () => T): T {
    const { nowMs } = this.#timing;
    const sinceMs = nowMs();
    const result = work();
    this.#leftMs -= nowMs() - sinceMs;
    this.#expectEnd();
    return result;
  }

  /** Calls it when there is time again. It may spend time at once, although others wait behind it. */
  wait(begin: () => void): void {
    this.#waiting.add(begin);
    this.#expectEnd();
  }

  /**
   * Resolves when it is the caller's turn to work. The caller waits once: if it waited again whenever others wait,
   * connections that always have work would keep it waiting for good.
   */
  async free(): Promise<void> {
    if (this.isSpent) await new Promise<void>((resolve) => this.wait(resolve));
  }

  /** Does the work for each item, over as many turns as it takes. */
  async each<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
    for (const item of items) {
      if (this.isSpent) await this.free();
      this.spend(() => work(item));
    }
  }

  #expectEnd(): void {
    if (this.#isEndDue) return;
    this.#isEndDue = true;
    this.#timing.later(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isEndDue = false;
    this.#leftMs = TURN_MS;
    this.#isServing = true;
    // Those that begin to wait meanwhile come in the next turn.
    const waiting = Array.from(this.#waiting);
    for (const begin of waiting) {
      if (this.#leftMs <= 0) break;
      this.#waiting.delete(begin);
      begin();
    }
    this.#isServing = false;
    if (this.#waiting.size > 0) this.#expectEnd();
  }
}

/** That of this process. */
export const TURNS = new TurnBudget({ nowMs: () => performance.now(), later: (next) => void setImmediate(next) });
