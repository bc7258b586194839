import { expect, test } from "vitest";
import { LabelledValues, newCount, Distribution } from "./tally.ts";

test("each set of label values has one cell, whatever characters are in them", () => {
  const cells = new LabelledValues(newCount);
  const sets = [
    ["a", "b"],
    ["b", "a"],
    ["a,b", ""],
    ["a", ",b"],
    ["a\0", "b"],
    ["a", "\0b"],
    ["__proto__", "x"],
  ] as const;
  for (const [index, labels] of sets.entries()) cells.at(...labels).value += index;
  for (const [index, labels] of sets.entries()) cells.at(...labels).value += index;
  expect(cells.all).toEqual(sets.map((labels, index) => ({ labels, value: { value: 2 * index } })));
});

test("without labels there is one cell; it is there once it was asked for", () => {
  const cells = new LabelledValues(newCount);
  expect(cells.all).toEqual([]);
  expect(cells.at()).toBe(cells.at());
  expect(cells.all).toEqual([{ labels: [], value: { value: 0 } }]);
});

test("values are counted up to each bound, which belongs to its bucket, and above them all", () => {
  const spread = new Distribution([0.5, 1, 2]);
  expect([spread.upTo, spread.sum]).toEqual([[0, 0, 0, 0], 0]);
  for (const value of [0, 0.5, 0.75, 2, 100]) spread.observe(value);
  expect([spread.upTo, spread.sum]).toEqual([[2, 3, 4, 5], 103.25]);
});
