/** First come, first served. */
export class FakeTurns {
  #busy = false;
  readonly #queue: ((release: () => void) => void)[] = [];

  /** Resolves to the function that passes the turn on, or to null when the signal is aborted before the turn came. */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (!this.#busy) {
      this.#busy = true;
      return this.#release();
    }
    const turn = Promise.withResolvers<(() => void) | null>();
    const called = (release: () => void): void => {
      signal.removeEventListener("abort", given);
      turn.resolve(release);
    };
    const given = (): void => {
      const at = this.#queue.indexOf(called);
      if (at >= 0) this.#queue.splice(at, 1);
      turn.resolve(null);
    };
    signal.addEventListener("abort", given, { once: true });
    this.#queue.push(called);
    return await turn.promise;
  }

  #release(): () => void {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      const next = this.#queue.shift();
      if (next) next(this.#release());
      else this.#busy = false;
    };
  }
}

/** Resolves to true when the signal is aborted; `stop` forgets it. */
export function aborted(signal: AbortSignal): { readonly promise: Promise<true>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<true>();
  const fire = (): void => resolve(true);
  if (signal.aborted) fire();
  else signal.addEventListener("abort", fire, { once: true });
  return { promise, stop: () => signal.removeEventListener("abort", fire) };
}
