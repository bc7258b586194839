import { expect, test } from "vitest";
import { excerptOf, isReaction } from "./acts.ts";

test.each<[string, boolean]>([
  ["👍", true],
  ["👩‍❤️‍💋‍👨", true],
  [":party_parrot:", true],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["", false],
  ["a\nb", false],
  ["a\u2028b", false],
  ["\u0002a", false],
])("a reaction can be %j: %s", (text, expected) => {
  expect(isReaction(text)).toBe(expected);
});

test("an excerpt is short, and ends with a whole character", () => {
  expect(excerptOf(`${"a".repeat(999)}😄 and more`)).toBe("a".repeat(999));
});
