import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stripMarkdown } from "./markdown.ts";

test.each([
  ["", ""],
  ["plain", "plain"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["snake_case_name and a__b__c", "snake_case_name and a__b__c"],
  ["*a* _b_ **c** __d__ ***e*** ~~f~~", "a b c d e f"],
  ["~one~ and ~~~", "~one~ and ~~~"],
  ["`code *x*` and ``a`b``", "code *x* and a`b"],
  ["```js\nlet a = *b*;\n\nend\n```", "let a = *b*;\n\nend"],
  ["[here](https://e.example/)", "here (https://e.example/)"],
  ["[https://e.example/](https://e.example/)", "https://e.example/"],
  ["<https://e.example/a_b_c>", "https://e.example/a_b_c"],
  ["<me@e.example>", "me@e.example"],
  ["https://e.example/a_b_c*d", "https://e.example/a_b_c*d"],
  ["![cat](https://e.example/c.png)", "cat (https://e.example/c.png)"],
  ["![](https://e.example/c.png)", "https://e.example/c.png"],
  ["[x] [y]", "[x] [y]"],
  ["[foo]: https://e.example/ *a*", "[foo]: https://e.example/ a"],
  ["# Title", "Title"],
  ["#channel *a*", "#channel a"],
  ["**a**\n---", "a\n---"],
  ["> quoted *text*\n> more\n\nreply", "> quoted text\n> more\n\nreply"],
  ["- *a*\n- b\n  c", "- a\n- b\n  c"],
  ["* *a*", "* a"],
  ["+ *1*", "+ 1"],
  ["1. *a*\n2. b", "1. a\n2. b"],
  ["1986) *great*", "1986) great"],
  ["- a\n  - *b*", "- a\n  - b"],
  ["*a*\nb\n\n\nc", "a\nb\n\n\nc"],
  ["*a*  \nb\\\nc", "a\nb\nc"],
  ["<nick> *hi*", "<nick> hi"],
  ["<b>*hi*</b>\n<div>*x*", "<b>hi</b>\n<div>x"],
  ["*AT&amp;T*", "AT&amp;T"],
  [String.raw`\*a\* ¯\_(ツ)_/¯ C:\dir`, String.raw`*a* ¯_(ツ)_/¯ C:\dir`],
  ["> - **a**\n>   b", "> - a\n>   b"],
  ["*unclosed", "*unclosed"],
])("%j", (markdown, text) => {
  expect(stripMarkdown(markdown)).toBe(text);
});

describe("limits", () => {
  test.each([
    ["long", `*a* ${"b".repeat(8200)}`],
    ["deep quotes", `${">".repeat(5000)} *a*`],
    ["deep lists", `${"- ".repeat(3000)}*a*`],
  ])("%s text comes back as it is", (_, text) => {
    expect(stripMarkdown(text)).toBe(text);
  });
});

test("no text makes it throw, and none loses its letters", () => {
  const unit = fc.constantFrom(
    "*",
    "_",
    "`",
    "~",
    "[",
    "](",
    ")",
    "<",
    ">",
    "#",
    "\\",
    "\n",
    " ",
    "- ",
    "1. ",
    "!",
    "\t",
    "a",
    "é",
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
      const text = units.join("");
      const letters = (of: string): string => of.replaceAll(/[^aé]/g, "");
      // The word after a fence's marks names a language and is no text; an address is not said twice.
      if (/^[>\s\d.-]*(?:`{3}|~{3})/m.test(text) || text.includes("](") || text.includes("<")) stripMarkdown(text);
      else expect(letters(stripMarkdown(text))).toBe(letters(text));
    }),
    { numRuns: 500 },
  );
});

test.each(["*#", "*_", " a_", "*a", "~~a", "[a](b)"])(
  "%s a thousand times is no Markdown that people write",
  (unit) => {
    const many = unit.repeat(1_001);
    expect(stripMarkdown(`**a** ${many}`)).toBe(`**a** ${many}`);
    expect(stripMarkdown(`**a** ${"a ".repeat(1_001)}`)).toBe(`a ${"a ".repeat(1_001).trimEnd()}`);
  },
);
