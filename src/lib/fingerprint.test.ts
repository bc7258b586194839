import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";

test.each<[string, unknown, unknown]>([
  ["order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  [
    "maps",
    new Map([
      ["a", { x: 1, y: 2 }],
      ["b", null],
    ] as [string, unknown][]),
    new Map([
      ["b", null],
      ["a", { y: 2, x: 1 }],
    ] as [string, unknown][]),
  ],
])("the same: %s", (_name, one, other) => {
  expect(fingerprint(one)).toBe(fingerprint(other));
});

test.each<[string, unknown, unknown]>([
  ["order of a list", [1, 2], [2, 1]],
  ["a number and its text", { a: 1 }, { a: "1" }],
  ["a key more", { a: 1 }, { a: 1, b: null }],
  ["maps", new Map([["a", 1]]), new Map([["a", 2]])],
])("not the same: %s", (_name, one, other) => {
  expect(fingerprint(one)).not.toBe(fingerprint(other));
});
