import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";

/** The network documents one message a second for each channel, and tolerates more until it objects. */
const STEP_MS = 1_000;
/** So long after an objection a channel keeps to that. */
const CAREFUL_MS = 60_000;
const CHANNELS_MAX = 1_000;

interface ChannelPaceState {
  /** Before then nothing is posted there. */
  readonly freeMs: number;
  /** Until then one message each second. */
  readonly carefulMs: number;
}

/** When something may be posted in a channel: at once, until the network has objected there. */
export class ChannelPace {
  readonly #clock: Pick<Clock, "monoMs">;
  readonly #channels = new Lru<ChannelRef, ChannelPaceState>(CHANNELS_MAX);

  constructor(clock: Pick<Clock, "monoMs">) {
    this.#clock = clock;
  }

  /** In how many milliseconds; 0: now. */
  waitMs(channel: ChannelRef): number {
    return Math.max(0, (this.#channels.get(channel)?.freeMs ?? 0) - this.#clock.monoMs());
  }

  /** Something is being posted there now. */
  posting(channel: ChannelRef): void {
    const state = this.#channels.get(channel);
    const now = this.#clock.monoMs();
    if (state === undefined) return;
    if (now >= state.carefulMs) this.#channels.delete(channel);
    else this.#channels.set(channel, { ...state, freeMs: now + STEP_MS });
  }

  /** The network has refused a message there, for so long. */
  refused(channel: ChannelRef, retryInMs: number): void {
    const freeMs = this.#clock.monoMs() + retryInMs;
    this.#channels.set(channel, { freeMs, carefulMs: freeMs + CAREFUL_MS });
  }
}
