import type { Clock } from "../contract/host.ts";
import type { Why } from "../contract/outcome.ts";
import { createGate } from "./gate.ts";
import type { Gate, Outlet } from "./outlet.ts";
import { type Wait, waitMs } from "./settle.ts";

interface WaitsOptions {
  readonly clock: Clock;
  readonly random: () => number;
}

/** Where a lane can send, and until when and why it does not. */
export class Waits {
  readonly #options: WaitsOptions;
  /** Of this lane alone, beside the session's. */
  readonly #gate: Gate;
  #outlet: Outlet | null = null;
  #why: Why | null = NOT_YET;

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#gate = createGate();
  }

  /** Null: the channel is not joined. */
  get outlet(): Outlet | null {
    return this.#outlet;
  }

  /** The last reason for which something waits; null: there was none since the channel was joined or a message got through. */
  get why(): Why | null {
    return this.#why;
  }

  /** The end of the wait that was asked for, by `Clock.monoMs`; in the past when there is none. */
  get untilMs(): number {
    return Math.max(this.#gate.untilMs, this.#outlet?.gate.untilMs ?? 0);
  }

  connect(outlet: Outlet): void {
    this.#outlet = outlet;
    this.#why = null;
  }

  disconnect(why: Why): void {
    this.#outlet = null;
    this.#why = why;
  }

  /** What held others up is over; what took the channel away is not. */
  over(): void {
    if (this.#outlet !== null) this.#why = null;
  }

  /** After so many attempts. */
  hold({ gate }: Outlet, wait: Wait, attempts: number, why: Why): void {
    this.#why = why;
    const untilMs = this.#options.clock.monoMs() + waitMs(wait, attempts, this.#options.random);
    (wait.for === "session" ? gate : this.#gate).hold(untilMs);
  }

  /** The log does not answer; `times`: in a row. */
  holdForLog(times: number, why: Why): void {
    this.#why = why;
    this.#gate.hold(this.#options.clock.monoMs() + waitMs({ for: "backoff" }, times, this.#options.random));
  }
}

const NOT_YET: Why = { code: "network", message: "The channel has not been joined yet." };
