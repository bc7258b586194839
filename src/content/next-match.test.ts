import { expect, test } from "vitest";
import { NextMatch } from "./next-match.ts";

class Counted extends RegExp {
  looks = 0;

  override exec(text: string): RegExpExecArray | null {
    this.looks += 1;
    return super.exec(text);
  }
}

test("the next place is found, or the end", () => {
  const next = new NextMatch(/b/g, "abcb");
  expect([0, 1, 2, 3, 4].map((at) => next.from(at))).toEqual([1, 1, 3, 3, 4]);
});

test.each([
  ["without a match", "<".repeat(10_000), 1],
  ["with one at its end", `${"<".repeat(10_000)}@`, 1],
  ["with some", "<<<<@".repeat(100), 100],
])("a text %s is looked through once, whatever is asked", (_, text, looks) => {
  const pattern = new Counted("@", "g");
  const next = new NextMatch(pattern, text);
  for (let at = 0; at < text.length; at += 1) next.from(at);
  expect(pattern.looks).toBe(looks);
});
