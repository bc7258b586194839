import { afterEach, expect, test, vi } from "vitest";
import { gapOf, momentOf } from "./moments.ts";

afterEach(() => vi.unstubAllEnvs());

const at = (iso: string): number => Date.parse(iso);

test.each([
  ["UTC", "2026-01-01T12:04:59Z", "2026-01-01T23:59:00Z", "12:04+00:00"],
  ["Europe/Berlin", "2026-01-01T12:04:59Z", "2026-01-01T13:00:00Z", "13:04+01:00"],
  // The day is the local one.
  ["Europe/Berlin", "2026-01-01T12:04:00Z", "2026-01-01T23:30:00Z", "2026-01-01 13:04+01:00"],
  ["Europe/Berlin", "2026-01-01T23:30:00Z", "2026-01-02T00:30:00Z", "00:30+01:00"],
  ["America/St_Johns", "2026-01-01T02:00:00Z", "2026-01-01T12:00:00Z", "2025-12-31 22:30-03:30"],
])("in %s, %s is at %s: %s", (zone, ms, nowMs, shown) => {
  vi.stubEnv("TZ", zone);
  expect(momentOf(at(ms), at(nowMs))).toBe(shown);
});

test.each([
  ["UTC", "2026-01-01T12:04:59Z", "2026-01-01T12:10:00Z", "from 12:04+00:00 to 12:10+00:00"],
  ["Europe/Berlin", "2026-01-01T12:04:00Z", "2026-01-01T12:04:30Z", "from 13:04+01:00"],
  [
    "Europe/Berlin",
    "2026-01-01T22:50:00Z",
    "2026-01-01T23:10:00Z",
    "from 2026-01-01 23:50+01:00 to 2026-01-02 00:10+01:00",
  ],
  // The clocks are set back in between.
  ["Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "from 02:30+02:00 to 02:30+01:00"],
])("in %s, from %s to %s: %s", (zone, fromMs, toMs, shown) => {
  vi.stubEnv("TZ", zone);
  expect(gapOf(at(fromMs), at(toMs))).toBe(shown);
});
