import type { Seq } from "../log/log.ts";

/** From and to, both included. */
export type Range = readonly [from: Seq, to: Seq];

/** Positions as ranges: ascending, apart from each other by one at least. */
export class Ranges {
  #ranges: Range[] = [];

  constructor(ranges: Iterable<Range> = []) {
    for (const [from, to] of ranges) this.add(from, to);
  }

  get all(): readonly Range[] {
    return this.#ranges;
  }

  get size(): number {
    return this.#ranges.length;
  }

  has(seq: Seq): boolean {
    const range = this.#ranges[this.#at(seq)];
    return range !== undefined && range[0] <= seq;
  }

  /** Joins what touches. */
  add(from: Seq, to: Seq): void {
    const begin = this.#at(from - 1);
    let end = begin;
    let least = from;
    let most = to;
    for (let range = this.#ranges[end]; range !== undefined && range[0] <= to + 1; range = this.#ranges[++end]) {
      least = Math.min(least, range[0]);
      most = Math.max(most, range[1]);
    }
    this.#ranges.splice(begin, end - begin, [least, most]);
  }

  /** False: it was not in any. */
  remove(seq: Seq): boolean {
    const index = this.#at(seq);
    const range = this.#ranges[index];
    if (range === undefined || range[0] > seq) return false;
    const parts: Range[] = [];
    if (range[0] < seq) parts.push([range[0], seq - 1]);
    if (range[1] > seq) parts.push([seq + 1, range[1]]);
    this.#ranges.splice(index, 1, ...parts);
    return true;
  }

  /** Lets go of all up to a position; returns the position to which they reach without a gap after it. */
  passTo(seq: Seq): Seq {
    const first = this.#ranges[0];
    if (first === undefined || first[0] > seq + 1) return seq;
    const index = this.#at(seq + 1);
    const next = this.#ranges[index];
    const isTouching = next !== undefined && next[0] <= seq + 1;
    this.#ranges.splice(0, isTouching ? index + 1 : index);
    return isTouching ? next[1] : seq;
  }

  clear(): void {
    this.#ranges = [];
  }

  /** Index of the first range that ends at the position or after it. */
  #at(seq: Seq): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range !== undefined && range[1] < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
