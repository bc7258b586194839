import type { ReadWriteLock } from "../lib/read-write-lock.ts";

/**
 * Which accounts are to run at this machine, where several share them. What is asked of one account is done in the
 * order in which it was asked, and never while the configuration changes: it is not opened while an earlier life of it
 * may still write.
 */
export class AccountsHere {
  readonly #sharing: ReadWriteLock;
  /** Each ends its opening when it is to run here no longer. */
  readonly #openings = new Map<string, AbortController>();
  readonly #turns = new Map<string, Promise<void>>();

  /** `sharing`: see DeliveryOptions. */
  constructor(sharing: ReadWriteLock) {
    this.#sharing = sharing;
  }

  has(accountKey: string): boolean {
    return this.#openings.has(accountKey);
  }

  /** `open`: called in its turn; the signal is aborted when the account is to run here no longer. */
  add(accountKey: string, open: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const opening = new AbortController();
    this.#openings.set(accountKey, opening);
    return this.#inTurn(accountKey, async () => await open(opening.signal));
  }

  /** `end`: called in its turn, also where nothing was opened. */
  remove(accountKey: string, end: () => Promise<void>): Promise<void> {
    this.#openings.get(accountKey)?.abort();
    this.#openings.delete(accountKey);
    return this.#inTurn(accountKey, end);
  }

  #inTurn(accountKey: string, task: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(accountKey) ?? Promise.resolve();
    const turn = before.then(async () => await this.#sharing.shared(task));
    this.#turns.set(accountKey, turn);
    return turn;
  }
}
