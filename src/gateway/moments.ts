import { localTime } from "../lib/local-time.ts";

/**
 * Moments in words, for rooms: in local time to the minute, with the offset, and with the day only where two of them
 * differ in it. Unix ms.
 */

/** `12:04+01:00`, or `2026-01-01 12:04+01:00` when that was on another day than `nowMs`. */
export function momentOf(ms: number, nowMs: number): string {
  return dayOf(ms) === dayOf(nowMs) ? timeOf(ms) : `${dayOf(ms)} ${timeOf(ms)}`;
}

/** `from 12:04+01:00 to 12:10+01:00`, or `from 12:04+01:00` when that is the same. */
export function gapOf(fromMs: number, toMs: number): string {
  const from = momentOf(fromMs, toMs);
  const to = momentOf(toMs, fromMs);
  return from === to ? `from ${from}` : `from ${from} to ${to}`;
}

const dayOf = (ms: number): string => localTime(ms).slice(0, 10);
const timeOf = (ms: number): string => localTime(ms).replace(/^\S+ (\d\d:\d\d):\d\d/, "$1");
