import type { ReadWriteLock } from "../../lib/read-write-lock.ts";

/** Who waits for the end of something, and is told once. Must not throw. */
export interface Waiter<T> {
  answered(outcome: T): void;
  failed(error: unknown): void;
}

/** Lets the next one in before it passes on what it is told. */
export class Passing<T> implements Waiter<T> {
  readonly #waiter: Waiter<T>;
  readonly #gate: Pick<ReadWriteLock, "leave">;

  constructor(waiter: Waiter<T>, gate: Pick<ReadWriteLock, "leave">) {
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
export function passThrough<T>(lock: ReadWriteLock, waiter: Waiter<T>, go: (inside: Waiter<T>) => void): void {
  if (lock.enter()) return go(new Passing(waiter, lock));
  void lock.shared(() => new Promise<void>((leave) => go(new Passing(waiter, { leave }))));
}
