/** What a process holds at some moments, after a collection of its garbage. */
export interface Moment {
  /** Inputs, or requests, that it had been given by then. */
  readonly given: number;
  /** MiB. */
  readonly heap: number;
}

/**
 * MiB of the heap that came with `per` inputs in the second half of a run; in the first, caches and bounded memories
 * take their size. Null: less than `least` inputs were given in it, so that nothing can be said.
 */
export function growthOf(moments: readonly Moment[], per: number, least: number): number | null {
  const last = moments.at(-1);
  const middle = moments.find(({ given }) => given >= (last?.given ?? 0) / 2);
  if (last === undefined || middle === undefined || last.given - middle.given < Math.max(least, 1)) return null;
  return ((last.heap - middle.heap) / (last.given - middle.given)) * per;
}
