import type { Reason } from "../../contract/outcome.ts";

export const PAUSED: Reason = { code: "stopping", message: "an operator has paused the account" };
export const RESUME =
  "What goes there waits, up to MaxAge. To go on, press Resume beside the account on the dashboard.";
export const ASKED: Reason = { code: "stopping", message: "an operator asked for another connection" };

/** Whether an operator lets an account connect, and the news of it for whoever waits. */
export class PauseSwitch {
  #isPaused: boolean;
  #turned = new AbortController();

  constructor(isPaused: boolean) {
    this.#isPaused = isPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Aborted when it is turned, or somebody wants to wait no longer. */
  get turned(): AbortSignal {
    return this.#turned.signal;
  }

  turn(isPaused: boolean): void {
    this.#isPaused = isPaused;
    const before = this.#turned;
    this.#turned = new AbortController();
    before.abort();
  }
}
