/**
 * Takes turns with everything else that the event loop has to do: one piece of work runs at a time, and what came in
 * meanwhile is handled before the next one begins. For work that is long in total and may wait, such as reading a
 * backlog, so that many who do it together delay nothing else for longer than one piece takes.
 */
export class LoopTurns {
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Runs the work when its turn comes, first come first served. Work must not wait for another turn of its own. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      setImmediate(() => this.#next());
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else next();
  }
}

/** Of all that reads a backlog in this process, whatever it is of. */
export const backlogTurns = new LoopTurns();
