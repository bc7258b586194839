import { ago } from "../../../src/lib/ago.ts";

/** In the zone and the manner of this browser. */
const TIME = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const SHORT = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const NUMBER = new Intl.NumberFormat(undefined);
const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** `14:03:22`. */
export const clock = (ms: number): string => TIME.format(ms);

/** `3 May`, with the year if it is another one. */
const day = (ms: number, nowMs = Date.now()): string =>
  (new Date(ms).getFullYear() === new Date(nowMs).getFullYear() ? DAY : YEAR).format(ms);

/** `14:03` today, `3 May, 14:03` on any other day. */
export function moment(ms: number, nowMs = Date.now()): string {
  const today = new Date(ms).toDateString() === new Date(nowMs).toDateString();
  return today ? SHORT.format(ms) : `${day(ms, nowMs)}, ${SHORT.format(ms)}`;
}

/** As a title, and for machines: `2026-05-03 14:03:22 UTC`. */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** `3 s`, `12 min`, `5 h 10 min`, `2 d 4 h`. */
export const duration = ago;

/** Of a measurement: `0.8 ms`, `23 ms`, `1.4 s`, `3 min`. */
export function latency(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : ago(ms);
}

/** `1,234`; from a hundred thousand on `123.4K`. */
export const count = (number: number): string => (number < 100_000 ? NUMBER : COMPACT).format(number);

/** Messages a second: `0`, `0.2`, `14`. */
export function rate(perSecond: number): string {
  if (perSecond === 0) return "0";
  if (perSecond < 0.1) return "<0.1";
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}

/** `512 B`, `1.4 MiB`. */
export function bytes(number: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = number;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ""}`;
}
