import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { findJsonError } from "./json-error.ts";

test.each([
  ["", 0, "a value"],
  ["{bad", 1, "a key or }"],
  ['{"a": x}', 6, "a value"],
  ['{"a" 1}', 5, ": after the key"],
  ['{"a":1 "b":2}', 7, ", or }"],
  ['{"a":1,}', 7, "a key"],
  ["[1 2]", 3, ", or ]"],
  ["[1,]", 3, "a value"],
  ["[,1]", 1, "a value or ]"],
  ['{"a":"unfinished', 5, "a value"],
  ['{"a":"\\q"}', 5, "a value"],
  ['{"text":"a"} tail', 13, "the end"],
  ['{"a":1', 6, ", or }"],
  ["// comment", 0, "a value"],
  ["[1}", 2, ", or ]"],
  ['"tab\there"', 0, "a value"],
])("%j breaks at %i, where %s was expected", (text, offset, expected) => {
  expect(findJsonError(text)).toEqual({ offset, expected });
});

test("a million brackets do not overflow anything", () => {
  expect(findJsonError("[".repeat(1_000_000))?.offset).toBe(1_000_000);
});

test("it finds nothing in JSON, and something in what JSON.parse refuses", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findJsonError(text)).toBeNull();
    }),
  );
  const mangled = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", "]", '"', ",", ":", "x", "1", "\\", "\n", "-"))
    .map(
      ([text, at, extra]) => text.slice(0, at % (text.length + 1)) + extra + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(
    fc.property(mangled, (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (valid) expect(findJsonError(text)).toBeNull();
      else expect(findJsonError(text)).not.toBeNull();
    }),
    { numRuns: 2000 },
  );
});
