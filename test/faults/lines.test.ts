import { expect, test } from "vitest";
import { lineIn, verdict, wordsOf } from "./lines.ts";

test.each([
  ["all of it", 3, [1, 2, 3], { lost: [], doubled: [], disordered: [] }],
  ["one lost", 3, [1, 3], { lost: [2], doubled: [], disordered: [] }],
  ["the last lost", 3, [1, 2], { lost: [3], doubled: [], disordered: [] }],
  ["one twice", 3, [1, 2, 2, 3], { lost: [], doubled: [2], disordered: [] }],
  ["one again much later", 3, [1, 2, 3, 1], { lost: [], doubled: [1], disordered: [] }],
  ["two in the wrong order", 3, [1, 3, 2], { lost: [], doubled: [], disordered: [2] }],
  ["nothing", 2, [], { lost: [1, 2], doubled: [], disordered: [] }],
])("%s", (_, said, heard, found) => {
  expect(verdict(said, heard)).toEqual(found);
});

test("a line is found again in what another network makes of it", () => {
  const line = { round: 3, from: "matrix", n: 17 } as const;
  expect(lineIn(`<mona> ${wordsOf(line)}`)).toEqual(line);
  expect(lineIn("hello")).toBeNull();
});
