import type { Event } from "../contract/events.ts";
import type { Clock } from "../contract/host.ts";
import { pause } from "./deadline.ts";

/**
 * How long an event may wait, from its arrival, in ms. A network answers within milliseconds of showing a copy, and a
 * commit takes less than that, so this is only used up where a handler hangs or the log refuses; people should not
 * notice it much then either.
 */
const HOLD_MS = 10_000;

interface HoldsOptions {
  readonly clock: Clock;
  /** Ends all of them. */
  readonly signal: AbortSignal;
  /** One is over. */
  readonly released: () => void;
}

/** Channels whose next event waits for what is under way there. An event waits once. */
export class Holds {
  readonly #options: HoldsOptions;
  readonly #channels = new Map<string, Promise<void>>();
  readonly #waited = new WeakSet<Event>();

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#channels.size;
  }

  /** Those there are now. */
  get channels(): Set<string> {
    return new Set(this.#channels.keys());
  }

  /** Resolves once one is over. */
  get next(): Promise<void> {
    return Promise.race(this.#channels.values());
  }

  /** Whether an event that came at `sinceMs`, by `Clock.monoMs`, may still wait. */
  mayWait(event: Event, sinceMs: number): boolean {
    return !this.#waited.has(event) && this.#options.clock.monoMs() < sinceMs + HOLD_MS;
  }

  /** Nothing of the channel is taken in until `cause` has resolved, or the event has waited for long enough. */
  hold(channel: string, event: Event, { cause, sinceMs }: Hold): void {
    this.#waited.add(event);
    this.#channels.set(channel, this.#wait(channel, cause, sinceMs));
  }

  /** Never rejects. */
  async #wait(channel: string, cause: Promise<void>, sinceMs: number): Promise<void> {
    const { clock, signal, released } = this.#options;
    const over = new AbortController();
    const ms = sinceMs + HOLD_MS - clock.monoMs();
    const end = AbortSignal.any([signal, over.signal]);
    await Promise.race([cause, pause({ clock, ms, signal: end })]);
    over.abort();
    this.#channels.delete(channel);
    released();
  }
}

interface Hold {
  readonly cause: Promise<void>;
  readonly sinceMs: number;
}
