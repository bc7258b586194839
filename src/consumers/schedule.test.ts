import { expect, test } from "vitest";
import { DELAY_MAX_MS, retryAfter, retryDelay } from "./schedule.ts";

const HOUR_MS = 3_600_000;

test("the delays are those of the table, and then there is none", () => {
  const delays = Array.from({ length: 10 }, (_, index) => retryDelay(index + 1, null, 0.5));
  expect(delays).toEqual([
    5_000,
    300_000,
    1_800_000,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
    null,
  ]);
});

test("a delay is up to a fifth shorter or longer", () => {
  expect(retryDelay(1, null, 0)).toBe(4_000);
  expect(retryDelay(1, null, 1 - 1e-9)).toBe(6_000);
  expect(retryDelay(9, null, 1)).toBe(DELAY_MAX_MS);
});

test.each([
  [null, 5_000],
  [1_000, 5_000],
  [60_000, 60_000],
  [1_000 * HOUR_MS, 24 * HOUR_MS],
])("with Retry-After of %s ms the first delay is %i ms", (asked, delay) => {
  expect(retryDelay(1, asked, 0.5)).toBe(delay);
});

test.each([
  [undefined, null],
  ["", null],
  ["soon", null],
  ["-5", 0],
  ["120", 120_000],
  ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
  ["Thu, 01 Jan 2020 00:00:00 GMT", 0],
])("Retry-After %j is %s ms", (header, ms) => {
  expect(retryAfter(header, Date.UTC(2026, 0, 1))).toBe(ms);
});
