import { expect, test } from "vitest";
import { charactersOver } from "./long-text.ts";

test.each([
  ["", 0],
  ["abc", 0],
  ["abcde", 2],
  ["🎉🎉🎉", 0],
  ["🎉🎉🎉🎉", 1],
  ["ab\ud83c", 0],
  ["abc\ud83c", 1],
])("of 3 characters, %j has too many: %i", (text, over) => {
  expect(charactersOver(text, 3)).toBe(over);
});
