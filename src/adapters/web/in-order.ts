/** Tasks of the same key run one after the other, in the order in which they were given. */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  /** The order is settled when this is called, and not later. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(task, task);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
