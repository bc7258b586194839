import { expect, test } from "vitest";
import { parse } from "./formats.ts";
import { personBehind } from "./matrix-links.ts";

test.each([
  ["https://matrix.to/#/@alice:example.org", "@alice:example.org"],
  ["https://matrix.to/#/%40alice%3Aexample.org?via=x", "@alice:example.org"],
  ["matrix:u/alice:example.org", "@alice:example.org"],
  ["https://matrix.to/#/#room:example.org", null],
  ["https://matrix.to/#/!id:example.org/$event", null],
  ["https://matrix.to/#/%zz", null],
  ["https://evil.example/#/@alice:example.org", null],
  ["matrix:r/room:example.org", null],
])("%s names %s", (href, id) => {
  expect(personBehind(href)).toBe(id);
});

test("a person's link is a mention wherever the text is read", () => {
  expect(parse("html", '<a href="https://matrix.to/#/@alice:a">Alice</a>: hi')).toEqual([
    {
      t: "para",
      of: [
        { t: "mention", user: "@alice:a", text: "Alice" },
        { t: "text", text: ": hi" },
      ],
    },
  ]);
});
