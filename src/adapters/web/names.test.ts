import { expect, test } from "vitest";
import { readName, skeleton, suggestName } from "./names.ts";

test.each([
  ["ann", "ann"],
  ["  Ann   Lee ", "Ann Lee"],
  ["a\u200bn\u202en", "ann"],
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

test.each([
  ["paypal", "PayPal"],
  ["paypal", "pаypаl"],
  ["paypal", "paypa1"],
  ["alice", "аlісе"],
  ["bob", "ВОВ"],
  ["Rialto", "Ria1to"],
  ["ann lee", "annlee"],
  ["modern", "modem"],
])("%j looks like %j", (one, other) => expect(skeleton(one)).toBe(skeleton(other)));

test.each([
  ["ann", "anna"],
  ["bob", "rob"],
  ["иван", "мария"],
])("%j does not look like %j", (one, other) => expect(skeleton(one)).not.toBe(skeleton(other)));

test("another name is near, free, and not too long", () => {
  expect(suggestName("ann", 8, (name) => name !== "ann 2")).toBe("ann 3");
  expect(suggestName("x".repeat(8), 8, () => true)).toBe("xxxxxx 2");
  expect(suggestName("ann", 8, () => false)).toBe("");
});
