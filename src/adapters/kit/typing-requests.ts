import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { TypingDisplay } from "../../contract/session.ts";

/** Requests under way at a time; further ones are dropped. */
const REQUESTS_MAX = 4;
/** How long one may take, in ms. */
const REQUEST_MS = 10_000;

interface TypingRequestsOptions extends Pick<TypingDisplay, "lastsMs"> {
  readonly clock: Pick<Clock, "after">;
  /** False: the network ends it by itself only. */
  readonly ends: boolean;
  /** Sends one request unless the channel is not joined or a rate limit holds it. What becomes of it does not matter. */
  readonly send: (channel: ChannelRef, on: boolean, signal: AbortSignal) => Promise<unknown>;
}

/** Shows typing by requests: one at a time for each channel, a few for all of them, and none that waits. */
export class TypingRequests implements TypingDisplay {
  readonly lastsMs: number;
  readonly #options: TypingRequestsOptions;
  /** By channel, what is to be shown once its request has ended. */
  readonly #underWay = new Map<ChannelRef, boolean>();
  readonly #ended = new AbortController();

  constructor(options: TypingRequestsOptions) {
    this.#options = options;
    this.lastsMs = options.lastsMs;
  }

  show(channel: ChannelRef, on: boolean): void {
    if (this.#ended.signal.aborted || (!on && !this.#options.ends)) return;
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
    try {
      await send(channel, on, AbortSignal.any([late.signal, this.#ended.signal]));
    } catch {
      // Typing that is not shown harms nobody.
    }
    cancel();
    const isOver = on && this.#underWay.get(channel) === false;
    this.#underWay.delete(channel);
    if (isOver) this.show(channel, false);
  }
}
