import { expect, test } from "vitest";
import { checkText } from "./log.ts";

test.each([
  [0, 1, "x: 0 entries, 1 mark, nothing is damaged\n"],
  [1, 2, "x: 1 entry, 2 marks, nothing is damaged\n"],
])("a check that counts %i entries and %i marks", (entries, marks, shown) => {
  expect(checkText("x", { entries, marks, findings: [] })).toBe(shown);
});
