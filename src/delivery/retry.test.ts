import { expect, test } from "vitest";
import { fullJitter } from "./retry.ts";

const BACKOFF = { baseMs: 1_000, capMs: 60_000 };

test.each([
  [1, 0, 0],
  [1, 0.5, 500],
  [1, 0.9999, 999],
  [2, 0.5, 1_000],
  [3, 0.5, 2_000],
  [6, 0.5, 16_000],
  [7, 0.5, 30_000],
  [5_000, 0.5, 30_000],
  [0, 0.5, 500],
])("attempt %d with chance %d waits %d ms", (attempt, chance, ms) => {
  expect(fullJitter(attempt, BACKOFF, () => chance)).toBe(ms);
});
