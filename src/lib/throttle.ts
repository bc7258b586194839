const KEYS_MAX = 1000;

/** Lets one of many equal happenings through per window, and `perWindowMax` of any kind, and counts the others. */
export class Throttle {
  readonly #windowMs: number;
  readonly #perWindowMax: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, { atMs: number; suppressed: number }>();
  #windowAtMs = -Infinity;
  #passed = 0;

  constructor(options: { readonly windowMs: number; readonly perWindowMax: number; readonly nowMs: () => number }) {
    this.#windowMs = options.windowMs;
    this.#perWindowMax = options.perWindowMax;
    this.#nowMs = options.nowMs;
  }

  /** `suppressed` is how many of this key were held back since the last one that passed. */
  pass(key: string): { readonly passes: boolean; readonly suppressed: number } {
    const now = this.#nowMs();
    if (now - this.#windowAtMs >= this.#windowMs) {
      this.#windowAtMs = now;
      this.#passed = 0;
    }
    const last = this.#seen.get(key);
    if ((last !== undefined && now - last.atMs < this.#windowMs) || this.#passed >= this.#perWindowMax) {
      if (last !== undefined) last.suppressed += 1;
      return { passes: false, suppressed: last?.suppressed ?? 0 };
    }
    // Keys come from outside: the oldest makes room.
    if (last === undefined && this.#seen.size >= KEYS_MAX) this.#seen.delete(this.#seen.keys().next().value ?? key);
    this.#passed += 1;
    this.#seen.set(key, { atMs: now, suppressed: 0 });
    return { passes: true, suppressed: last?.suppressed ?? 0 };
  }
}
