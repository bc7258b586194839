/** How long a test waits for something that must come; a long time, because the machine may be busy. */
const PATIENCE_MS = 20_000;
/** Between two questions whether it has come. */
const ASK_MS = 20;
const ASK_MAX_MS = 200;
/** How much longer than a question the pause after it is. */
const ASK_TIMES = 19;

/** How long not to ask again after a question that took so long: that time is taken from what is waited for. */
export const pauseAfter = (askedMs: number): number => Math.min(ASK_MAX_MS, Math.max(ASK_MS, ASK_TIMES * askedMs));

/**
 * Fails with what was awaited when the promise has not settled in time. `alive` gets a function that begins the wait
 * again, for what shows in between that it still moves.
 */
export async function within<T>(
  promise: Promise<T>,
  what: () => string,
  ms: number = PATIENCE_MS,
  alive: (again: () => void) => void = () => undefined,
): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`waited ${ms} ms for ${what()}`)), ms);
  alive(() => void timer.refresh());
  try {
    return await Promise.race([promise, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again until the answer passes; for what the program does in its own time and announces nowhere. */
export async function eventually<T>(
  ask: () => Promise<T>,
  enough: (answer: T) => boolean,
  what: () => string,
  ms: number = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const begun = performance.now();
    const asked = ask();
    const pause = pauseAfter(performance.now() - begun);
    const answer = await asked;
    if (enough(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms for ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** A queue that can be awaited. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #takers: ((item: T) => void)[] = [];

  push(item: T): void {
    const taker = this.#takers.shift();
    if (taker) taker(item);
    else this.#items.push(item);
  }

  /** What has come and nobody has taken. */
  get waiting(): readonly T[] {
    return this.#items;
  }

  /** The oldest item not yet taken; waits for it. Rejects when `over` (the source's end) settles first. */
  async next(what: () => string, over: Promise<string>, ms: number = PATIENCE_MS): Promise<T> {
    const ready = this.#items.shift();
    if (ready !== undefined) return ready;
    const taker = Promise.withResolvers<T>();
    this.#takers.push(taker.resolve);
    const ended = over.then((how) => Promise.reject(new Error(`it ended (${how}) before ${what()} came`)));
    return await within(Promise.race([taker.promise, ended]), what, ms);
  }
}
