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

/**
 * Begins at once where nobody holds the lock alone, and leaves it when the waiter is told. What `go` throws before that
 * reaches the waiter. No lock: there is nothing to wait for.
 */
export function passThrough<T>(lock: ReadWriteLock | undefined, waiter: OutcomeWaiter<T>, go: Go<T>): void {
  if (lock === undefined) return begin(waiter, go);
  if (lock.enter()) return begin(new Passing(waiter, lock), go);
  void lock.shared(() => new Promise<void>((leave) => begin(new Passing(waiter, { leave }), go)));
}

type Go<T> = (inside: OutcomeWaiter<T>) => void;

function begin<T>(inside: OutcomeWaiter<T>, go: Go<T>): void {
  try {
    go(inside);
  } catch (error) {
    inside.failed(error);
  }
}
