import { expect, test } from "vitest";
import { shownName } from "./shown-name.ts";

test.each([
  ["a plain name", "alice", "alice"],
  ["nobody", "", ""],
  ["two words", "Alice  Smith ", "Alice Smith"],
  ["another script", "Зоя ‌می‌خواهم", "Зоя ‌می‌خواهم"],
  ["an emoji of several", "👩‍👩‍👧 ❤️", "👩‍👩‍👧 ❤️"],
  ["Hebrew with its points", "שָׁלוֹם", "שָׁלוֹם"],
  ["a mark that keeps it from calling its owner", "a\u200blice", "a\u200blice"],
  ["brackets, signs and placeholders are only letters", "[irc] <bob> {NICK}", "[irc] <bob> {NICK}"],
  ["a line break", "eve\n[irc] <bob> yes", "eve [irc] <bob> yes"],
  ["other ends of lines", "a\rb\u0085c\u2028d\u2029e\u000bf", "a b c d e f"],
  ["what a terminal or IRC obeys", "\u001b[31meve\u0003\u0002\u0001", "[31meve"],
  ["text that runs backwards", "\u202egnp.exe\u202c", "gnp.exe"],
  ["isolates and marks of direction", "\u2066a\u2069\u200e\u200f\u061cb", "ab"],
  ["unseen letters within", "al\u00adi\u2060c\ufeffe", "alice"],
  ["unseen tags", "alice\u{e0061}\u{e007f}", "alice"],
  ["nothing but blanks", " \u3164\u2800\u00a0", ""],
  ["nothing that can be seen", "\u200b\u200d\u202e", ""],
  ["half a surrogate pair", "a\ud83d", "a\ufffd"],
  ["a tower of marks", `a${"\u0301".repeat(50)}b`, `a${"\u0301".repeat(4)}b`],
])("%s", (_, name, shown) => {
  expect(shownName(name)).toBe(shown);
  expect(shownName(shownName(name))).toBe(shown);
});

test("a very long name is cut, between characters", () => {
  expect(shownName("a".repeat(1_000_000))).toBe("a".repeat(256));
  expect(shownName("😀".repeat(5_000))).toBe("😀".repeat(256));
  expect(shownName(`x${" \u0301".repeat(1_000_000)}`).length).toBeLessThanOrEqual(512);
});
