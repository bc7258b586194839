import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { distance, suggest } from "./suggest.ts";

test.each([
  ["", "", 0],
  ["a", "", 1],
  ["buffer", "bufer", 1],
  ["token", "tokne", 1],
  ["ca", "abc", 3],
  ["kitten", "sitting", 3],
])("distance(%s, %s) is %i", (a, b, slips) => {
  expect(distance(a, b)).toBe(slips);
});

test("distance is symmetric and zero only for equal words", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
      expect(distance(a, b)).toBe(distance(b, a));
      expect(distance(a, b) === 0).toBe(a === b);
    }),
    { numRuns: 200 },
  );
});

test("a distance that is large enough is not counted to its end, and every smaller one is exact", () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "c") });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 9 }), (a, b, enough) => {
      const exact = distance(a, b);
      const bounded = distance(a, b, enough);
      if (exact < enough) expect(bounded).toBe(exact);
      else expect(bounded).toBeGreaterThanOrEqual(enough);
    }),
  );
});

test("a word of more than a hundred characters is like no name", () => {
  expect(suggest("a".repeat(101), ["a".repeat(101)])).toBeNull();
});

test.each([
  ["bufer", "Buffer"],
  ["BINDADRESS", "BindAddress"],
  ["x", null],
  ["password", null],
])("suggest(%s) is %s", (word, expected) => {
  expect(suggest(word, ["BindAddress", "Buffer", "Token"])).toBe(expected);
});
