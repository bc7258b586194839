import { expect, test } from "vitest";
import { readName, suggestName } from "./names.ts";

test.each([
  ["ann", "ann"],
  ["  Ann   Lee ", "Ann Lee"],
  ["a\u200bn\u202en", "ann"],
  ["ann\u{1d159}", "ann"],
  ["a\ufe0fn\u{e0061}n\u{13441}", "ann"],
  ["ann\u3164\u2800", "ann"],
  ["a\u0301nn", "ánn"],
  ["a\u0335\u0336nn", "ann"],
  ["line\nbreak", "line break"],
  ["हिन्दी", "हिन्दी"],
  ["<b>x</b>", "<b>x</b>"],
])("%j is shown as %j", (typed, shown) => expect(readName(typed, 32)).toEqual({ ok: true, name: shown }));

test.each([[""], ["\u200b\u2060"], ["..."], ["x".repeat(33)], ["ann (guest)"], ["x".repeat(100_000)]])(
  "%j is no name",
  (typed) => expect(readName(typed, 32).ok).toBe(false),
);

test("another name is near, free, and not too long", () => {
  expect(suggestName("ann", 8, (name) => name !== "ann 2")).toBe("ann 3");
  expect(suggestName("x".repeat(8), 8, () => true)).toBe("xxxxxx 2");
  expect(suggestName("ann", 8, () => false)).toBe("");
});
