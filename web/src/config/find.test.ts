import { expect, test } from "vitest";
import { lineOf } from "./find.ts";

test.each([
  ["[general]\n[irc.Town]\nNick = 1", "irc.town", 2],
  ['[irc."a.b"]', "irc.a.b", 1],
  ["irc:\n  town:\n    Nick: x", "irc.town", 2],
  ['{\n "irc": {\n "town": {}', "irc.town", 3],
  ["[irc.towns]", "irc.town", null],
])("the line of an account in %j", (text, account, line) => {
  expect(lineOf(text, account)).toBe(line);
});
