import type { Clock } from "../../src/contract/host.ts";

interface Timer {
  readonly atMs: number;
  readonly task: () => void;
}

/** Time that stands still until a test moves it. */
export class FakeClock implements Clock {
  /** Since it was made. */
  #monoMs = 0;
  /** What the calendar said then, and by how much it was set since. */
  #beganMs: number;
  readonly #timers = new Set<Timer>();

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#beganMs = nowMs;
  }

  nowMs(): number {
    return this.#beganMs + this.#monoMs;
  }

  monoMs(): number {
    return this.#monoMs;
  }

  /** Somebody sets the calendar ahead, or back when it is negative: no time passes. */
  jump(ms: number): void {
    this.#beganMs += ms;
  }

  after(ms: number, task: () => void): () => void {
    const timer = { atMs: this.#monoMs + Math.max(0, ms), task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Moves time on, running what falls due in its order; what a task starts gets its turn before the next one. */
  async advance(ms: number): Promise<void> {
    const until = this.#monoMs + ms;
    await settled();
    for (let next = this.#next(until); next !== null; next = this.#next(until)) {
      this.#timers.delete(next);
      this.#monoMs = Math.max(this.#monoMs, next.atMs);
      next.task();
      await settled();
    }
    this.#monoMs = until;
  }

  #next(until: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.atMs <= until && (first === null || timer.atMs < first.atMs)) first = timer;
    }
    return first;
  }
}

/** Resolves when all that can run without time passing has run: microtasks, and what they put into the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
