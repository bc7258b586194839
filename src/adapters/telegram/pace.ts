import type { Clock } from "../../contract/host.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { deferred, retryWithin } from "../kit/outcomes.ts";

const CHATS_MAX = 1_000;

/**
 * Chats in which the server takes nothing for a while: too much was said there, or slow mode lets nobody speak again so
 * soon. Whoever asks meanwhile may be banned for longer.
 */
export class ChatBans {
  readonly #clock: Pick<Clock, "monoMs">;
  readonly #untilMs = new Lru<number, number>(CHATS_MAX);

  constructor(clock: Pick<Clock, "monoMs">) {
    this.#clock = clock;
  }

  /** The server has refused something there, for so long. */
  refused(chat: number, retryInMs: number): void {
    const untilMs = this.#clock.monoMs() + retryInMs;
    if (untilMs > (this.#untilMs.get(chat) ?? 0)) this.#untilMs.set(chat, untilMs);
  }

  /** Null: something may be said there. */
  outcomeFor(chat: number): Outcome | null {
    const leftMs = (this.#untilMs.get(chat) ?? 0) - this.#clock.monoMs();
    return leftMs > 0 ? deferred(WHY, retryWithin(Math.ceil(leftMs)), "channel") : null;
  }
}

const WHY = { code: "rate_limited", message: "Telegram limits how many messages the chat takes" } as const;
