import type { Clock } from "../../contract/host.ts";
import type { UnreadHistory } from "./history.ts";

/** One channel is looked at so often, of all together; the same one not sooner than after so long. */
const CALM = { everyMs: 6_000, againMs: 60_000 };
/** While it is known that events are missing. */
const HURRY = { everyMs: 1_000, againMs: 4_000 };
/** What is younger may still be told by itself. */
const SETTLED_MS = 10_000;
/** A look takes no longer: what is said there meanwhile waits for it. */
const LOOK_MS = 3_000;
/** After a look of which nothing came, its channel is not looked at for so long; nor is any, where Slack refuses. */
const REST_MS = 300_000;

interface SlackSweepOptions {
  readonly clock: Pick<Clock, "after" | "monoMs">;
  /** The channels that can be looked at now. */
  readonly channels: () => readonly string[];
  /** Whether the network does not want to be asked now. */
  readonly isLimited: () => boolean;
  /** Whether events are missing now that come much later. */
  readonly isHurried: () => boolean;
  /** `settledMs`: what is younger may still come by itself. */
  readonly look: (channel: string, settledMs: number, signal: AbortSignal) => Promise<UnreadHistory | null>;
}

/** Slack's sockets lose events: channel by channel, what is there is compared with what was told, at a quiet pace. */
export class SlackSweep {
  readonly #options: SlackSweepOptions;
  readonly #lookedMs = new Map<string, number>();
  #cancel: (() => void) | null = null;
  #restUntilMs = 0;
  #stopped = false;

  constructor(options: SlackSweepOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  get #pace(): typeof CALM {
    return this.#options.isHurried() ? HURRY : CALM;
  }

  #wait(): void {
    this.#cancel = this.#options.clock.after(this.#pace.everyMs, () => void this.#turn());
  }

  async #turn(): Promise<void> {
    const { clock, isLimited } = this.#options;
    const nowMs = clock.monoMs();
    const channel = isLimited() || nowMs < this.#restUntilMs ? null : this.#next(nowMs);
    if (channel !== null) await this.#look(channel);
    if (!this.#stopped) this.#wait();
  }

  /** The one that nobody has looked at for the longest time. */
  #next(nowMs: number): string | null {
    const channels = this.#options.channels();
    const there = new Set(channels);
    for (const id of this.#lookedMs.keys()) if (!there.has(id)) this.#lookedMs.delete(id);
    let found: string | null = null;
    const dueMs = nowMs - this.#pace.againMs;
    let oldestMs = Infinity;
    for (const id of channels) {
      // When it came in, it was read.
      const lookedMs = this.#lookedMs.get(id) ?? this.#begin(id, nowMs);
      if (lookedMs > dueMs || lookedMs >= oldestMs) continue;
      oldestMs = lookedMs;
      found = id;
    }
    return found;
  }

  #begin(id: string, nowMs: number): number {
    this.#lookedMs.set(id, nowMs);
    return nowMs;
  }

  async #look(channel: string): Promise<void> {
    const { clock, look, isHurried } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(LOOK_MS, () => late.abort());
    const failure = await look(channel, isHurried() ? 0 : SETTLED_MS, late.signal);
    cancel();
    const nowMs = clock.monoMs();
    this.#lookedMs.set(channel, nowMs);
    if (failure === null) return;
    const { error, why, retryAfterMs, isBegun } = failure;
    const isLimited = error === "ratelimited";
    if (isLimited && isBegun) {
      // Half of what may be asked is left to others.
      this.#restUntilMs = nowMs + Math.min(2 * (retryAfterMs ?? REST_MS), REST_MS);
    } else if (isLimited || (why !== "refused" && !late.signal.aborted)) {
      this.#restUntilMs = nowMs + Math.max(retryAfterMs ?? 0, REST_MS);
    } else if (!isBegun) {
      this.#lookedMs.set(channel, nowMs + REST_MS);
    }
  }
}
