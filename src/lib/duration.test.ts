import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

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
