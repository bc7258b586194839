/** How a stretch of time was; the worst of it counts. */
export type Beat = "ok" | "degraded" | "down" | "none";

const ORDER: readonly Beat[] = ["none", "ok", "degraded", "down"];

export const worstOf = (beats: readonly Beat[]): Beat =>
  beats.reduce<Beat>((worst, beat) => (ORDER.indexOf(beat) > ORDER.indexOf(worst) ? beat : worst), "none");

/** The share of the time that is known in which it was up; null: nothing is known. */
export function shareOf({ upMs, downMs }: { readonly upMs: number; readonly downMs: number }): string | null {
  if (upMs + downMs === 0) return null;
  const share = (upMs / (upMs + downMs)) * 100;
  // Never 100 % of what was not whole; near it, one digit more tells an hour of 90 days.
  if (downMs === 0) return "100 %";
  const digits = share >= 99 ? 100 : 10;
  return `${(Math.floor(share * digits) / digits).toFixed(digits === 100 ? 2 : 1)} %`;
}
