import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import { end } from "./account-end.ts";
import type { AccountRegistry } from "./account-registry.ts";
import type { Patience, Wanted } from "./account-runtime.ts";

/** Where another machine has the account already: nothing of it can be stored here any more. */
const LOST: Patience = { lanesMs: 0, drainMs: 0 };
/** So long may what is under way take, before the account is handed over, in ms. */
const IN_ORDER: Patience = { lanesMs: 1_500, drainMs: 500 };

export interface HostingOptions {
  readonly parts: AccountRegistry;
  /** As the configuration has it now; null: it has no such account. */
  readonly wanted: (accountKey: string) => Wanted | null;
  readonly ended: AbortSignal;
  /** See DeliveryOptions. */
  readonly sharing: ReadWriteLock;
}

/**
 * Which accounts run here, where several machines share them. What is asked of one account is done in the order in
 * which it was asked: it is never opened while an earlier life of it may still write.
 */
export class Hosting {
  readonly #options: HostingOptions;
  /** Those that are to run here; each ends its opening when it is to run no longer. */
  readonly #here = new Map<string, AbortController>();
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: HostingOptions) {
    this.#options = options;
  }

  has(accountKey: string): boolean {
    return this.#here.has(accountKey);
  }

  /** Resolves when it is open. Never rejects. */
  run(accountKey: string): Promise<void> {
    const own = new AbortController();
    this.#here.set(accountKey, own);
    return this.#inTurn(accountKey, async () => {
      const { parts, wanted: wantedNow, ended } = this.#options;
      const wanted = wantedNow(accountKey);
      if (wanted === null || parts.get(accountKey) !== undefined) return;
      await parts.add(wanted, AbortSignal.any([own.signal, ended]));
    });
  }

  /** Resolves when nothing of it is left here. `isLost`: another machine has it already. Never rejects. */
  release(accountKey: string, { isLost }: { readonly isLost: boolean }): Promise<void> {
    this.#here.get(accountKey)?.abort();
    this.#here.delete(accountKey);
    return this.#inTurn(accountKey, async () => {
      const { parts } = this.#options;
      const part = parts.get(accountKey);
      if (part !== undefined) await end(part, isLost ? LOST : IN_ORDER, parts);
    });
  }

  #inTurn(accountKey: string, task: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(accountKey) ?? Promise.resolve()).then(
      async () => await this.#options.sharing.shared(task),
    );
    this.#turns.set(accountKey, turn);
    return turn;
  }
}
