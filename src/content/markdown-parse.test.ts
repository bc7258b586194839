import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { plainText } from "./plain.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "strike" | "spoiler", ...of: readonly Inline[]): Inline => ({ t, of });
const bold = (words: string): Inline => marked("bold", text(words));
const italic = (words: string): Inline => marked("italic", text(words));
const code = (words: string): Inline => ({ t: "code", text: words });
const link = (href: string, ...of: readonly Inline[]): Inline => ({ t: "link", href, of });
const quote = (...of: readonly Block[]): Block => ({ t: "quote", of });
const pre = (words: string, lang: string | null = null): Block => ({ t: "pre", text: words, lang });

describe("styles and links", () => {
  test.each<[string, readonly Inline[]]>([
    ["a **b** c", [text("a "), bold("b"), text(" c")]],
    ["_i_ *i*, **b**.", [italic("i"), text(" "), italic("i"), text(", "), bold("b"), text(".")]],
    ["~~s~~ ||h||", [marked("strike", text("s")), text(" "), marked("spoiler", text("h"))]],
    // After and before one of these signs, and beside others of their kind.
    [
      "(*a*) [_b_] {**c**} \"~~d~~\" '||e||'",
      [
        text("("),
        italic("a"),
        text(") ["),
        italic("b"),
        text("] {"),
        bold("c"),
        text('} "'),
        marked("strike", text("d")),
        text("\" '"),
        marked("spoiler", text("e")),
        text("'"),
      ],
    ],
    [
      "*a*. *b*, *c*; *d*: *e*! *f*?",
      "abcdef".split("").flatMap((of, at) => [italic(of), text([". ", ", ", "; ", ": ", "! ", "?"][at] ?? "")]),
    ],
    ["***x***", [marked("italic", bold("x"))]],
    ["***a** b*", [marked("italic", bold("a"), text(" b"))]],
    ["***a* b**", [marked("bold", italic("a"), text(" b"))]],
    ["*a **b***", [marked("italic", text("a "), bold("b"))]],
    ["**_~~||`x`||~~_**", [marked("bold", marked("italic", marked("strike", marked("spoiler", code("x")))))]],
    ["*a *b* c*", [marked("italic", text("a "), italic("b"), text(" c"))]],
    ["*foo _bar* baz_", [italic("foo _bar"), text(" baz_")]],
    ["**a* b**", [bold("a* b")]],
    ["`c *d*` ``a`b``", [code("c *d*"), text(" "), code("a`b")]],
    ["*`*`*", [marked("italic", code("*"))]],
    ["```x```", [code("x")]],
    ["[a _b_](https://e.example/c_d_(e)) z", [link("https://e.example/c_d_(e)", text("a "), italic("b")), text(" z")]],
    ["**[a](http://e.example)**", [marked("bold", link("http://e.example", text("a")))]],
    [
      "[a [b](http://c.example) d](http://e.example)",
      [text("[a "), link("http://c.example", text("b")), text(" d](http://e.example)")],
    ],
    // Beside letters of other scripts, emoji and other quotes; single marks beside quotes alone.
    ["“*a*” «_b_», „*c*“", [text("“"), italic("a"), text("” «"), italic("b"), text("», „"), italic("c"), text("“")]],
    ["これは**太字**です", [text("これは"), bold("太字"), text("です")]],
    ["これは`c`です👍||h||👍", [text("これは"), code("c"), text("です👍"), marked("spoiler", text("h")), text("👍")]],
    ["リンク[語](https://e.example/)だ", [text("リンク"), link("https://e.example/", text("語")), text("だ")]],
    ["字**_x_**字。*y*。", [text("字"), marked("bold", italic("x")), text("字。*y*。")]],
    [
      "长*宽*高 长_宽_高 长***宽***高 •_• ಠ_ಠ ◉_◉ ◉_◉ ・_・ ・_・",
      [text("长*宽*高 长_宽_高 长***宽***高 •_• ಠ_ಠ ◉_◉ ◉_◉ ・_・ ・_・")],
    ],
    // An address is whole, and marks around it still are marks.
    [
      "**https://e.example/a_b** _(https://e.example/c_d)_",
      [bold("https://e.example/a_b"), text(" "), italic("(https://e.example/c_d)")],
    ],
    ["*é* _日本_ **🎉**", [italic("é"), text(" "), italic("日本"), text(" "), bold("🎉")]],
  ])("%j", (source, of) => {
    expect(parseMarkdown(source)).toStrictEqual([para(...of)]);
  });
});

