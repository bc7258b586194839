import { isAborted } from "../lib/abort.ts";
import { pause } from "./deadline.ts";
import { AccountRuntime, type Shared, type Wanted } from "./account-runtime.ts";
import { fullJitter } from "./retry.ts";

const REOPEN = { baseMs: 250, capMs: 10_000 };

/** The accounts of networks that run, in the order of the configuration. */
export class AccountRegistry {
  readonly #shared: Shared;
  #all: readonly AccountRuntime[] = [];
  #settling: Promise<void> = Promise.resolve();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  get all(): readonly AccountRuntime[] {
    return this.#all;
  }

  /** Resolves when the last change is through. */
  get settled(): Promise<void> {
    return this.#settling;
  }

  get(accountKey: string): AccountRuntime | undefined {
    return this.#all.find(({ account }) => account.key === accountKey);
  }

  /** Rejects with a LogError. */
  async open(all: readonly Wanted[]): Promise<void> {
    this.#all = await Promise.all(all.map(async (wanted) => await AccountRuntime.open(wanted, this.#shared)));
  }

  /**
   * Opens an account and lets it connect, as soon as the log can be read. Nothing when the signal is aborted before.
   */
  async add(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#shared;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        const part = await AccountRuntime.open(wanted, this.#shared);
        if (isAborted(signal)) return await part.discard();
        this.#all = [...this.#all, part];
        part.supervisor.start();
        return;
      } catch (error) {
        const { name } = wanted.account;
        logger.error(
          { account: name, error: String(error) },
          "an account cannot be opened yet: the log cannot be read",
        );
        await pause({ clock, ms: fullJitter(attempt, REOPEN, random), signal });
      }
    }
  }

  remove(part: AccountRuntime): void {
    this.#all = this.#all.filter((each) => each !== part);
  }

  /** Puts them in the order of these keys. */
  order(keys: readonly string[]): void {
    const places = new Map(keys.map((key, at) => [key, at]));
    const placeOf = ({ account }: AccountRuntime): number => places.get(account.key) ?? keys.length;
    this.#all = [...this.#all].sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** A change that a stop has to wait for. */
  async settle(settling: Promise<void>): Promise<void> {
    this.#settling = settling.catch(() => undefined);
    await settling;
  }
}
