import type { Clock } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import { inTime } from "../kit/in-time.ts";
import { retryWithin } from "../kit/outcomes.ts";

/** A refusal that does not say for how long. */
const UNSAID_MS = 5_000;
const KEPT_MAX = 2_000;
const NEVER = new Promise<never>(() => undefined);

const TOKENS_MAX = 200;
const known = new WeakMap<object, Lru<string, SlackLimits>>();

/** Those of a token, whichever session asks: whoever asks anew meanwhile is shut out for longer. */
export function limitsOf(token: string, clock: Pick<Clock, "monoMs" | "after">): SlackLimits {
  const all = known.get(clock) ?? new Lru<string, SlackLimits>(TOKENS_MAX);
  known.set(clock, all);
  const mine = all.get(token) ?? new SlackLimits(clock);
  all.set(token, mine);
  return mine;
}

/** What Slack has said of how much may be asked: of each method, and where it posts, of each channel. */
export class SlackLimits {
  readonly #clock: Pick<Clock, "monoMs" | "after">;
  /** Until when nothing of this kind is to be asked. */
  readonly #bans = new Map<string, number>();
  /** Kinds that were forbidden: the one who asks first finds out, and the others wait for that. */
  readonly #scouts = new Map<string, Promise<void>>();

  constructor(clock: Pick<Clock, "monoMs" | "after">) {
    this.#clock = clock;
  }

  /** For how many milliseconds more nothing of the kind is to be asked; 0: it may be. */
  leftMs(kind: string): number {
    const untilMs = this.#bans.get(kind);
    return untilMs === undefined ? 0 : Math.max(0, Math.ceil(untilMs - this.#clock.monoMs()));
  }

  /** It was refused as too much; for how long. */
  forbid(kind: string, retryAfterMs: number | null): number {
    if (this.#bans.size >= KEPT_MAX)
      for (const old of this.#bans.keys()) if (this.leftMs(old) === 0) this.#bans.delete(old);
    const leftMs = retryWithin(retryAfterMs ?? UNSAID_MS);
    this.#bans.set(kind, this.#clock.monoMs() + leftMs);
    return leftMs;
  }

  /**
   * Asks once that is not forbidden, which takes `waitMs` at most; null: it takes longer. After a refusal those who
   * wait go one after the other, so that they are not refused together.
   */
  async inTurn<T>(kind: string, waitMs: number, signal: AbortSignal, ask: () => Promise<T>): Promise<T | null> {
    const untilMs = this.#clock.monoMs() + waitMs;
    while (this.#bans.has(kind)) {
      const [leftMs, maxMs] = [this.leftMs(kind), Math.max(0, untilMs - this.#clock.monoMs())];
      const scout = this.#scouts.get(kind);
      if (signal.aborted || leftMs > maxMs || (scout !== undefined && maxMs === 0)) return null;
      if (scout === undefined && leftMs === 0) return await this.#scout(kind, ask);
      const limit = { clock: this.#clock, ms: scout === undefined ? leftMs : maxMs, signal };
      await inTime(scout ?? NEVER, limit, () => undefined);
    }
    return await ask();
  }

  /** The first one after a ban: with its answer the ban is over, or another one begins. */
  async #scout<T>(kind: string, ask: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<void>();
    const untilMs = this.#bans.get(kind);
    this.#scouts.set(kind, done.promise);
    try {
      return await ask();
    } finally {
      if (this.#bans.get(kind) === untilMs) this.#bans.delete(kind);
      this.#scouts.delete(kind);
      done.resolve();
    }
  }
}
