import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { formatDuration, formatSpan, parseDuration, parseSpan } from "./duration.ts";

test.each([
  ["90s", 90_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["1m1ms", 60_001],
  ["0s", 0],
  ["0.0004s", 0],
  ["90", null],
  ["", null],
  ["1 m", null],
  ["1d", null],
  ["-1s", null],
  [".5s", null],
  ["1.5.5s", null],
  ["m", null],
])("%s", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test("what is written is read again", () => {
  fc.assert(fc.property(fc.nat(), (ms) => parseDuration(formatDuration(ms)) === ms));
  expect([0, 60_000, 5_400_000, 90_061_001].map(formatDuration)).toEqual(["0s", "1m", "1h30m", "25h1m1s1ms"]);
});

test.each([
  ["30d", 2_592_000_000],
  ["1d12h", 129_600_000],
  ["0.5d", 43_200_000],
  ["90s", 90_000],
  ["12h1d", null],
  ["d", null],
  ["", null],
])("with days: %s", (text, ms) => {
  expect(parseSpan(text)).toBe(ms);
});

test("what is written with days is read again", () => {
  fc.assert(fc.property(fc.nat({ max: 10 ** 12 }), (ms) => parseSpan(formatSpan(ms)) === ms));
  expect([0, 60_000, 2_592_000_000, 129_600_000].map(formatSpan)).toEqual(["0s", "1m", "30d", "1d12h"]);
});
