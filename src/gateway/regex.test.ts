import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { checkPattern, compilePattern } from "./regex.ts";

describe("replacement with Go's templates", () => {
  test.each([
    // pattern, template, text, result
    ["a", "b", "banana", "bbnbnb"],
    ["(\\w+) (\\w+)", "$2 $1", "hello world", "world hello"],
    ["(a)", "${1}x", "a", "ax"],
    ["(a)", "$1x", "a", ""],
    ["(a)", "$1_", "a", ""],
    ["(a)", "$1-", "a", "a-"],
    ["(?P<who>\\w+)!", "<$who>", "bob!", "<bob>"],
    ["(?P<who>\\w+)!", "${who}s", "bob!", "bobs"],
    ["(?P<who>\\w+)!", "$whos", "bob!", ""],
    ["(?<who>\\w+)!", "$who", "bob!", "bob"],
    ["a", "$é!", "a", "!"],
    ["a", "$0$0", "a", "aa"],
    ["a", "$$1", "a", "$1"],
    ["a", "$", "a", "$"],
    ["a", "$-", "a", "$-"],
    ["a", "${", "a", "${"],
    ["a", "${1", "a", "${1"],
    ["a", "${}", "a", "${}"],
    ["a", "${a b}", "a", "${a b}"],
    ["a", "$9", "a", ""],
    ["(a)", "$01", "a", ""],
    ["(a)", "$99999999999999999999", "a", ""],
    ["(a)|(b)", "[$1$2]", "ab", "[a][b]"],
    ["a", "$constructor", "a", ""],
    ["a", "\\1&", "a", "\\1&"],
    ["a*", "X", "baaac", "XbXcX"],
    ["", "-", "ab", "-a-b-"],
    ["", "-", "😀a", "-😀-a-"],
    ["", "-", "", "-"],
    ["^a", "b", "aaa", "baa"],
    ["\\ba", "b", "aa a", "ba b"],
    ["a$", "b", "aaa", "aab"],
    ["(?i)HELLO", "bye", "Hello hello", "bye bye"],
    [".", "x", "a\nb", "x\nx"],
    ["(?m)^", "> ", "a\nb", "> a\n> b"],
    ["😀", "x", "a😀b", "axb"],
    ["z", "$1", "unchanged", "unchanged"],
  ])("%j -> %j on %j", (pattern, template, text, result) => {
    expect(compilePattern(pattern).replacer(template)(text)).toBe(result);
  });
});

test("first gives the leftmost match with its groups", () => {
  expect(compilePattern("<(.*?)>\\s+").first("a <b> <c> d")).toEqual(["<b> ", "b"]);
  expect(compilePattern("(a)|(b)").first("b")).toEqual(["b", "", "b"]);
  expect(compilePattern("x").first("abc")).toBeNull();
  expect(compilePattern("(a)(?:b)(c)").groups).toBe(2);
});

test("matching is unanchored and linear in the text", () => {
  expect(compilePattern("text").test("a text message")).toBe(true);
  expect(compilePattern("(a+)+$").test(`${"a".repeat(40_000)}b`)).toBe(false);
});

test.each([
  ["ok(", /missing closing \)/],
  ["*a", /missing argument to repetition operator.*"\\\*"/],
  ["a(?=b)", /look-ahead/],
  ["(?<!b)a", /look-behind/],
  ["(a)\\1", /back-reference/],
  ["a++", /possessive/],
  ["[z-a]", /invalid character class range at "z-a"/],
  ["a{1001}", /invalid repeat count/],
  ["\\", /trailing backslash/],
])("checkPattern explains %j", (pattern, words) => {
  expect(checkPattern(pattern)).toMatch(words);
  expect(() => compilePattern(pattern)).toThrow("error parsing regexp");
});

test("checkPattern is null for a pattern that compiles", () => {
  for (const pattern of ["", "a|b", "^\\[.*\\] ", "(?P<x>a)", "\\p{Greek}+", "a\ud800"])
    expect(checkPattern(pattern)).toBeNull();
});

const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

test("no text and no template throws, half pairs included", () => {
  const patterns = ["", ".", "[^a-z]+", "(\\pL)*", "\\b", "\ud83d", "(?s).*?x?"].map(compilePattern);
  fc.assert(
    fc.property(anyUnits, fc.string(), (text, template) => {
      for (const pattern of patterns) {
        pattern.test(text);
        pattern.first(text);
        pattern.replacer(template)(text);
      }
    }),
  );
});

test("a pattern is either explained or compiles", () => {
  const source = fc.oneof(
    anyUnits,
    fc.array(fc.constantFrom(..."ab()[]{}*+?|\\^$.-:<>=!P1d,".split("")), { maxLength: 12 }).map((cs) => cs.join("")),
  );
  fc.assert(
    fc.property(source, (pattern) => {
      if (checkPattern(pattern) === null) compilePattern(pattern).test("ab");
      else expect(() => compilePattern(pattern)).toThrow("error parsing regexp");
    }),
    { numRuns: 500 },
  );
});
