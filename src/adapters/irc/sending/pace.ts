import type { Clock } from "../../../contract/host.ts";

/** How an ERROR says that we wrote too much. */
const FLOOD = /\bexcess(?:ive)? ?flood|\bflooding\b|\brecvq\b|receive (?:queue|buffer)/iu;
/** The pace after the first time, for an account that has none. */
const LEAST_MS = 1300;
const MOST_MS = 10_000;
/** So long an account stays slow. */
const SLOW_MS = 30 * 60_000;

/** Whether the server has thrown us out because we wrote too much or too fast. */
export function isFlood(said: string): boolean {
  return FLOOD.test(said);
}

/**
 * The time from one message line of an account to the next, over all its connections: `MessageDelay`, and for half an
 * hour after the server threw us out for a flood twice as long, again each time it happens, up to 10 s.
 */
export class Pace {
  readonly #delayMs: number;
  readonly #clock: Clock;
  #slowMs = 0;
  #slowUntilMs = -Infinity;

  constructor(delayMs: number, clock: Clock) {
    this.#delayMs = delayMs;
    this.#clock = clock;
  }

  get delayMs(): number {
    return this.slowForMs > 0 ? this.#slowMs : this.#delayMs;
  }

  /** How long it stays slower than set; 0: it is not. */
  get slowForMs(): number {
    return Math.max(0, this.#slowUntilMs - this.#clock.monoMs());
  }

  /** We were disconnected for flooding. */
  punished(): void {
    this.#slowMs = Math.max(this.#delayMs, Math.min(Math.max(this.delayMs * 2, LEAST_MS), MOST_MS));
    this.#slowUntilMs = this.#clock.monoMs() + SLOW_MS;
  }
}
