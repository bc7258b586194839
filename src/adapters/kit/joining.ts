import type { ReasonCode } from "../../contract/outcome.ts";
import type { Joined } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { quote } from "./ends.ts";

/** A try to enter a channel: it has one result, the first one. */
export class Joining {
  readonly result: Promise<Joined>;
  readonly #resolve: (joined: Joined) => void;
  #settled = false;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Joined>();
    this.result = promise;
    this.#resolve = resolve;
  }

  get settled(): boolean {
    return this.#settled;
  }

  settle(joined: Joined): void {
    this.#settled = true;
    this.#resolve(joined);
  }

  /** Tries it by `enter`, at the end of which or later it is settled; the signal gives it up. */
  async run(name: string, signal: AbortSignal, enter: () => Promise<void>): Promise<Joined> {
    const release = onAbort(signal, () => this.cancel(name));
    await enter();
    const joined = await this.result;
    release();
    return joined;
  }

  cancel(name: string): void {
    this.settle(notJoined("stopping", `joining ${quote(name)} was cancelled`));
  }
}

/** Not entered, and the core chooses when to try again. */
export function notJoined(code: ReasonCode, message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}
