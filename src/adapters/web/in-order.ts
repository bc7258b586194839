const WAITING_MAX = 256;

/** Tasks of the same key run one after the other, in the order in which they were given. */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();
  #count = 0;

  /** As many wait as may, as while the log takes nothing: whoever can be refused is to be. */
  get isFull(): boolean {
    return this.#count >= WAITING_MAX;
  }

  /** The order is settled when this is called, and not later. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(task, task);
    this.#last.set(key, mine);
    this.#count += 1;
    try {
      return await mine;
    } finally {
      this.#count -= 1;
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
