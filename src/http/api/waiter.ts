import type { ReadWriteLock } from "../../lib/read-write-lock.ts";

/** Who waits for the end of something, and is told once. Must not throw. */
export interface OutcomeWaiter<T> {
  answered(outcome: T): void;
  failed(error: unknown): void;
}

/** Lets the next one in before it passes on what it is told. */
export class Passing<T> implements OutcomeWaiter<T> {
  readonly #waiter: OutcomeWaiter<T>;
  readonly #gate: Pick<ReadWriteLock, "leave">;

  constructor(waiter: OutcomeWaiter<T>, gate: Pick<ReadWriteLock, "leave">) {
    this.#waiter = waiter;
    this.#gate = gate;
  }

  answered(outcome: T): void {
    this.#gate.leave();
    this.#waiter.answered(outcome);
  }

  failed(error: unknown): void {
    this.#gate.leave();
    this.#waiter.failed(error);
  }
}

/** Begins at once where nobody holds the lock alone, and leaves it when the waiter is told. */
export function passThrough<T>(
  lock: ReadWriteLock,
  waiter: OutcomeWaiter<T>,
  go: (inside: OutcomeWaiter<T>) => void,
): void {
  if (lock.enter()) return go(new Passing(waiter, lock));
  void lock.shared(() => new Promise<void>((leave) => go(new Passing(waiter, { leave }))));
}
