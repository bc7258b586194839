/** Moments in words, for rooms: UTC to the minute, with the day only where two of them differ in it. Unix ms. */

/** `12:04`, or `2026-01-01 12:04` when that was on another day than `nowMs`. */
export function momentOf(ms: number, nowMs: number): string {
  return dayOf(ms) === dayOf(nowMs) ? timeOf(ms) : `${dayOf(ms)} ${timeOf(ms)}`;
}

/** `from 12:04 to 12:10 UTC`, or `from 12:04 UTC` when that is the same. */
export function gapOf(fromMs: number, toMs: number): string {
  const from = momentOf(fromMs, toMs);
  const to = momentOf(toMs, fromMs);
  return from === to ? `from ${from} UTC` : `from ${from} to ${to} UTC`;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
