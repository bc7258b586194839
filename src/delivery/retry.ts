/** Waits of a back-off, in ms. */
export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Full jitter: anything from 0 to a ceiling that starts at the base and doubles with each attempt up to the cap, so
 * that many who failed together do not come back together. `attempt` is 1 after the first failure; `random` gives 0 <=
 * x < 1; ms, whole.
 */
export function fullJitter(attempt: number, { baseMs, capMs }: Backoff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.floor(random() * ceiling);
}
