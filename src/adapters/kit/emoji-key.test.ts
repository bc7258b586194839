import { expect, test } from "vitest";
import { emojiCode, emojiKey } from "./emoji-key.ts";

test.each([
  [":heart:", "❤️", true],
  ["❤", "❤️", true],
  ["👍🏽", ":+1:", true],
  [":Blob-Cat:", ":blob-cat:", true],
  [":blob-cat:", ":blob-dog:", false],
  ["👍", "👎", false],
])("%s and %s are the same: %j", (one, other, same) => {
  expect(emojiKey(one) === emojiKey(other)).toBe(same);
});

test("only what stands between colons is a code", () => {
  expect([":+1:", ":a b:", "a", "👍", "::"].map(emojiCode)).toEqual(["+1", null, null, null, null]);
});
