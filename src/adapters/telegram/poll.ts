import type { Clock, Host } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { ASKED } from "../kit/ends.ts";
import { inTime } from "../kit/in-time.ts";
import type { Json } from "../kit/json.ts";
import { POLL_S, type TelegramApi } from "./api.ts";
import { endOf, OTHER_POLLER } from "./login.ts";
import { says, type TelegramFailure } from "./result.ts";

/** So often in a row a server may be in trouble. */
const TROUBLES_MAX = 6;
const AGAIN_MS = 1_000;
const AGAIN_MAX_MS = 20_000;
/** So long after it asked last another program is gone. */
const CALM_MS = 60_000;
/** A server that answers so soon, with nothing new, does not wait for something to happen … */
const QUICK_MS = 100;
/** … and is asked again after so long at most. */
const IDLE_MAX_MS = 1_000;
/** A longer wait is said at once. */
const LONG_MS = 10_000;

interface PollOptions {
  readonly api: Pick<TelegramApi, "updates">;
  readonly host: Pick<Host, "degraded" | "log"> & { readonly clock: Pick<Clock, "after" | "monoMs"> };
  /** The last update that is on disk; 0: none. */
  readonly at: () => number;
  /** An answer as it came; the same updates come again until they are on disk. */
  readonly onUpdates: (updates: readonly Json[]) => void;
  /** Resolves when more can be taken. True: something is still waited for, and asking soon is right. */
  readonly ready: () => Promise<boolean>;
  /** Of the session. */
  readonly signal: AbortSignal;
}

/** Asks for what happens, one question after the other, each confirming what is on disk. */
export class TelegramPoll {
  readonly #options: PollOptions;
  #troubles = 0;
  /** So often in a row an answer came at once and brought nothing. */
  #idle = 0;
  #isTold = false;
  /** When another program asked last. */
  #conflictMs = -CALM_MS;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  /** Until that makes no sense any more. */
  async run(): Promise<Ended> {
    const { api, at, onUpdates, ready, host, signal } = this.#options;
    for (;;) {
      if (isAborted(signal)) return ASKED;
      const [before, begunMs] = [at(), host.clock.monoMs()];
      const answer = await api.updates({ offset: at() + 1, waitS: POLL_S }, signal);
      if (isAborted(signal)) return ASKED;
      if (answer.ok) {
        this.#well();
        onUpdates(answer.value);
        const isWaiting = await ready();
        const isIdle = !isWaiting && at() === before && host.clock.monoMs() - begunMs < QUICK_MS;
        this.#idle = isIdle ? this.#idle + 1 : 0;
        if (isIdle) await this.#wait(Math.min(QUICK_MS * 2 ** (this.#idle - 1), IDLE_MAX_MS));
        continue;
      }
      const ended = this.#failed(answer.failure);
      if (ended !== null) return ended;
      await this.#pause(answer.failure.retryAfterMs);
    }
  }

  #well(): void {
    const { host } = this.#options;
    this.#troubles = 0;
    // Between two of its answers all seems well.
    if (!this.#isTold || host.clock.monoMs() - this.#conflictMs < CALM_MS) return;
    this.#isTold = false;
    host.degraded(null, ABOUT);
  }

  /** Null: it is asked again. */
  #failed(failure: TelegramFailure): Ended | null {
    const { status, code, message, retryAfterMs } = failure;
    this.#troubles += 1;
    const isOther = status === 409 && !says(failure, "webhook");
    if (isOther) {
      this.#conflictMs = this.#options.host.clock.monoMs();
      this.#say({ code: "config", message: OTHER_POLLER });
      return null;
    }
    const isLasting = status < 500 || this.#troubles > TROUBLES_MAX;
    if (status !== 429 && isLasting) return endOf(failure, false);
    if (this.#troubles > 1 || (retryAfterMs ?? 0) > LONG_MS) this.#say({ code, message });
    return null;
  }

  #say(why: NonNullable<Parameters<Host["degraded"]>[0]>): void {
    this.#isTold = true;
    this.#options.host.degraded(why, ABOUT);
  }

  async #pause(askedMs: number | null): Promise<void> {
    await this.#wait(Math.max(askedMs ?? 0, Math.min(AGAIN_MS * 2 ** (this.#troubles - 1), AGAIN_MAX_MS)));
  }

  async #wait(ms: number): Promise<void> {
    const { host, signal } = this.#options;
    await inTime<void, void>(new Promise(() => undefined), { clock: host.clock, ms, signal }, () => undefined);
  }
}

const ABOUT = "updates";

/** Asked anew each time: it changes while something is waited for. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;
