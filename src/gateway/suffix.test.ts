import { expect, test } from "vitest";
import { withSuffix } from "./suffix.ts";

test.each<[string, string, string, string]>([
  ["plain", "hello", " (edited)", "hello (edited)"],
  ["plain", "hello", "", "hello"],
  ["markdown", "see\n```\ncode\n```", " (edited)", "see\n```\ncode\n```\n(edited)"],
  ["markdown", "`code`", " (edited)", "`code` (edited)"],
  ["html", "<b>hello</b>", " <e>", "<b>hello</b> &#60;e&#62;"],
  ["html", "<p>one</p><p>two</p>\n", " (edited)", "<p>one</p><p>two (edited)</p>\n"],
])("%s %j with %j", (format, text, suffix, expected) => {
  expect(withSuffix({ format, text }, suffix)).toEqual({ format, text: expected });
});
