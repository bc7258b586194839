import { expect, test } from "vitest";
import { ago } from "./ago.ts";

const MINUTE = 60_000;
test.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [MINUTE, "1 min"],
  [60 * MINUTE, "1 h"],
  [310 * MINUTE, "5 h 10 min"],
  [24 * 60 * MINUTE, "1 d"],
  [52 * 60 * MINUTE, "2 d 4 h"],
])("%d ms: %s", (ms, words) => {
  expect(ago(ms)).toBe(words);
});
