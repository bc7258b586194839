import type { Clock } from "../../contract/host.ts";

/** How long a request waits for it, in ms. */
const WAIT_MS = 5_000;
/** How often it is asked while somebody waits, in ms: nobody says when it has come. */
const ASK_MS = 100;

/**
 * Whether this node certainly runs an account of the API. While it does not know, another may have taken the account
 * over, and give its readers what this one would: so nothing is given until it knows.
 */
export class Certainty {
  readonly #ask: (() => boolean) | null;
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<() => void>();
  /** Requests that wait. */
  readonly #requests = new Set<() => void>();
  /** Cancels the next question; null: nobody waits. */
  #cancel: (() => void) | null = null;

  /** `ask` is null where there is one machine. */
  constructor(ask: (() => boolean) | null, clock: Pick<Clock, "after">) {
    this.#ask = ask;
    this.#clock = clock;
  }

  get isSure(): boolean {
    return this.#ask?.() ?? true;
  }

  /** Calls back once, when it is certain. Returns what ends the wait. */
  whenSure(listener: () => void): () => void {
    if (this.isSure) {
      listener();
      return () => undefined;
    }
    const own = (): void => listener();
    this.#waiting.add(own);
    this.#cancel ??= this.#clock.after(ASK_MS, () => this.#look());
    return () => void this.#waiting.delete(own);
  }

  /** For a request: whether, before long, it is certain, and `other` is over. */
  async soon(other: Promise<void> | null): Promise<boolean> {
    if (other === null && this.isSure) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => resolve(false);
    const cancel = this.#clock.after(WAIT_MS, giveUp);
    this.#requests.add(giveUp);
    await Promise.race([other, promise]);
    const forget = this.whenSure(() => resolve(true));
    const isReady = await promise;
    cancel();
    forget();
    this.#requests.delete(giveUp);
    return isReady;
  }

  /** Nobody waits any longer. */
  end(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting.clear();
    for (const giveUp of this.#requests) giveUp();
  }

  #look(): void {
    this.#cancel = null;
    if (this.#waiting.size === 0) return;
    if (!this.isSure) {
      this.#cancel = this.#clock.after(ASK_MS, () => this.#look());
      return;
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const listener of waiting) listener();
  }
}
