/**
 * Numbers that are the same for the same seeds (mulberry32, by Tommy Ettinger, public domain), and what is chosen by
 * them.
 */
export class Random {
  #state: number;

  constructor(seed: number, turn = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(turn + 1, 0x85ebca6b)) >>> 0;
  }

  /** 0 <= x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 <= n < `below`. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("there is nothing to choose from");
    return from[this.int(from.length)] as T;
  }

  /** Up to `most` things, mostly few. */
  some<T>(most: number, make: () => T): T[] {
    const count = Math.floor(this.next() ** 2 * (most + 1));
    return Array.from({ length: count }, make);
  }
}
