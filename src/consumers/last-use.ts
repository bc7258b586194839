import type { Clock } from "../contract/host.ts";

/** What a start leaves to a consumer that would have been idle for too long meanwhile, in ms. */
const GRACE_MS = 3_600_000;

/**
 * When somebody used a consumer last. Its idle time is over when both clocks say so: the calendar may be set while the
 * program runs, and a machine may start with a wrong one.
 */
export class LastUse {
  readonly #clock: Clock;
  /** Unix ms. */
  #seenMs: number;
  #monoMs: number;

  /** `seenMs`: Unix ms, as stored. */
  constructor(clock: Clock, seenMs: number, idleMs: number) {
    this.#clock = clock;
    this.#seenMs = Math.min(seenMs, clock.nowMs());
    const awayMs = clock.nowMs() - this.#seenMs;
    this.#monoMs = clock.monoMs() - Math.min(awayMs, Math.max(0, idleMs - GRACE_MS));
  }

  get seenMs(): number {
    return this.#seenMs;
  }

  touch(): void {
    this.#seenMs = this.#clock.nowMs();
    this.#monoMs = this.#clock.monoMs();
  }

  /** Whether it was this long ago. */
  isOver(idleMs: number): boolean {
    return this.#clock.monoMs() - this.#monoMs >= idleMs && this.#clock.nowMs() - this.#seenMs >= idleMs;
  }
}
