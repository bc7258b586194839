import { expect, test } from "vitest";
import { printable, shorten } from "./printable.ts";

test.each([
  ["plain é 😀 👩‍👩‍👧", "plain é 😀 👩‍👩‍👧"],
  ["\u001b[2J\u0007", "\\u{1b}[2J\\u{7}"],
  ["a\nb\tc\r", "a⏎b\\u{9}c\\u{d}"],
  ["\u009b31m", "\\u{9b}31m"],
  ["\u202egnp.exe", "\\u{202e}gnp.exe"],
  ["\u2028x\u0085", "\\u{2028}x\\u{85}"],
  ["\ud83d", "\\u{d83d}"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ["hello", 5, "hello"],
  ["hello!", 5, "hell…"],
  ["😀😀😀", 3, "😀😀😀"],
  ["😀😀😀😀", 3, "😀😀…"],
  ["", 0, ""],
])("%j in %j characters is %j", (text, max, short) => {
  expect(shorten(text, max)).toBe(short);
});
