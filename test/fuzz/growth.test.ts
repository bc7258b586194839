import { expect, test } from "vitest";
import { growthOf } from "./growth.ts";

const curve = (heap: (given: number) => number): { given: number; heap: number }[] =>
  Array.from({ length: 11 }, (_, at) => ({ given: at * 100, heap: heap(at * 100) }));

test("what grows with every input is seen, and what has taken its size is not", () => {
  expect(
    growthOf(
      curve((given) => 20 + given / 100),
      1_000,
      500,
    ),
  ).toBe(10);
  expect(
    growthOf(
      curve((given) => 20 + Math.min(given, 500)),
      1_000,
      500,
    ),
  ).toBe(0);
});

test("of a short run nothing is said", () => {
  expect(
    growthOf(
      curve(() => 1),
      1_000,
      501,
    ),
  ).toBeNull();
  expect(growthOf([], 1, 1)).toBeNull();
  expect(growthOf([{ given: 0, heap: 1 }], 1, 0)).toBeNull();
});
