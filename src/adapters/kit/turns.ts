import { onAbort } from "../../lib/abort.ts";

/** So many at a time; others wait, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** What it gives ends the turn. Null: the signal was aborted first. */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#come(signal))) return null;
    let isOver = false;
    return () => {
      if (!isOver) this.#end();
      isOver = true;
    };
  }

  async #come(signal: AbortSignal): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>();
    const begin = (): void => turn.resolve(true);
    this.#waiting.add(begin);
    const forget = onAbort(signal, () => {
      if (this.#waiting.delete(begin)) turn.resolve(false);
    });
    const hasCome = await turn.promise;
    forget();
    if (hasCome && signal.aborted) this.#end();
    return hasCome && !signal.aborted;
  }

  #end(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
