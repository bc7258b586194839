import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { mint } from "../contract/ids.ts";
import { plainText } from "./plain.ts";
import { parseSlack } from "./slack-parse.ts";
import { protectSlackSource, slackIdsIn, slackSource, writeSlackSource, writtenSlack } from "./slack-source.ts";
import { NO_NAMES, type SlackNames } from "./slack-tokens.ts";
import { hostileWords, tameWords, trees } from "./tree.suite.ts";

const NAMES: SlackNames = {
  user: (id) => (id === "U1" ? "Al*ice|<b>`" : null),
  channel: (id) => (id === "C1" ? "dock_1_" : null),
  group: (id) => (id === "S1" ? "crew" : null),
};
const said = (text: string, blocks: readonly unknown[] = [], attachments: readonly unknown[] = []) => ({
  text,
  blocks,
  attachments,
});
const rich = (...elements: readonly unknown[]) => ({ type: "rich_text", elements });
const section = (...elements: readonly unknown[]) => ({ type: "rich_text_section", elements });
const words = (text: string, ...styles: readonly string[]) => ({
  type: "text",
  text,
  style: Object.fromEntries(styles.map((style) => [style, true])),
});

test.each<[string, readonly unknown[], string]>([
  ["a *b* &lt;c&gt; :smile: <https://e.example/a|x>", [], "a *b* <c> 😄 <https://e.example/a|x>"],
  [
    "<@U1> <#C1> <!subteam^S1|@old> <@U9>",
    [],
    "<@U1|Al*ice&#124;&lt;b&gt;&#96;> #dock_1&#95; @crew <@U9|unknown-user>",
  ],
  ["fallback", [rich(section(words("2 * 3 *4* _a_b snake_case")))], "2 * 3 &#42;4&#42; &#95;a_b snake_case"],
  ["fallback", [rich(section(words("a"), words("b", "bold"), words("c", "bold", "italic")))], "a<>*b<>_c_*"],
  ["fallback", [rich(section(words("a_*b", "bold")))], "*a&#95;&#42;b*"],
  ["fallback", [rich(section(words("a "), words("b ", "underline"), words("c`", "code")))], "a <u>b</u> `c&#96;`"],
  ["fallback", [rich(section({ type: "emoji", name: "party" }, words("x")))], ":party:<>x"],
  ["fallback", [{ type: "divider" }], "fallback"],
  ["fallback", [{ type: "divider" }, rich(section(words(" ")))], "fallback"],
  [
    "",
    [rich({ type: "rich_text_preformatted", language: "ts", elements: [words("a`\n``` <b>")] })],
    "```<!lang^ts>\na&#96;\n&#96;&#96;&#96; &lt;b&gt;\n```",
  ],
  [
    "",
    [rich({ type: "rich_text_quote", elements: [words("a")] }, { type: "rich_text_quote", elements: [words("b")] })],
    "> a\n<>\n> b",
  ],
  ["", [rich(section(words("> a\n• b\n1. c\n```d")))], "<>> a\n<>• b\n<>1. c\n&#96;&#96;&#96;d"],
  [
    "&lt;nick&gt; a &amp; b &lt; c &amp;lt; &lt;@U1&gt; &lt;u&gt; &lt;",
    [],
    "<nick> a & b &#60; c &#38;lt; &#60;@U1> &#60;u> &#60;",
  ],
  ["", [], ""],
  [" ", [rich()], ""],
])("%j with %j", (text, blocks, source) => {
  expect(slackSource(said(text, blocks), NAMES)).toBe(source);
});

test("a text beyond all measure ends", () => {
  const source = slackSource(said("*a* ".repeat(40_000)), NO_NAMES);
  expect(source.endsWith("… (the rest is too long)")).toBe(true);
  expect(source.length).toBeLessThan(70_000);
});

