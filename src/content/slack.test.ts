import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { richText, stored } from "../../test/servers/slack/mrkdwn.ts";
import type { Block, Inline } from "../contract/content.ts";
import { mint, type UserRef } from "../contract/ids.ts";
import { parse, render } from "./formats.ts";
import { plainText } from "./plain.ts";
import { richBlocks } from "./slack-rich-read.ts";
import { parseSlack } from "./slack-parse.ts";
import { protectSlack, renderSlack, slackTextLength } from "./slack-render.ts";
import { NO_NAMES, type SlackNames } from "./slack-tokens.ts";
import { hostileWords, signsOf, tameWords, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const code = (words: string): Inline => ({ t: "code", text: words });
const link = (href: string, words: string): Inline => ({ t: "link", href, of: [text(words)] });
const styled = (t: "bold" | "italic" | "strike" | "underline", ...of: readonly Inline[]): Inline => ({ t, of });
const user = (id: string): UserRef => mint("UserRef", id);
const emoji = (name: string): Inline => ({ t: "emoji", text: name });
const mention = (id: string | null, name: string): Inline => ({
  t: "mention",
  user: id === null ? null : user(id),
  text: name,
});

const NAMES: SlackNames = {
  user: (id) => (id === "U1" ? "Alice" : null),
  channel: (id) => (id === "C1" ? "dock" : null),
  group: (id) => (id === "S1" ? "crew" : null),
};

test.each<[string, readonly Inline[]]>([
  [
    "*a* _b_ ~c~",
    [styled("bold", text("a")), text(" "), styled("italic", text("b")), text(" "), styled("strike", text("c"))],
  ],
  [
    "*_a_* _~b~_",
    [styled("bold", styled("italic", text("a"))), text(" "), styled("italic", styled("strike", text("b")))],
  ],
  ["(*a*), *b*!", [text("("), styled("bold", text("a")), text("), "), styled("bold", text("b")), text("!")]],
  ["a*b*c snake_case_x 2*3*4", [text("a*b*c snake_case_x 2*3*4")]],
  ["* a * _ b_ ~c ~", [text("* a * _ b_ ~c ~")]],
  ["**a** __b__ *a\nb*", [text("**a** __b__ *a\nb*")]],
  ["é*a* *a*é", [text("é*a* *a*é")]],
  ["*a*\u200bb", [styled("bold", text("a")), text("\u200bb")]],
  ["`*a*` `<@U1>` ``", [code("*a*"), text(" "), code("@Alice"), text(" ``")]],
  ["*a `*` b*", [styled("bold", text("a "), code("*"), text(" b"))]],
  ["&lt;b&gt; &amp;amp; &quot; &#42;a&#42;", [text("<b> &amp; &quot; *a*")]],
  [
    "<@U1> <@U9> <@U9|bob> <@W1|ann &amp; co>",
    [
      mention("U1", "@Alice"),
      text(" "),
      mention("U9", "@unknown-user"),
      text(" "),
      mention("U9", "@bob"),
      text(" "),
      mention("W1", "@ann & co"),
    ],
  ],
  ["<#C1> <#C1|old> <#C9|pier> <#C9|> <#C9>", [text("#dock #dock #pier #unknown #unknown")]],
  [
    "<!subteam^S1> <!subteam^S9|@hands> <!subteam^S9>",
    [mention(null, "@crew"), text(" "), mention(null, "@hands"), text(" "), mention(null, "@unknown-group")],
  ],
  [
    "<!here> <!channel|channel> <!everyone> <!group> <!new|word> <!new>",
    [text("@here @channel @everyone @channel word <new>")],
  ],
  [
    "<https://e.example/a_b_c> <https://e.example/?a&amp;b|x *y*>",
    [text("https://e.example/a_b_c "), link("https://e.example/?a&b", "x *y*")],
  ],
  ["<http://e.example|e.example> <http://e.example/|e.example>", [text("e.example e.example")]],
  [
    "<mailto:a@b.example|a@b.example> <mailto:a@b.example|me> <tel:+123|+123> <tel:+123|call>",
    [text("a@b.example "), link("mailto:a@b.example", "me"), text(" +123 call (+123)")],
  ],
  ["<javascript:alert(1)|x> <a b> <script>", [text("x (javascript:alert(1)) <a b> <script>")]],
  [":smile: :wave::skin-tone-3: :party-parrot: done:tada:", [text("😄 👋🏼 "), emoji(":party-parrot:"), text(" done🎉")]],
  ...[
    "2001:db8:a:b:1::1",
    "std::map::key::x",
    "root:x:0:0:root",
    "00:1a:ab:cd:ef:01",
    "10:o:30",
    "a:cat:b",
    "1:cat:",
  ].map((own): [string, readonly Inline[]] => [own, [text(own)]]),
  [":cat::dog::cat: (:cat:)", [text("🐱🐶🐱 (🐱)")]],
  ["10:30:45 a:zz:c ::: :no such:", [text("10:30:45 a:zz:c ::: :no such:")]],
  [
    "a<>b <>*c*<>d <u>e *f*</u>",
    [text("ab "), styled("bold", text("c")), text("d "), styled("underline", text("e "), styled("bold", text("f")))],
  ],
  ["*<https://e.example/*x*>*", [styled("bold", text("https://e.example/*x*"))]],
  ["- a # b", [text("- a # b")]],
])("words of %j", (source, of) => {
  expect(parseSlack(source, NAMES)).toStrictEqual([para(...of)]);
});

test.each([
  ["<!date^1618953630^{date} at {time}|20 Apr>", "20 Apr"],
  ["<!date^1618953630^{date} at {time}>", "20 April 2021 at 21:20 UTC"],
  ["<!date^1618953630^{date_num} {time_secs}>", "2021-04-20 21:20:30 UTC"],
  ["<!date^1618953630^{date_long}>", "Tuesday, 20 April 2021"],
  ["<!date^1618953630^{date_short_pretty} {x}>", "20 Apr 2021 {x}"],
  ["<!date^1618953630^{ago}^https://e.example/x>", "20 April 2021 21:20 UTC (https://e.example/x)"],
  ["<!date^9000000000000^{date}>", "{date}"],
  ["<!date^x^{date}|then>", "then"],
])("the moment %s", (source, words) => {
  expect(plainText(parseSlack(source))).toBe(words);
});

const quote = (...of: readonly Block[]): Block => ({ t: "quote", of });
const pre = (words: string, lang: string | null = null): Block => ({ t: "pre", text: words, lang });
const list = (ordered: boolean, ...items: readonly (readonly Block[])[]): Block => ({ t: "list", ordered, items });

test.each<[string, readonly Block[]]>([
  ["a\r\nb\n\nc", [para(text("a\nb\n\nc"))]],
  ["a\n&gt; b\n&gt;c\nd", [para(text("a")), quote(para(text("b\nc"))), para(text("d"))]],
  ["> a", [quote(para(text("a")))]],
  ["&gt; &gt; a", [quote(para(text("> a")))]],
  ["&gt;\n&gt; ", [para(text(">\n>"))]],
  ["&gt;&gt;&gt; a\nb", [quote(para(text("a\nb")))]],
  ["&gt; a\n<>\n&gt; b", [quote(para(text("a"))), quote(para(text("b")))]],
  ["x\n```\n*a* &lt;\n b\n```\ny", [para(text("x")), pre("*a* <\n b"), para(text("y"))]],
  ["x ```a``` y", [para(text("x ")), pre("a"), para(text(" y"))]],
  ["```a\nb``` ```c```", [pre("a\nb"), para(text(" ")), pre("c")]],
  ["```<!lang^ts>\na\n```", [pre("a", "ts")]],
  ["``` a", [para(text("``` a"))]],
  ["``````", [para(text("``````"))]],
  ["&gt; ```\n&gt; a\n&gt; ```", [quote(pre("a"))]],
  ["• a\n    ◦ b\n• c", [list(false, [para(text("a")), list(false, [para(text("b"))])], [para(text("c"))])]],
  ["1. a\n2. b\n    • c", [list(true, [para(text("a"))], [para(text("b")), list(false, [para(text("c"))])])]],
  ["3. a\n5. b", [para(text("3. a\n5. b"))]],
  ["• a\n  b\n<>\n• c", [list(false, [para(text("a\nb"))]), list(false, [para(text("c"))])]],
  ["- a\n•b\n1.c", [para(text("- a\n•b\n1.c"))]],
])("blocks of %j", (source, blocks) => {
  expect(parseSlack(source)).toStrictEqual(blocks);
});

describe("written as mrkdwn", () => {
  test.each<[readonly Block[], string]>([
    [[para(text("a & b < c > d"))], "a &amp; b &lt; c &gt; d"],
    [[para(text("> a\n* b"))], "\u200b&gt; a\n* b"],
    [[para(text("*a* _b_ ~c~ 2*3*4"))], "*\ufeffa* _\ufeffb_ ~\ufeffc~ 2*3*4"],
    [[para(text("*https://e.example/* *"))], "*\ufeff<https://e.example/>* *\ufeff"],
    [[para(text("<!channel> <@U1> @channel"))], "&lt;!channel&gt; &lt;@U1&gt; @channel"],
    [[para(text(":smile: 10:30"))], ":\u200bsmile: 10:30"],
    [[para(text("see https://e.example/a_b_?c&d."))], "see <https://e.example/a_b_?c&amp;d>."],
    [
      [para(mention("U1", "@Alice"), text(" "), mention("@here", "@here"), text(" "), mention("x", "@x *y*"))],
      "<@U1> <!here> @x *\ufeffy*",
    ],
    [[para(text("a"), styled("bold", text("b")), text("c"))], "a\u200b*b*\u200bc"],
    [[para(styled("bold", text("a*b")))], "a*b"],
    [[para(styled("bold", text("a\nb ")))], "*a*\n*b* "],
    [[para(code("a`b"), text(" "), code("<c>"))], "a`b `&lt;c&gt;`"],
    [[para(link("https://e.example/?a|b", "x <y>"))], "<https://e.example/?a%7Cb|x &lt;y&gt;>"],
    [[para(link("https://e.example/", "x|y"))], "x|y (<https://e.example/>)"],
    [[para(link("javascript:x", "y"))], "y (javascript:x)"],
    [[{ t: "heading", level: 1, of: [text("a")] }, para(text("b"))], "*a*\nb"],
    [[pre("a ```b", "ts")], "```\na ``\u200b`b\n```"],
    [[quote(para(text("a")), quote(para(text("b"))), pre("c"))], "&gt; a\n&gt; \u200b&gt; b\n&gt; c"],
    [[quote(para(text("a"))), quote(para(text("b")))], "&gt; a\n\n&gt; b"],
    [[list(false, [para(text("a")), list(true, [para(text("b"))])], [])], "• a\n  1. b\n• \u200b"],
    [
      [para({ t: "spoiler", of: [text("a")] }, emoji(":tada:"), text(" "), emoji(":cat_x:"))],
      "a\u200b:\u200btada: :\u200bcat_x:",
    ],
  ])("%j", (blocks, written) => {
    expect(renderSlack(blocks)).toBe(written);
    expect(slackTextLength(blocks)).toBe(Array.from(written).length);
  });

  test("words of others mean nothing, for us and for the network", () => {
    fc.assert(
      fc.property(fc.array(hostileWords, { maxLength: 20 }), (all) => {
        const words = all.join("").replaceAll(/\r\n?|`/g, "");
        const written = protectSlack(words);
        const isMeant = ({ type, style }: { type: string; style?: object }): boolean =>
          (type !== "text" && type !== "link") || style !== undefined;
        const inlines = richText(written).elements.flatMap((part) =>
          part.type === "rich_text_section" ? part.elements : [],
        );
        expect(inlines.filter(isMeant)).toStrictEqual([]);
        // An address that has the sign before the words of a link.
        expect(signsOf(plainText(parse("slack", written))).replaceAll("%7C", "|")).toBe(signsOf(words));
      }),
      { numRuns: 1000 },
    );
  });

  test("what is written once is written so again", () => {
    fc.assert(
      fc.property(trees(tameWords), (blocks) => {
        const once = render("slack", parse("slack", render("slack", blocks)));
        expect(render("slack", parse("slack", once))).toBe(once);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  "a *b* _c_ ~d~ `e*f*` *_g_*",
  "2*3*4 snake_case_name",
  "<@U1A> <#C1A|dock> <!channel> <!subteam^S1A|@crew>",
  "<https://a.org/?x=1&y=2|A & B> :tada: https://b.org",
  "<!date^1700000000^{date}^https://a.org|then>",
  "one\ntwo < three",
  "see\n• one\n    ◦ in\n    ◦ there\n• two\nend",
  "1. a\n2. b",
  "> a\n> *b*\nc",
  "x\n```\n*a* <\n```\ny",
])("read as the network reads it: %j", (typed) => {
  const names: SlackNames = { user: () => "a", channel: () => "dock", group: () => "crew" };
  const source = stored(typed.replaceAll(/^> /gm, "&gt; "));
  expect(parseSlack(source, names)).toStrictEqual(richBlocks(richText(source).elements, names));
  expect(parseSlack(source, NO_NAMES)).toHaveLength(parseSlack(source, names).length);
});
