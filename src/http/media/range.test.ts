import { expect, test } from "vitest";
import { readRange } from "./range.ts";

test.each([
  ["bytes=0-4", { first: 0, last: 4 }],
  ["bytes=5-", { first: 5, last: 9 }],
  ["bytes=5-999", { first: 5, last: 9 }],
  ["bytes=-3", { first: 7, last: 9 }],
  ["bytes=-99", { first: 0, last: 9 }],
  ["Bytes=9-9", { first: 9, last: 9 }],
  ["bytes=10-", "none"],
  ["bytes=-0", "none"],
  ["bytes=4-2", null],
  ["bytes=0-1,3-4", null],
  ["bytes=-", null],
  ["bytes=a-b", null],
  ["lines=0-1", null],
  ["bytes=99999999999999999999-", null],
  ["", null],
  [undefined, null],
])("of ten bytes %j is %j", (header, range) => {
  expect(readRange(header, 10)).toEqual(range);
});

test("of nothing there is no part", () => {
  expect(readRange("bytes=0-", 0)).toBe("none");
  expect(readRange("bytes=-5", 0)).toBe("none");
});
