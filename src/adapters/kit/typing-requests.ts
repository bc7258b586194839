import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { TypingDisplay } from "../../contract/session.ts";

/** Requests under way at a time; further ones are dropped. */
const REQUESTS_MAX = 4;
/** How long a channel rests that refused one, in ms; channels of which that is known. */
const REST_MS = 60_000;
const RESTING_MAX = 1_000;
/** How long one may take, in ms. */
const REQUEST_MS = 10_000;

interface TypingRequestsOptions extends Pick<TypingDisplay, "lastsMs"> {
  readonly clock: Pick<Clock, "after" | "monoMs">;
  /** False: the network ends it by itself only. */
  readonly ends: boolean;
  /**
   * Sends one request, unless the channel is not joined or a rate limit holds it. False: the network refused it, and
   * nothing is sent to that channel for a minute.
   */
  readonly send: (channel: ChannelRef, on: boolean, signal: AbortSignal) => Promise<boolean>;
}

/** Shows typing by requests: one at a time for each channel, a few for all of them, and none that waits. */
export class TypingRequests implements TypingDisplay {
  readonly lastsMs: number;
  readonly #options: TypingRequestsOptions;
  /** By channel, what is to be shown once its request has ended. */
  readonly #underWay = new Map<ChannelRef, boolean>();
  /** By channel, until when nothing is sent. */
  readonly #resting = new Map<ChannelRef, number>();
  readonly #ended = new AbortController();

  constructor(options: TypingRequestsOptions) {
    this.#options = options;
    this.lastsMs = options.lastsMs;
  }

  show(channel: ChannelRef, on: boolean): void {
    const { ends, clock } = this.#options;
    if (this.#ended.signal.aborted || (!on && !ends)) return;
    if ((this.#resting.get(channel) ?? -Infinity) > clock.monoMs()) return;
    if (this.#underWay.has(channel)) this.#underWay.set(channel, on);
    else if (this.#underWay.size < REQUESTS_MAX) void this.#send(channel, on);
  }

  /** Nothing is sent any more. */
  end(): void {
    this.#ended.abort();
  }

  async #send(channel: ChannelRef, on: boolean): Promise<void> {
    const { clock, send } = this.#options;
    this.#underWay.set(channel, on);
    const late = new AbortController();
    const cancel = clock.after(REQUEST_MS, () => late.abort());
    const isFine = await send(channel, on, AbortSignal.any([late.signal, this.#ended.signal])).catch(() => false);
    cancel();
    this.#resting.delete(channel);
    if (!isFine && this.#resting.size < RESTING_MAX) this.#resting.set(channel, clock.monoMs() + REST_MS);
    const isOver = on && this.#underWay.get(channel) === false;
    this.#underWay.delete(channel);
    if (isOver) this.show(channel, false);
  }
}
