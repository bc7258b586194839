import { expect, test } from "vitest";
import { cellAfter } from "./grid.ts";

const SIZE = { count: 11, columns: 4 };

test.each([
  ["ArrowRight", 0, 1],
  ["ArrowRight", 3, 4],
  ["ArrowRight", 10, 10],
  ["ArrowLeft", 0, 0],
  ["ArrowDown", 1, 5],
  ["ArrowDown", 7, 7],
  ["ArrowUp", 9, 5],
  ["ArrowUp", 2, 2],
  ["Home", 6, 4],
  ["End", 5, 7],
  ["End", 8, 10],
  ["Tab", 5, null],
  ["a", 5, null],
])("%s from %i leads to %j", (key, at, to) => {
  expect(cellAfter({ key, ctrlKey: false }, at, SIZE)).toBe(to);
});

test("with Ctrl, to the first and to the last of all", () => {
  expect(["Home", "End"].map((key) => cellAfter({ key, ctrlKey: true }, 6, SIZE))).toEqual([0, 10]);
});
