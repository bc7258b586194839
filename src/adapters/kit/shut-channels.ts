import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";

interface ShutChannelsOptions {
  readonly host: Pick<Host, "degraded">;
  readonly isJoined: (channel: ChannelRef) => boolean;
}

/**
 * Reports each channel in which posts wait for a right that only a person can give: at the first refusal, and until a
 * post gets through or the channel is left.
 */
export class ShutChannels {
  readonly #options: ShutChannelsOptions;
  /** What was reported. */
  readonly #shut = new Map<ChannelRef, string>();

  constructor(options: ShutChannelsOptions) {
    this.#options = options;
  }

  /** Returns the outcome of a post. `name`: the channel, for people. */
  noted(channel: ChannelRef, name: string, outcome: Outcome): Outcome {
    const { host, isJoined } = this.#options;
    if (outcome.is === "delivered" || !isJoined(channel)) this.#open(channel);
    else if (outcome.is === "deferred" && outcome.why.code === "forbidden") {
      const { code, message } = outcome.why;
      if (this.#shut.get(channel) === message) return outcome;
      this.#shut.set(channel, message);
      host.degraded({ code, message: `${name}: ${message}` }, aboutPosting(channel));
    }
    return outcome;
  }

  #open(channel: ChannelRef): void {
    if (this.#shut.delete(channel)) this.#options.host.degraded(null, aboutPosting(channel));
  }
}

/** What tells these reports from others: `Host.degraded` with null ends one when the channel is no longer wanted. */
export const aboutPosting = (channel: ChannelRef): string => `posting/${channel}`;