describe("blocks", () => {
  test.each<[string, readonly Block[]]>([
    ["", []],
    ["> a\nb", [quote(para(text("a"))), para(text("b"))]],
    ["a\n> *b*\n> c\n\nd", [para(text("a")), quote(para(italic("b"), text("\nc"))), para(text("\nd"))]],
    ["> a\n>\n> > b\n>", [quote(para(text("a\n")), quote(para(text("b")))), para(text(">"))]],
    ["```\n*a*\n\n  b\n```", [pre("*a*\n\n  b")]],
    ["a\n```c++ \nb\n````\nc", [para(text("a")), pre("b", "c++"), para(text("c"))]],
    ["````\n```\na\n```\n````", [pre("```\na\n```")]],
    ["> ```\n> a\n> ```\nb", [quote(pre("a")), para(text("b"))]],
    ["*a*\r\n*b*", [para(italic("a"), text("\n"), italic("b"))]],
    // Some places show no control characters, and would show an empty quote or style.
    ["> \x02", [para(text("> \x02"))]],
    ["> a\n> \x02\n> b", [quote(para(text("a\n\x02\nb")))]],
    ["*\x02* ```\x02```", [para(text("*\x02* ```\x02```"))]],
    ["```\n\x02\n```", [para(text("```\n\x02\n```"))]],
    // Nobody sees characters without a width.
    ["*\u200b* ||\u00ad\u2060|| **\u3164**", [para(text("*\u200b* ||\u00ad\u2060|| **\u3164**"))]],
    ["`\u200b` _\ufeff!_", [para(text("`\u200b` _\ufeff!_"))]],
    ["```\n\u200b\n```", [para(text("```\n\u200b\n```"))]],
    ["*\u200f\u05d0*", [para(italic("\u200f\u05d0"))]],
  ])("%j", (source, blocks) => {
    expect(parseMarkdown(source)).toStrictEqual(blocks);
  });
});

describe("a backslash", () => {
  test.each([
    [String.raw`\*a*`, "*a*"],
    [String.raw`\*a\* *b\*`, "*a* *b*"],
    [String.raw`\\*a*`, String.raw`\*a*`],
    [
      String.raw`\**a** \_b_ \~~c~~ \||d|| \`e\` \[f](http://g.example)`,
      "**a** _b_ ~~c~~ ||d|| `e` [f](http://g.example)",
    ],
    [String.raw`*a \*b* c*`, "a *b* c"],
    ["\\> a", "> a"],
    ["\\```\n*a*\n```", "```\n*a*\n```"],
    ["> \\> a", "> > a"],
    // It protects nothing here, and stays.
    [String.raw`¯\_(ツ)_/¯ \\server\share C:\_a \a \* a \#`, String.raw`¯\_(ツ)_/¯ \\server\share C:\_a \a \* a \#`],
    [String.raw`\- a \1. b \>c`, String.raw`\- a \1. b \>c`],
  ])("%j", (source, shown) => {
    expect(plainText(parseMarkdown(source))).toBe(shown);
  });
});

/** What other dialects take for something, and what only looks like it. */
const TYPED = [
  ..."+ - * 1. # > >> []() ~~~ ``` ` 2*3*4 f(x)=a*b*c a_b_c snake_case __init__ __b__ ____ *** ---".split(" "),
  "+ plus",
  "- minus",
  "* star",
  "1) a",
  "2 * 3",
  "2 * 3 * 4",
  "* a *",
  "** a **",
  "_ a _",
  "a*b*c",
  "a _b_c",
  "*a",
  "a*",
  "**a*",
  "~a~",
  "~~~a~~~",
  "||  a",
  "||||||",
  "a|b|",
  "`a",
  "`Foo`s",
  "` `",
  "`` ``",
  ":) :* *_* o_O ^_^ -_- >_< T_T (*_*) *.* *?*",
  "# comment",
  "a\n===\nb\n---",
  "1. a\n3. b",
  "- a\n  - b\n* c",
  "    indented",
  "\ttab",
  "&amp; &lt;b&gt; <b>x</b> <!-- y -->",
  "<http://a>b <me@e.example>",
  "![cat](c.png) [a](b) [a](ftp://b) [](http://c.example) a[b](http://c.example) [x]: http://d.example",
  "https://e.example/_a_/*b*",
  ">a",
  "> ",
  ">\n>",
  "```\n```",
  "```\n \n```",
  "```\na",
  "``` no language\na\n```",
  "```\na```",
  "*not\nthis*",
  "char *a, **b; x = *a * *b;",
  "^(a|b)*[^_]+\\*$ (?:\\_x)?",
  "$x_{i}^{*}$ \\alpha_1 \\\\ \\{",
  "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a_b\n+a*b*",
  "src/**/*.ts node_*/",
  "two  spaces  \nand an end\\\nof a line",
];

test.each(TYPED)("%j is the text that was typed", (typed) => {
  expect(parseMarkdown(typed)).toStrictEqual([para(text(typed))]);
});

describe("limits", () => {
  test("quotes within each other", () => {
    const shown = `${"> ".repeat(40)}a`;
    expect(plainText(parseMarkdown(shown))).toBe(shown);
    expect(JSON.stringify(parseMarkdown(shown)).match(/"quote"/g)).toHaveLength(16);
  });

  test("styles within each other: what is around too many is text", () => {
    const source = `${"*_".repeat(20)}a${"_*".repeat(20)}`;
    expect(plainText(parseMarkdown(source))).toBe(`${"*_".repeat(12)}a${"_*".repeat(12)}`);
  });
});
