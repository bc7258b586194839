import type { Clock } from "../../../contract/host.ts";
import type { Reason } from "../../../contract/outcome.ts";
import type { Pace } from "./pace.ts";

/**
 * So many lines a server takes from us ahead of the pace. RFC 2813 §5.8 lets a client be 10 s ahead, at 2 s a line;
 * right after a login with a join, ircd-hybrid took 5 more lines at once, ngircd 6 and InspIRCd 7.
 */
const ALLOWANCE = 5;
/** So many lines beyond that, which did not wait for their turn (PONG, JOIN), are made up for at most. */
const DEBT_MAX = 5;

/**
 * One message line per `MessageDelay`. All other lines leave at once; they use up the server's allowance, and only when
 * that is spent do messages wait for them.
 */
export class Pacer {
  readonly #pace: Pace;
  readonly #clock: Clock;
  /** When the next message may leave by the one before it. */
  #turnAtMs = -Infinity;
  /** Up to when the server has been given lines at the pace. */
  #chargedToMs = -Infinity;

  constructor(pace: Pace, clock: Clock) {
    this.#pace = pace;
    this.#clock = clock;
  }

  get paced(): boolean {
    return this.#pace.delayMs > 0;
  }

  /** Milliseconds until a message may leave; 0: now. */
  waitMs(): number {
    if (!this.paced) return 0;
    const allowedAtMs = this.#chargedToMs - (ALLOWANCE - 1) * this.#pace.delayMs;
    return Math.max(0, Math.max(this.#turnAtMs, allowedAtMs) - this.#clock.monoMs());
  }

  /** Why a message may not leave now; null: it may. */
  get why(): Reason | null {
    if (this.waitMs() === 0) return null;
    const seconds = (this.#pace.delayMs / 1000).toFixed(1);
    const cause = this.#pace.slowForMs > 0 ? "slower than MessageDelay after flooding" : "MessageDelay";
    return { code: "rate_limited", message: `Rialto sends one line every ${seconds} s (${cause})` };
  }

  /** The server owes us nothing: all its allowance is left. */
  get isIdle(): boolean {
    return !this.paced || Math.max(this.#turnAtMs, this.#chargedToMs) <= this.#clock.monoMs();
  }

  /** A message leaves. */
  spend(): void {
    this.#turnAtMs = this.#clock.monoMs() + this.#pace.delayMs;
    this.charge();
  }

  /** Any other line leaves. */
  charge(): void {
    const now = this.#clock.monoMs();
    const { delayMs } = this.#pace;
    this.#chargedToMs = Math.min(Math.max(now, this.#chargedToMs) + delayMs, now + (ALLOWANCE + DEBT_MAX) * delayMs);
  }

  /** The server has let us in: what was said before does not count. */
  welcomed(): void {
    this.#chargedToMs = -Infinity;
  }
}
