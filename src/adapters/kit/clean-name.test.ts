import { expect, test } from "vitest";
import { cleanName } from "./clean-name.ts";

test.each([
  ["alice", "alice"],
  ["  alice   b. ", "alice b."],
  ["a\nb\u2028c\u0000d", "a b c d"],
  ["\u202egnp.exe\u2066", "gnp.exe"],
  ["\t\u202e\n", ""],
])("the name %j is %j", (name, clean) => {
  expect(cleanName(name)).toBe(clean);
});
