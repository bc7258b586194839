import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { parse, render } from "./formats.ts";
import { renderMattermost } from "./mattermost-render.ts";
import { plainText } from "./plain.ts";
import { dialectWords, hostileWords, signsOf, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const read = (words: string): readonly Block[] => parse("mattermost", words);
const write = (words: string): string => render("mattermost", parse("plain", words));
const together = (words: string): string => words.replaceAll("\u200b", "").replaceAll("%3B", ";");
/** Without the marks of quotes and lists: those around nothing are text, or gone. */
const signs = (blocks: readonly Block[]): string => signsOf(together(plainText(blocks))).replaceAll(/[>-]|\d+\./g, "");

test.each<[string, readonly Inline[]]>([
  [
    "*a* _b_ **c** __d__ ~~e~~",
    [
      { t: "italic", of: [text("a")] },
      text(" "),
      { t: "italic", of: [text("b")] },
      text(" "),
      { t: "bold", of: [text("c")] },
      text(" "),
      { t: "bold", of: [text("d")] },
      text(" "),
      { t: "strike", of: [text("e")] },
    ],
  ],
  ["a*b*c snake_case_x", [text("a"), { t: "italic", of: [text("b")] }, text("c snake_case_x")]],
  ["***a***", [{ t: "italic", of: [{ t: "bold", of: [text("a")] }] }]],
  ["**a\nb**", [{ t: "bold", of: [text("a\nb")] }]],
  ["**a\n\nb**", [text("**a\n\nb**")]],
  ["`*a*` ``b`c``", [{ t: "code", text: "*a*" }, text(" "), { t: "code", text: "b`c" }]],
  [String.raw`\*a\* \_ \\ C:\dir \\server`, [text(String.raw`*a* _ \ C:\dir \\server`)]],
  [
    "&amp;lt; &copy; <http://e.example/_a_> http://e.example/_a_",
    [text("&lt; &copy; http://e.example/_a_ http://e.example/_a_")],
  ],
  ["[a](http://e.example/_b_) ||c||", [{ t: "link", href: "http://e.example/_b_", of: [text("a")] }, text(" ||c||")]],
  ["2 * 3 * 4", [text("2 * 3 * 4")]],
])("a line of %j", (written, of) => {
  expect(read(written)).toStrictEqual([para(...of)]);
});

test.each<[string, readonly Block[]]>([
  ["# a\nb", [{ t: "heading", level: 1, of: [text("a")] }, para(text("b"))]],
  ["### a ##", [{ t: "heading", level: 3, of: [text("a")] }]],
  ["#a", [para(text("#a"))]],
  ["> a\nb\n\nc", [{ t: "quote", of: [para(text("a\nb"))] }, para(text("c"))]],
  ["> a\n> > b", [{ t: "quote", of: [para(text("a")), { t: "quote", of: [para(text("b"))] }] }]],
  ["a\n```ts\nb\n```\nc", [para(text("a")), { t: "pre", text: "b", lang: "ts" }, para(text("c"))]],
  ["~~~\na", [{ t: "pre", text: "a", lang: null }]],
  ["```", [para(text("```"))]],
  ["    a\n    b", [{ t: "pre", text: "a\nb", lang: null }]],
  [
    "* a\n  * b\n* c",
    [
      {
        t: "list",
        ordered: false,
        items: [[para(text("a")), { t: "list", ordered: false, items: [[para(text("b"))]] }], [para(text("c"))]],
      },
    ],
  ],
  ["1. a\n2. b", [{ t: "list", ordered: true, items: [[para(text("a"))], [para(text("b"))]] }]],
  ["1986. What a year", [para(text("1986. What a year"))]],
  ["| a | b |\n|---|---|\n| c | d |", [para(text("| a | b |\n|---|---|\n| c | d |"))]],
])("blocks of %j", (written, blocks) => {
  expect(read(written)).toStrictEqual(blocks);
});

describe("plain text has only what it needs to be shown as it is", () => {
  test.each([
    ["2 * 3 = a_b, snake_case (x) [y] ~ & 10:30:45 :) :D", "2 * 3 = a_b, snake_case (x) [y] ~ & 10:30:45 :) :D"],
    ["*a* _b_ ~~c~~ `d`", String.raw`\*a\* \_b\_ \~\~​c\~\~ \`d${"\\`"}`],
    [
      "# a\n- b\n+ c\n1. d\n2) e\n> f\n---\n#g",
      String.raw`\# a` +
        "\n" +
        String.raw`\- b` +
        "\n" +
        String.raw`\+ c` +
        "\n" +
        String.raw`1\. d` +
        "\n" +
        String.raw`2\) e` +
        "\n" +
        String.raw`\> f` +
        "\n" +
        String.raw`\---` +
        "\n#g",
    ],
    ["a | b\n--- | ---", "a | b\n--- \\| ---"],
    ["[a](http://b.example)", "[a]\u200b(http://b.example)"],
    [String.raw`C:\dir \* \\s`, String.raw`C:\dir \\\* \\\s`],
    ["&lt; &", "&amp;lt; &"],
    ["http://e.example/_a_*b* (http://e.example/).", "<http://e.example/_a_*b*> (http://e.example/)."],
    ["me@e.example", "me@e.example"],
    ["www.e.example/x_y", "www.e.example/x_y"],
    ["(see e.org/x_y/z_1, or ftp://e.org/a_b)", "(see e.org/x_y/z_1, or ftp://e.org/a_b)"],
    ["e.org/_x_", "e.or\u200bg/\\_x\\_"],
    ["(see www.e.example/a?b=c&d=@e_f:1, www2.e.example/)", "(see www.e.example/a?b=c&d=@e_f:1, www2.e.example/)"],
    ["www. and www.a", "www. and www.a"],
  ])("%j", (words, written) => {
    expect(write(words)).toBe(written);
    expect(together(plainText(read(written)))).toBe(words);
  });

  test.each([
    "@all",
    "@channel",
    "@here",
    "@everyone",
    "@bob",
    "x-@all",
    "é@all",
    "_@here",
    "a.@all:",
    "~town-square",
    ":smile:",
    ":+1:",
    ":100:",
    "http://e.example/@all",
  ])("%s is no name", (words) => {
    const written = write(words);
    expect(written).not.toMatch(/@(?:all|channel|here|everyone|bob)|~town|:smile:|:\+1:|:100:/);
    expect(together(plainText(read(written))).replace("%40", "@")).toBe(words);
  });

  test.each([
    ["www.e.example/_x_/~y*", "<http://www.e.example/_x_/~y*>"],
    ["**www.e.example/abc_**", String.raw`\*\*<http://www.e.example/abc_>\*\*`],
    ["www.e.example/@all", "www.e.example/%40all"],
    ["_www.e.example/a_b_", String.raw`\_<http://www.e.example/a_b>\_`],
    ["_http://e.example/a_b x_", String.raw`\_<http://e.example/a_b> x\_`],
  ])("an address that engines end in several places keeps its signs: %s", (words, written) => {
    expect(write(words)).toBe(written);
  });

  test("and is read as the text it is: 20000 texts", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          dialectWords,
          fc.array(hostileWords, { maxLength: 20 }).map((all) => all.join("").replaceAll(/\r\n?/g, "\n")),
        ),
        (words) => {
          expect(together(plainText(read(write(words))))).toBe(together(words));
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

test("whatever is written is read with the same signs: 3000 trees", () => {
  fc.assert(
    fc.property(trees(hostileWords), (blocks) => {
      expect(signs(read(render("mattermost", blocks)))).toBe(signs(blocks));
    }),
    { numRuns: 3_000 },
  );
});

test("a mention is written as a name only where one is known", () => {
  const at = (words: string, user: string | null): Inline => ({
    t: "mention",
    user: user as UserRef | null,
    text: words,
  });
  const of = [
    at("@bob", "u1"),
    text(", "),
    at("@Bob B", "u1"),
    text(", "),
    at("@bob", null),
    text(", "),
    at("@all", null),
  ];
  expect(renderMattermost([para(...of)])).toBe("@bob, @\u200bBob B, @\u200bbob, @\u200ball");
});

describe("texts of the largest size that a post may have", () => {
  const MANY = 60_000;

  test.each([
    "*a",
    "_a ",
    "[",
    "](",
    "\\",
    "`a",
    "http://a",
    "<http://",
    "@a",
    "- ",
    "> ",
    "\n- a\n",
    "\n\n",
    "~~~a\n",
    "1. a\n",
    "&lt;",
    "<a:",
  ])("that repeat %j", (words) => {
    const all = words.repeat(MANY / words.length);
    expect(signs(read(all)).length).toBeGreaterThanOrEqual(0);
    expect(together(plainText(read(write(all)))).length).toBeGreaterThanOrEqual(all.trim().length);
  });
});
