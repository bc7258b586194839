import { expect, test } from "vitest";
import { COMMANDS, MANNERS } from "../../contract/texts.ts";
import { actionIn, seen, typed } from "./markdown.ts";
import { isMentioned } from "./mentions.ts";

test("what somebody types to be shown as it is, is", () => {
  for (const text of [...MANNERS, ...COMMANDS]) expect(seen(typed(text))).toBe(text);
});

test.each([
  [String.raw`C:\dir \\server \* \\\*`, String.raw`C:\dir \\server * \*`],
  ["&amp;lt; &lt; <https://a.example/_b_>", "&lt; < https://a.example/_b_"],
  ["@\u200ball zero\u200bwidth", "@all zero\u200bwidth"],
])("%j is seen as %j", (message, text) => {
  expect(seen(message)).toBe(text);
});

test("what is emphasized as a whole is an action", () => {
  expect(["*waves*", "_waves_", "**waves**", "*a* b", "2 * 3"].map(actionIn)).toEqual([
    "waves",
    "waves",
    null,
    null,
    null,
  ]);
});

test.each([
  ["@al", true],
  ["hello @al.", true],
  ["(@AL)", true],
  ["x@al", false],
  ["a.@al:", true],
  ["@\u200bal", false],
  ["@alfred", false],
  ["`@al`", false],
  ["@all", true],
  ["é@all", false],
  ["@everyone", false],
])("%s mentions: %s", (message, mentions) => {
  expect(isMentioned(message, "al")).toBe(mentions);
});
