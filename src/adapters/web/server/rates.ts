import { Lru } from "../../../lib/lru.ts";

const KEYS_MAX = 20_000;

/** So many of each key in a time, all at once or spread. */
export class Rates {
  readonly #most: number;
  readonly #perMs: number;
  readonly #nowMs: () => number;
  readonly #left = new Lru<string, { left: number; atMs: number }>(KEYS_MAX);

  constructor(most: number, perMs: number, nowMs: () => number) {
    this.#most = most;
    this.#perMs = perMs;
    this.#nowMs = nowMs;
  }

  /** 0: it may; otherwise after so many seconds. `more`: of this key, so many more than of others. */
  take(key: string, more = 0): number {
    const now = this.#nowMs();
    const most = this.#most + more;
    const { left, atMs } = this.#left.get(key) ?? { left: most, atMs: now };
    const each = this.#perMs / most;
    const filled = Math.min(most, left + (now - atMs) / each);
    if (filled < 1) return Math.max(1, Math.ceil(((1 - filled) * each) / 1000));
    this.#left.set(key, { left: filled - 1, atMs: now });
    return 0;
  }
}
