const KEYS_MAX = 1000;

/** Lets one of many equal happenings through per window and counts the others. */
export class Throttle {
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, { atMs: number; suppressed: number }>();

  constructor(windowMs: number, nowMs: () => number) {
    this.#windowMs = windowMs;
    this.#nowMs = nowMs;
  }

  /** `suppressed` is how many of this key were held back since the last one that passed. */
  pass(key: string): { readonly passes: boolean; readonly suppressed: number } {
    const now = this.#nowMs();
    const last = this.#seen.get(key);
    if (last !== undefined && now - last.atMs < this.#windowMs) {
      last.suppressed += 1;
      return { passes: false, suppressed: last.suppressed };
    }
    // Keys come from outside: the oldest makes room.
    if (last === undefined && this.#seen.size >= KEYS_MAX) this.#seen.delete(this.#seen.keys().next().value ?? key);
    this.#seen.set(key, { atMs: now, suppressed: 0 });
    return { passes: true, suppressed: last?.suppressed ?? 0 };
  }
}
