/** How a stretch of time was; the worst of it counts. */
export type Beat = "ok" | "degraded" | "down" | "none";

const ORDER: readonly Beat[] = ["none", "ok", "degraded", "down"];

export const worstOf = (beats: readonly Beat[]): Beat =>
  beats.reduce<Beat>((worst, beat) => (ORDER.indexOf(beat) > ORDER.indexOf(worst) ? beat : worst), "none");

/** The share of what is known that was without trouble. */
export function shareOf(beats: readonly Beat[]): string | null {
  const known = beats.filter((beat) => beat !== "none");
  if (known.length === 0) return null;
  const share = (known.filter((beat) => beat === "ok").length / known.length) * 100;
  // Never 100 % of what was not whole.
  const rounded = share === 100 ? "100" : Math.min(99.9, Math.floor(share * 10) / 10).toFixed(1);
  return `${rounded} %`;
}
