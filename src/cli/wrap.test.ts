import { expect, test } from "vitest";
import { row, wrap } from "./wrap.ts";

test("a paragraph gets lines of at most 80 columns, indented as far as its first line", () => {
  const words = "word ".repeat(40).trim();
  const lines = wrap(words, "  - ").trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ {2}- word/u);
  expect(lines[1]).toMatch(/^ {4}word/u);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(
    lines
      .join(" ")
      .replaceAll(/[\s-]+/gu, " ")
      .trim(),
  ).toBe(words);
});

test("a word that is longer than a line stays whole", () => {
  expect(wrap(`see ${"x".repeat(90)} there`)).toBe(`see\n${"x".repeat(90)}\nthere\n`);
});

test("the meaning of a long term begins on the next line", () => {
  expect(row("-a", "short", 8)).toBe("  -a    short\n");
  expect(row("--a-long-one", "text", 8)).toBe("  --a-long-one\n        text\n");
});
