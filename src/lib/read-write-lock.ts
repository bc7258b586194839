/**
 * Lets tasks through that may run at once (shared), and stops them for one that must be alone (exclusive).
 *
 *   open ──exclusive()──▶ emptying ──nobody is inside, or `waitMs` are over──▶ shut ──the task has ended──▶ open
 *
 * While it is not open, who comes waits, and continues in the order of coming. How many wait is for the callers to
 * bound.
 */
export class ReadWriteLock {
  #inside = 0;
  /** Resolves when it opens; null while it is open. */
  #shut: Promise<void> | null = null;
  #empty: (() => void) | null = null;

  /** Goes in where it is open; who has gone in calls `leave` once. False: it is not open, and `shared` waits. */
  enter(): boolean {
    if (this.#shut !== null) return false;
    this.#inside += 1;
    return true;
  }

  leave(): void {
    this.#inside -= 1;
    if (this.#inside === 0) this.#empty?.();
  }

  /** Runs a task, at once where it is open. Rejects with what the task rejects with. */
  async shared<T>(task: () => Promise<T>): Promise<T> {
    while (!this.enter()) await this.#shut;
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  /**
   * Runs a task while nobody is inside; those who stay inside for more than `waitMs` are not waited for. One after the
   * other.
   */
  async exclusive<T>(waitMs: number, task: () => Promise<T>): Promise<T> {
    while (this.#shut !== null) await this.#shut;
    const { promise, resolve: open } = Promise.withResolvers<void>();
    this.#shut = promise;
    try {
      await this.#emptied(waitMs);
      return await task();
    } finally {
      this.#shut = null;
      open();
    }
  }

  async #emptied(waitMs: number): Promise<void> {
    if (this.#inside === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#empty = resolve;
    const timer = setTimeout(resolve, waitMs);
    await promise;
    clearTimeout(timer);
    this.#empty = null;
  }
}
