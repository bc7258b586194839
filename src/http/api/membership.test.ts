import { expect, test } from "vitest";
import { settleMembership } from "./membership.ts";

const settle = (head: number, marks: Map<string, string>, reads: readonly [string, readonly string[]][]) => {
  const { since, changed } = settleMembership({ prefix: "api/api.x/", marks, head }, new Map(reads));
  for (const { name, value } of changed) marks.set(name, value);
  return Object.fromEntries([...since].map(([gateway, subjects]) => [gateway, Object.fromEntries(subjects)]));
};

test("a gateway is remembered from the first time on, and so is each place in it", () => {
  const marks = new Map<string, string>();
  expect(settle(5, marks, [["a/#x", ["g"]]])).toEqual({ g: { "a/#x": 5 } });
  // What was said at b/#secret before it joined the gateway is nobody's business there.
  const later = settle(9, marks, [
    ["a/#x", ["g"]],
    ["b/#secret", ["g", "h"]],
  ]);
  expect(later).toEqual({ g: { "a/#x": 5, "b/#secret": 9 }, h: { "b/#secret": 9 } });
});

test("a gateway that is not there for once is not forgotten", () => {
  const marks = new Map<string, string>();
  settle(5, marks, [["a/#x", ["g"]]]);
  expect(settle(6, marks, [])).toEqual({});
  expect(settle(8, marks, [["a/#x", ["g"]]])).toEqual({ g: { "a/#x": 5 } });
});