test("whose names a message needs", () => {
  const blocks = [rich(section({ type: "user", user_id: "U1" }, { type: "channel", channel_id: "C1" }))];
  expect(slackIdsIn(said("<@U2>", blocks, [{ text: "`<@U3>` <!subteam^S1> <@U1>" }]))).toStrictEqual({
    users: ["U1", "U3"],
    channels: ["C1"],
    groups: ["S1"],
  });
  const many = Array.from({ length: 300 }, (_, at) => `<@U${at}>`).join(" ");
  expect(slackIdsIn(said(many)).users).toHaveLength(100);
});

test("people who know no ids read names", () => {
  expect(
    writtenSlack(
      "*<@U1|Al&#42;>* a<>b <https://e.example/|x &amp; y> <u>z</u> &lt; `c` :cat_x:\n```<!lang^ts>\nd\n```",
    ),
  ).toBe("*@Al** ab x & y (https://e.example/) z < `c` :cat_x:\n```\nd\n```");
});

describe("what is written is read back", () => {
  test("words of all kinds", () => {
    const inlines = fc.array(
      fc.oneof(hostileWords, fc.constantFrom(..."• ◦ :a: :cat: <@U1> <> &#42; <u> </u> ▪".split(" "))),
    );
    fc.assert(
      fc.property(inlines, (all) => {
        const text = all.join("").replaceAll(/\r\n?/g, "\n");
        const blocks: readonly Block[] = text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
        expect(parseSlack(protectSlackSource(text))).toStrictEqual(blocks);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ["tame", tameWords],
    ["hostile", hostileWords],
  ] as const)("any tree of %s words", (_, of) => {
    fc.assert(
      fc.property(trees(of), (blocks) => {
        // Lists and quotes of nothing are nothing, and lines of a link are one.
        const plain = (tree: readonly Block[]): string => plainText(tree).replaceAll(/[\s\p{C}>\d.-]+/gu, "");
        const source = writeSlackSource(blocks);
        expect(plain(parseSlack(source))).toBe(plain(blocks));
      }),
      { numRuns: 2000 },
    );
  });

  /** As it comes from blocks: each style once, in their order. */
  const text = (value: string): Inline => ({ t: "text", text: value });
  test.each<[string, readonly Block[]]>([
    [
      "styles within words",
      [{ t: "para", of: [text("a"), { t: "bold", of: [text("b*"), { t: "italic", of: [text("_c")] }] }, text("d")] }],
    ],
    ["underlined", [{ t: "para", of: [{ t: "underline", of: [text("a b"), { t: "code", text: "`*`" }] }] }]],
    ["a mention", [{ t: "para", of: [{ t: "mention", user: mint("UserRef", "U1"), text: "@a|b>" }, text("x")] }]],
    [
      "a link",
      [
        {
          t: "para",
          of: [{ t: "bold", of: [{ t: "link", href: "https://e.example/?a&b*c", of: [text("*x* |<y>")] }] }],
        },
      ],
    ],
    ["code", [{ t: "para", of: [text("a"), { t: "code", text: "`x` <@U1> &amp;" }, text("b")] }]],
    [
      "lists",
      [
        {
          t: "list",
          ordered: false,
          items: [
            [
              { t: "para", of: [text("a\n\n • b")] },
              { t: "list", ordered: true, items: [[{ t: "para", of: [text("1. c")] }], []] },
            ],
            [{ t: "pre", text: "x\n\n y", lang: "ts" }],
            [{ t: "quote", of: [{ t: "para", of: [text("q\n> r")] }] }],
          ],
        },
        { t: "list", ordered: false, items: [[{ t: "para", of: [text("d")] }]] },
        { t: "para", of: [text("  e")] },
      ],
    ],
    [
      "a quote",
      [
        {
          t: "quote",
          of: [
            { t: "para", of: [text("> a")] },
            { t: "list", ordered: false, items: [[{ t: "para", of: [text("b")] }]] },
            { t: "pre", text: "c", lang: null },
          ],
        },
        { t: "quote", of: [{ t: "para", of: [text("d")] }] },
      ],
    ],
  ])("%s", (_, blocks) => {
    expect(parseSlack(writeSlackSource(blocks))).toStrictEqual(blocks);
  });
});
