import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { mint, type UserRef } from "../contract/ids.ts";
import { protectDiscord } from "./discord-protect.ts";
import { renderDiscord } from "./discord-render.ts";
import { parse, render } from "./formats.ts";
import { plainText } from "./plain.ts";
import { dialectWords, hostileWords, signsOf, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const read = (words: string): readonly Block[] => parse("discord", words);
const code = (words: string): Inline => ({ t: "code", text: words });
const link = (href: string, words: string): Inline => ({ t: "link", href, of: [text(words)] });
const heading = (level: number, ...of: readonly Inline[]): Block => ({ t: "heading", level, of });
const write = (words: string): string => render("discord", parse("plain", words));
const together = (words: string): string => words.replaceAll("\u200b", "");
/** Without the marks of quotes and lists: those around nothing are text, or gone. */
const signs = (blocks: readonly Block[]): string => signsOf(together(plainText(blocks))).replaceAll(/[>-]|\d+\./g, "");

/** What means something in Discord's text and nowhere else. */
const discordSign = fc.oneof(
  fc.constantFrom(
    ..."<@1> <@!2> <@&3> <#4> <@5|A> <:a_b:6> <a:c:7> <t:8:R> </d:9> <id:guide> @everyone @here :smile:".split(" "),
    ..."<http://x/_> ** * _ __ || ~~ \\ ]( (http://y) a_ _a é".split(" "),
    "-# ",
    ">>> ",
    " * ",
    "- ",
    "\n",
  ),
  hostileWords,
);
const discordWords = fc
  .array(fc.oneof(discordSign, dialectWords), { maxLength: 12 })
  .map((words) => words.join("").replaceAll(/\r\n?/g, "\n"));

const styled = (t: "bold" | "italic" | "underline" | "strike" | "spoiler", ...of: readonly Inline[]): Inline => ({
  t,
  of,
});
const user = (id: string): UserRef => mint("UserRef", id);

test.each<[string, readonly Inline[]]>([
  ["*a* _b_", [styled("italic", text("a")), text(" "), styled("italic", text("b"))]],
  ["**c** __d__", [styled("bold", text("c")), text(" "), styled("underline", text("d"))]],
  ["~~e~~ ||f||", [styled("strike", text("e")), text(" "), styled("spoiler", text("f"))]],
  [
    "***a*** ___b___",
    [styled("italic", styled("bold", text("a"))), text(" "), styled("italic", styled("underline", text("b")))],
  ],
  ["**a *b***", [styled("bold", text("a "), styled("italic", text("b")))]],
  ["a**b**c a*b*c", [text("a"), styled("bold", text("b")), text("c a"), styled("italic", text("b")), text("c")]],
  ["snake_case_x _a_b", [text("snake_case_x _a_b")]],
  ["** a ** _ b _", [styled("bold", text(" a ")), text(" "), styled("italic", text(" b "))]],
  ["2 * 3 * 4 * a *", [text("2 * 3 * 4 * a *")]],
  ["**foo*** ***", [styled("bold", text("foo*")), text(" ***")]],
  ["*****", [styled("bold", text("*"))]],
  ["**foo__**bar__", [styled("bold", text("foo__")), text("bar__")]],
  ["**a `**` b", [styled("bold", text("a `")), text("` b")]],
  ["**a\n\nb**", [styled("bold", text("a\n\nb"))]],
  ["`*a*` ``b`c`` `d", [code("*a*"), text(" "), code("b`c"), text(" `d")]],
  [String.raw`\*a\* \_ \<@1> C:\dir \\server \é`, [text(String.raw`*a* _ <@1> C:\dir \server é`)]],
  [
    "[a **b**](http://e.example/_c_)",
    [{ t: "link", href: "http://e.example/_c_", of: [text("a "), styled("bold", text("b"))] }],
  ],
  [
    '[a](<http://e.example/>) [b]( http://e.example/(x) "t" )',
    [link("http://e.example/", "a"), text(" "), link("http://e.example/(x)", "b")],
  ],
  [
    "[a](ftp://e.example) [http://x](http://y) [](http://z)",
    [text("[a](ftp://e.example) [http://x](http://y) [](http://z)")],
  ],
  [
    "<http://e.example/_a_> http://e.example/*b*. (http://e.example/(c))",
    [text("http://e.example/_a_ http://e.example/*b*. (http://e.example/(c))")],
  ],
  ["&amp; <b>x</b> ![a](b) | - |", [text("&amp; <b>x</b> ![a](b) | - |")]],
  [
    "<@1|Alice %28A%29> <@!2> <@&3|mods> <@&4>",
    [
      { t: "mention", user: user("1"), text: "@Alice (A)" },
      text(" "),
      { t: "mention", user: user("2"), text: "@unknown-user" },
      text(" "),
      { t: "mention", user: null, text: "@mods" },
      text(" "),
      { t: "mention", user: null, text: "@deleted-role" },
    ],
  ],
  [
    "<#5|general> <#6> </poll new:7> <id:customize> <id:nothing>",
    [text("#general #unknown /poll new Channels & Roles <id:nothing>")],
  ],
  [
    "<:cat:8><a:dog_2:9>",
    [
      { t: "emoji", text: ":cat:" },
      { t: "emoji", text: ":dog_2:" },
    ],
  ],
  ["@everyone @here", [text("@everyone @here")]],
])("words of %j", (source, of) => {
  expect(read(source)).toStrictEqual([para(...of)]);
});

test.each([
  ["<t:1618953630>", "20 April 2021 21:20 UTC"],
  ["<t:1618953630:t>", "21:20 UTC"],
  ["<t:1618953630:T>", "21:20:30 UTC"],
  ["<t:1618953630:d>", "2021-04-20"],
  ["<t:1618953630:D>", "20 April 2021"],
  ["<t:1618953630:f>", "20 April 2021 21:20 UTC"],
  ["<t:1618953630:F>", "Tuesday, 20 April 2021 21:20 UTC"],
  ["<t:1618953630:s>", "2021-04-20 21:20 UTC"],
  ["<t:1618953630:S>", "2021-04-20 21:20:30 UTC"],
  ["<t:1618953630:R>", "20 April 2021 21:20 UTC"],
  ["<t:-86400:d>", "1969-12-31"],
  ["<t:9000000000000>", "<t:9000000000000>"],
  ["<t:1:x>", "<t:1:x>"],
])("the moment %s", (source, words) => {
  expect(read(source)).toStrictEqual([para(text(words))]);
});

const quote = (...of: readonly Block[]): Block => ({ t: "quote", of });
const pre = (words: string, lang: string | null): Block => ({ t: "pre", text: words, lang });
const list = (ordered: boolean, ...items: readonly (readonly Block[])[]): Block => ({ t: "list", ordered, items });

test.each<[string, readonly Block[]]>([
  ["# a\n### *b*\nc", [heading(1, text("a")), heading(3, styled("italic", text("b"))), para(text("c"))]],
  ["#a\n#### b\n# # c\n#", [para(text("#a\n#### b\n# # c\n#"))]],
  ["a\n-# **b**\nc", [para(text("a")), para(styled("bold", text("b"))), para(text("c"))]],
  ["-#a\n-# -# b", [para(text("-#a\n-# -# b"))]],
  ["> a\n> b\nc", [quote(para(text("a\nb"))), para(text("c"))]],
  ["> > a\n> - b", [quote(para(text("> a")), list(false, [para(text("b"))]))]],
  [">a\n>\n> ", [para(text(">a\n>\n> "))]],
  ["> a\n\n> b", [quote(para(text("a"))), quote(para(text("b")))]],
  ["a\n>>> b\n> c\n\nd", [para(text("a")), quote(para(text("b\n> c\n\nd")))]],
  ["a\n```ts\nb\n\n c\n```\nd", [para(text("a")), pre("b\n\n c", "ts"), para(text("d"))]],
  ["a ```b``` c", [para(text("a ")), pre("b", null), para(text(" c"))]],
  ["```js\n```", [pre("js", null)]],
  ["```\n<@1> > *a*\n# b```", [pre("<@1> > *a*\n# b", null)]],
  ["> ```\n> a\n> ```", [quote(pre("a", null))]],
  ["||```c```||", [para(styled("spoiler", code("c")))]],
  ["a\n||\n```js\nc\n```\n||\nb", [para(text("a")), para(styled("spoiler", code("c"))), para(text("b"))]],
  ["||a ```c``` b||", ["a ", "c", " b"].map((part, at) => para(styled("spoiler", at === 1 ? code(part) : text(part))))],
  ["||x\n- a||", [para(styled("spoiler", text("x"))), list(false, [para(styled("spoiler", text("a")))])]],
  ["`||`\n- ||a||", [para(code("||")), list(false, [para(styled("spoiler", text("a")))])]],
  ["||a||```c```||b||", [para(styled("spoiler", text("a"))), pre("c", null), para(styled("spoiler", text("b")))]],
  [String.raw`\|\|` + "```c```||", [para(text("||")), pre("c", null), para(text("||"))]],
  ["```", [para(text("```"))]],
  ["```a", [para(text("```a"))]],
  ["`a\n> b`", [para(code("a\n> b"))]],
  ["- a\n  - b\n* c", [list(false, [para(text("a")), list(false, [para(text("b"))])], [para(text("c"))])]],
  ["1. a\n   b\n2. c", [list(true, [para(text("a\nb"))], [para(text("c"))])]],
  ["- a\n1. b\nc", [list(false, [para(text("a"))]), list(true, [para(text("b"))]), para(text("c"))]],
  ["- # a\n- > b", [list(false, [heading(1, text("a"))], [quote(para(text("b")))])]],
  ["-a\n+ b\n1) c\n1986. What a year", [para(text("-a\n+ b\n1) c\n1986. What a year"))]],
  ["a\n===\n| b |\n|---|\n***", [para(text("a\n===\n| b |\n|---|\n***"))]],
  ["a\r\n\r\nb\n", [para(text("a\n\nb\n"))]],
])("blocks of %j", (source, blocks) => {
  expect(read(source)).toStrictEqual(blocks);
});

describe("plain text has only what it needs to be shown as it is", () => {
  test.each([
    [
      "2 * 3 = a_b, snake_case (x) [y](z) ~5 | 10:30:45 :) <3",
      "2 * 3 = a_b, snake_case (x) [y](z) ~5 | 10:30:45 :) <3",
    ],
    ["*a* _b_ ~~c~~ ||d|| `e`", String.raw`\*a\* \_b\_ \~\~c\~\~ \|\|d\|\| ` + "\\`e\\`"],
    [String.raw`C:\dir \* \\s ¯\_(ツ)_/¯`, String.raw`C:\dir \\\* \\\s ¯\\\_(ツ)\_/¯`],
    ["# a\n-# b\n- c\n+ d\n1. e\n> f\n>>> g\n#h -i", "\\# a\n\\-# b\n\\- c\n\\+ d\n1\\. e\n\\> f\n\\>>> g\n#h -i"],
    ["[a](http://b.example)", "[a]\\(http://b.example)"],
    ["<http://e.example/>", "\\<<http://e.example/>>"],
    ["http://e.example/a_(b)_c (http://e.example/).", "http://e.example/a_(b)_c (http://e.example/)."],
    ["see http://e.example/!", "see <http://e.example/>!"],
    ["<@1> <@!2> <@&3> <#4> <@5|A>", "<\\@1> <\\@!2> <\\@&3> <\\#4> <\\@5|A>"],
    ["<:a:1> <t:1> </a:1> <id:guide>", "\\<\\:a:1> \\<t:1> \\</a:1> \\<id:guide>"],
    [":smile: :+1: ::cat:", "\\:smile: \\:+1: :\\:cat:"],
    ["@everyone @Here x@here", "@everyone @Here x@here"],
    ["http://e.example/@everyone", "http://e.example/@everyone"],
    ["&lt; me@e.example @bob", "&lt; me@e.example @bob"],
  ])("%j", (words, source) => {
    expect(write(words)).toBe(source);
    expect(protectDiscord(words).replaceAll("\\_", "_")).toBe(source.replaceAll("\\_", "_"));
    expect(together(plainText(read(source)))).toBe(words);
  });
});

test.each<[string, readonly Block[], string]>([
  ["italic around bold", [para(styled("italic", styled("bold", text("a"))))], "_**a**_"],
  ["bold around italic", [para(styled("bold", styled("italic", text("a"))))], "***a***"],
  ["a style of two lines", [para(styled("bold", text("a\nb")))], "**a**\n**b**"],
  ["a style whose mark is in an address", [para(styled("strike", text("http://e.example/~~")))], "http://e.example/~~"],
  ["a style around what would begin a quote", [para(styled("bold", text("> a")))], "**\\> a**"],
  [
    "words that would end a style in another line",
    [para(text("snake_case")), para(styled("italic", styled("bold", text("é"))))],
    "snake\\_case\n_**é**_",
  ],
  ["words that would end one in code", [para(text("snake_case")), pre("a_", null)], "snake\\_case\n```\na_\n```"],
  ["code with backticks", [para(code("a`b"), text(" "), code("a``b"))], "``a`b`` a\\`\\`b"],
  ["a fence within code", [pre("a\n```\nb", null)], "```\na\n``\u200b`\nb\n```"],
  ["somebody called within code", [pre("@here", "ts"), para(code("@everyone"))], "```ts\n@here\n```\n`@everyone`"],
  ["headings of more levels", [heading(6, text("a #")), heading(0, text("- b"))], "### a \\#\n# \\- b"],
  ["a quote within a quote", [quote(quote(para(styled("bold", text("a")))), para(text("b")))], "> \\> **a**\n> b"],
  ["quotes behind each other", [quote(para(text("a\n\nb"))), quote(para(text("c")))], "> a\n> \n> b\n\n> c"],
  ["lists behind each other", [list(false, [para(text("a"))]), list(true, [para(text("b"))])], "- a\n\n1. b"],
  ["an empty line in a list", [list(false, [para(text("a\n\nb"))])], "- a\n  \u200b\n  b"],
  [
    "code in a list",
    [list(true, [para(text("a")), pre("b\n\nc", "ts")])],
    "1. a\n   ```ts\n   b\n   \u200b\n   c\n   ```",
  ],
  ["a link whose words are an address", [para(link("http://e.example/", "http://x"))], "http://x (http://e.example/)"],
  ["a link that is its address", [para(link("http://e.example/a_b", "http://e.example/a_b"))], "http://e.example/a_b"],
])("%s", (_, blocks, source) => {
  expect(render("discord", blocks)).toBe(source);
});

describe("any words", () => {
  test("are read as the text that they are: 5000 texts", () => {
    fc.assert(
      fc.property(discordWords, (words) => {
        expect(together(plainText(read(write(words))))).toBe(together(words));
      }),
      { numRuns: 5_000 },
    );
  });

  test("in any tree are read with the same signs: 1500 trees", () => {
    fc.assert(
      fc.property(trees(discordSign), (blocks) => {
        const written = render("discord", blocks);
        expect(signs(read(written))).toBe(signs(blocks));
      }),
      { numRuns: 1_500 },
    );
  });
});

test("a mention is written as one only where its user is known", () => {
  const at = (words: string, id: string | null): Inline => ({
    t: "mention",
    user: id === null ? null : user(id),
    text: words,
  });
  const of = [
    at("@Bob B.", "1"),
    text(", "),
    at("@mods", "&2"),
    text(", "),
    at("@bob", null),
    text(", "),
    at("@everyone", null),
  ];
  expect(renderDiscord([para(...of)])).toBe("<@1>, <@&2>, @bob, @everyone");
});

test("an emoji is written as one only where the guild has it", () => {
  const of: readonly Inline[] = [
    { t: "emoji", text: ":cat:" },
    text(" "),
    { t: "emoji", text: ":dog:" },
    text(" :cat:"),
  ];
  const emoji = (name: string): string | null => (name === "cat" ? "<:cat:1>" : null);
  expect(renderDiscord([para(...of)], { emoji })).toBe("<:cat:1> \\:dog: \\:cat:");
});
