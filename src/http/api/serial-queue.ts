/**
 * Keeps an order over tasks of which most are done at once and some take time: while one takes time, those after it
 * wait for it. A task that nobody goes before runs before `take` returns.
 */
export class SerialQueue {
  /** The end of the last task that takes time; null when there is none. */
  #last: Promise<void> | null = null;

  take<T>(task: () => T | Promise<T>): T | Promise<T> {
    const result = this.#last === null ? task() : this.#last.then(task);
    if (!(result instanceof Promise)) return result;
    const ended = result.then(nothing, nothing);
    this.#last = ended;
    void ended.then(() => {
      if (this.#last === ended) this.#last = null;
    });
    return result;
  }
}

const nothing = (): void => undefined;
