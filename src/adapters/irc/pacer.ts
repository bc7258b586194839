import type { Clock } from "../../contract/host.ts";

/** So many lines that did not wait for their turn (PONG, JOIN) are made up for at most. */
const DEBT_MAX = 5;

/** A token bucket that holds one token: one line per `delayMs`. 0: no pacing. */
export class Pacer {
  readonly paced: boolean;
  readonly #delayMs: number;
  readonly #clock: Clock;
  #freeAtMs = -Infinity;

  constructor(delayMs: number, clock: Clock) {
    this.paced = delayMs > 0;
    this.#delayMs = delayMs;
    this.#clock = clock;
  }

  /** Milliseconds until a line may leave; 0: now. */
  waitMs(): number {
    return this.paced ? Math.max(0, this.#freeAtMs - this.#clock.monoMs()) : 0;
  }

  /** A line leaves: the next one waits. For a line that cannot wait it makes a debt. */
  spend(): void {
    if (!this.paced) return;
    const now = this.#clock.monoMs();
    const freeAtMs = Math.max(now, this.#freeAtMs) + this.#delayMs;
    this.#freeAtMs = Math.min(freeAtMs, now + DEBT_MAX * this.#delayMs);
  }
}
