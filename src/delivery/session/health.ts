import type { Clock } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";

/** How something that is to be up stands: an account or one of its channels. Moments are Unix ms. */
export interface Health<S extends string> {
  readonly state: S;
  readonly sinceMs: number;
  /** Since when it is not up, over all that was tried meanwhile; null while it is. */
  readonly downSinceMs: number | null;
  /** When anything of it was last heard or confirmed; null: never. */
  readonly heardMs: number | null;
  /** The last trouble, until it is up again. */
  readonly why: Reason | null;
  /** When it is tried again. */
  readonly retryMs: number | null;
}

/** Nothing is told of a try that is as young as this. */
const PATIENCE_MS = 10_000;

/** Remembers how something stands over all sessions, so that whoever asks is always told since when and why. */
export class HealthTracker<S extends string> {
  readonly #clock: Clock;
  readonly #isUp: (state: S) => boolean;
  #state: S;
  #sinceMs: number;
  /** The same moment by `Clock.monoMs`. */
  #sinceMonoMs: number;
  #downSinceMs: number | null;
  #downSinceMonoMs: number | null;
  #heardMs: number | null = null;
  #why: Reason | null;
  #retryMs: number | null = null;

  constructor(clock: Clock, isUp: (state: S) => boolean, state: S, why: Reason | null = null) {
    this.#clock = clock;
    this.#isUp = isUp;
    this.#state = state;
    this.#why = why;
    this.#sinceMs = clock.nowMs();
    this.#sinceMonoMs = clock.monoMs();
    this.#downSinceMs = isUp(state) ? null : this.#sinceMs;
    this.#downSinceMonoMs = isUp(state) ? null : this.#sinceMonoMs;
  }

  get state(): S {
    return this.#state;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  get why(): Reason | null {
    return this.#why;
  }

  /** For how long it has not been up, whatever the calendar says now; null while it is. */
  get downForMs(): number | null {
    return this.#downSinceMonoMs === null ? null : this.#clock.monoMs() - this.#downSinceMonoMs;
  }

  /** `retryMs`: when it is tried again, Unix ms. */
  become(state: S, why: Reason | null, retryMs: number | null = null): void {
    const nowMs = this.#clock.nowMs();
    const monoMs = this.#clock.monoMs();
    if (state !== this.#state) {
      this.#sinceMs = nowMs;
      this.#sinceMonoMs = monoMs;
    }
    this.#state = state;
    this.#why = why;
    this.#retryMs = retryMs;
    this.#downSinceMs = this.#isUp(state) ? null : (this.#downSinceMs ?? nowMs);
    this.#downSinceMonoMs = this.#isUp(state) ? null : (this.#downSinceMonoMs ?? monoMs);
  }

  /** Another time for the next try. */
  retryAt(retryMs: number): void {
    this.#retryMs = retryMs;
  }

  heard(): void {
    this.#heardMs = this.#clock.nowMs();
  }

  /** `what`: what has not come when it is down, nothing was said against it, and some time has passed. */
  health(what: string): Health<S> {
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      downSinceMs: this.#downSinceMs,
      heardMs: this.#heardMs,
      why: this.#why ?? this.#silence(what),
      retryMs: this.#retryMs,
    };
  }

  #silence(what: string): Reason | null {
    const ms = this.#clock.monoMs() - this.#sinceMonoMs;
    if (this.#downSinceMs === null || ms < PATIENCE_MS) return null;
    return { code: "timeout", message: `${what} for ${Math.floor(ms / 1000)} s` };
  }
}
