import type { RichTextBlock } from "@slack/types";
import * as fc from "../../test/support/property.ts";
import { describe, expect, expectTypeOf, test } from "vitest";
import { readBlocks } from "../../test/servers/slack/blocks.ts";
import type { Block, Inline } from "../contract/content.ts";
import { mint } from "../contract/ids.ts";
import { plainText } from "./plain.ts";
import { slackTree } from "./slack-blocks.ts";
import { slackRichLength, slackRichText, type SlackRichPart } from "./slack-rich.ts";
import { richBlocks } from "./slack-rich-read.ts";
import { NO_NAMES, type SlackNames } from "./slack-tokens.ts";
import { hostileWords, signsOf, tameWords, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const quote = (...of: readonly Block[]): Block => ({ t: "quote", of });
const pre = (words: string, lang: string | null = null): Block => ({ t: "pre", text: words, lang });
const list = (ordered: boolean, ...items: readonly (readonly Block[])[]): Block => ({ t: "list", ordered, items });
const mention = (user: string | null, words: string): Inline => ({
  t: "mention",
  user: user === null ? null : mint("UserRef", user),
  text: words,
});

const NAMES: SlackNames = {
  user: (id) => (id === "U1" ? "Alice" : null),
  channel: (id) => (id === "C1" ? "dock" : null),
  group: (id) => (id === "S1" ? "crew" : null),
};
const HAS = (name: string): boolean => name === "party";

const words = (value: string, ...styles: readonly string[]) => ({
  type: "text" as const,
  text: value,
  ...(styles.length > 0 && { style: Object.fromEntries(styles.map((style) => [style, true])) }),
});
const section = (...elements: readonly object[]) => ({ type: "rich_text_section", elements });
const listed = (style: string, more: object, ...items: readonly (readonly object[])[]) => ({
  type: "rich_text_list",
  style,
  indent: 0,
  border: 0,
  ...more,
  elements: items.map((item) => section(...item)),
});

/** Written so, and read as the same. */
const BOTH: readonly (readonly [string, readonly Block[], readonly object[]])[] = [
  ["text", [para(text("a < b *c* <!channel>\nd"))], [section(words("a < b *c* <!channel>\nd"))]],
  [
    "styles",
    [
      para(
        text("a"),
        { t: "bold", of: [text("b"), { t: "italic", of: [text("c")] }] },
        { t: "strike", of: [text("d")] },
        { t: "underline", of: [text("e")] },
        { t: "code", text: "*f*" },
        { t: "bold", of: [{ t: "code", text: "g" }] },
      ),
    ],
    [
      section(
        words("a"),
        words("b", "bold"),
        words("c", "bold", "italic"),
        words("d", "strike"),
        words("e", "underline"),
        words("*f*", "code"),
        words("g", "bold", "code"),
      ),
    ],
  ],
  [
    "links",
    [para({ t: "link", href: "https://e.example/?a&b|c", of: [text("x *y*")] }, text(" https://e.example/z."))],
    [
      section(
        { type: "link", url: "https://e.example/?a&b|c", text: "x *y*" },
        words(" "),
        { type: "link", url: "https://e.example/z" },
        words("."),
      ),
    ],
  ],
  [
    "mentions and emoji",
    [para(mention("U1", "@Alice"), text(" 😀 "), { t: "emoji", text: ":party:" })],
    [section({ type: "user", user_id: "U1" }, words(" 😀 "), { type: "emoji", name: "party" })],
  ],
  [
    "blocks",
    [para(text("a")), pre("b\n c", "ts"), quote(para(text("d\ne"))), quote(para(text("f"))), para(text("g"))],
    [
      section(words("a")),
      { type: "rich_text_preformatted", border: 0, language: "ts", elements: [words("b\n c")] },
      { type: "rich_text_quote", elements: [words("d\ne")] },
      { type: "rich_text_quote", elements: [words("f")] },
      section(words("g")),
    ],
  ],
  [
    "lists",
    [
      list(
        true,
        [para(text("a"))],
        [para(text("b")), list(false, [para(text("c")), list(true, [para(text("d"))])])],
        [para(text("e"))],
        [],
      ),
    ],
    [
      listed("ordered", {}, [words("a")], [words("b")]),
      listed("bullet", { indent: 1 }, [words("c")]),
      listed("ordered", { indent: 2 }, [words("d")]),
      listed("ordered", { offset: 2 }, [words("e")], []),
    ],
  ],
  [
    "empty lines",
    [para(text("a\n")), quote(para(text("b\n"))), para(text("\nc"))],
    [section(words("a\n\n")), { type: "rich_text_quote", elements: [words("b\n")] }, section(words("\nc"))],
  ],
  [
    "within a quote",
    [quote(para(text("a")), list(false, [para(text("b"))]), pre("c"), para(text("d"))), para(text("e"))],
    [
      { type: "rich_text_quote", elements: [words("a")] },
      listed("bullet", { border: 1 }, [words("b")]),
      { type: "rich_text_preformatted", border: 1, elements: [words("c")] },
      { type: "rich_text_quote", elements: [words("d")] },
      section(words("e")),
    ],
  ],
];

describe.each(BOTH)("%s", (_, blocks, elements) => {
  test("as a block", () => {
    const block = slackRichText(blocks, HAS);
    expect(block).toStrictEqual({ type: "rich_text", elements });
    expect(() => readBlocks([block])).not.toThrow();
  });

  test("as a tree", () => {
    expect(richBlocks(elements, NAMES)).toStrictEqual(blocks);
  });
});

/** What becomes something else. */
test.each<[readonly Block[], readonly object[] | null]>([
  [[{ t: "heading", level: 1, of: [text("a")] }, para(text("b"))], [section(words("a", "bold"), words("\nb"))]],
  [[quote(para(text("a")), quote(para(text("b"))))], [{ type: "rich_text_quote", elements: [words("a\n> b")] }]],
  [
    [para({ t: "spoiler", of: [text("a")] }, { t: "colour", fore: "#ff0000", back: null, of: [text("b")] })],
    [section(words("ab"))],
  ],
  [
    [para({ t: "emoji", text: ":cat:" }, mention("x", "@x"), mention("@here", "@here"), mention(null, "@channel"))],
    [section(words(":cat:@x"), { type: "broadcast", range: "here" }, words("@channel"))],
  ],
  [
    [para({ t: "link", href: "javascript:x", of: [{ t: "bold", of: [text("y")] }] })],
    [section(words("y", "bold"), words(" (javascript:x)"))],
  ],
  [
    [para({ t: "link", href: "https://e.example/", of: [{ t: "bold", of: [text("y")] }] })],
    [section({ type: "link", url: "https://e.example/", text: "y", style: { bold: true } })],
  ],
  [
    [list(false, [pre("a"), quote(para(text("b"))), list(false, [para(text("c"))]), para(text("d"))])],
    [
      listed("bullet", {}, [words("a", "code"), words("\n> b")]),
      listed("bullet", { indent: 1 }, [words("c")]),
      listed("bullet", { indent: 1 }, [words("d")]),
    ],
  ],
  [[para()], null],
  [[para(text(" \n")), pre("")], null],
  [[], null],
])("%j as a block", (blocks, elements) => {
  expect(slackRichText(blocks)).toStrictEqual(elements === null ? null : { type: "rich_text", elements });
});

test.each<[unknown, readonly Block[]]>([
  [section(words("a:\n")), [para(text("a:\n"))]],
  [
    [section(words("a:\n")), listed("bullet", {}, [words("b")])],
    [para(text("a:")), list(false, [para(text("b"))])],
  ],
  [section({ type: "link", url: "http://e.example/", text: "e.example" }), [para(text("e.example"))]],
  [
    section(
      { type: "user", user_id: "U9" },
      { type: "channel", channel_id: "C1" },
      { type: "usergroup", usergroup_id: "S1" },
    ),
    [para(mention("U9", "@unknown-user"), text("#dock"), mention(null, "@crew"))],
  ],
  [
    section({ type: "broadcast", range: "here" }, { type: "color", value: "#ff0000" }, { type: "team", team_id: "T1" }),
    [para(text("@here#ff0000@unknown-team"))],
  ],
  [
    section(
      { type: "emoji", name: "wave::skin-tone-3" },
      { type: "emoji", name: "wave", skin_tone: 3 },
      { type: "emoji", name: "x", unicode: "1f44b-1f3fc" },
      { type: "emoji", name: "smile", unicode: "zz-d800" },
      { type: "emoji", name: "mine" },
    ),
    [para(text("👋🏼👋🏼👋🏼😄"), { t: "emoji", text: ":mine:" })],
  ],
  [
    section(
      { type: "date", timestamp: 0, format: "{date_num}" },
      { type: "date", timestamp: 0, format: "", fallback: "then" },
    ),
    [para(text("1970-01-01then"))],
  ],
  [
    section({ type: "canvas" }, { type: "tag", label: "t" }, { type: "text" }, {}, { type: "date", timestamp: "x" }),
    [para(text("(canvas)t(something that only Slack shows)"))],
  ],
  [
    [listed("ordered", { offset: 3 }, [words("a")]), listed("ordered", { offset: 4 }, [words("b")])],
    [para(text("4. "), text("a")), para(text("5. "), text("b"))],
  ],
  [
    [listed("bullet", { indent: 3 }, [words("a")]), listed("bullet", {}, [words("b")])],
    [list(false, [para(text("a"))]), list(false, [para(text("b"))])],
  ],
  [
    { type: "rich_text_list", indent: -1, elements: [null, "x", section(words("a"))] },
    [list(false, [], [], [para(text("a"))])],
  ],
  [[null, 1, "x", {}, { type: "rich_text_section", elements: "x" }], []],
])("%j as a tree", (elements, blocks) => {
  expect(richBlocks(Array.isArray(elements) ? elements : [elements], NAMES)).toStrictEqual(blocks);
});

const mrkdwn = (value: string) => ({ type: "mrkdwn", text: value });
const plain = (value: string) => ({ type: "plain_text", text: value, emoji: true });

test.each<[object, string]>([
  [
    {
      type: "section",
      text: mrkdwn("*a* <@U1>"),
      fields: [plain("b :tada: *c*"), mrkdwn("d")],
      accessory: { type: "button", text: plain("e"), url: "https://e.example/" },
    },
    "a @Alice\nb 🎉 *c*\nd\ne (https://e.example/)",
  ],
  [{ type: "header", text: plain("a &amp; b") }, "a & b"],
  [
    { type: "header", text: plain("2001:db8:a:b::1 std::map::key::x :cat::dog:") },
    "2001:db8:a:b::1 std::map::key::x 🐱🐶",
  ],
  [
    { type: "context", elements: [mrkdwn("*a*"), { type: "image", image_url: "https://e.example/i", alt_text: "b" }] },
    "a b (https://e.example/i)",
  ],
  [{ type: "image", slack_file: { id: "F1" }, alt_text: "a", title: plain("b") }, "b"],
  [{ type: "markdown", text: "# a\n**b**" }, "a\nb"],
  [
    {
      type: "table",
      rows: [
        [
          { type: "raw_text", text: "a" },
          { type: "rich_text", elements: [section(words("b", "bold"))] },
        ],
        [{ type: "raw_text", text: "c" }],
      ],
    },
    "a | b\nc",
  ],
  [
    {
      type: "video",
      title: plain("a"),
      title_url: "https://e.example/v",
      video_url: "https://e.example/w",
      description: plain("b"),
      alt_text: "c",
    },
    "a (https://e.example/v)\nb",
  ],
  [
    {
      type: "actions",
      elements: [
        { type: "button", text: plain("a") },
        { type: "static_select", placeholder: plain("b") },
        { type: "button" },
      ],
    },
    "(button: a)\nb",
  ],
  [{ type: "call", call: { v1: { name: "a", join_url: "https://e.example/c" } } }, "Call: a (https://e.example/c)"],
  [
    {
      type: "container",
      title: plain("a"),
      child_blocks: [{ type: "section", text: mrkdwn("b") }, { type: "divider" }],
    },
    "a\nb",
  ],
  [{ type: "alert", text: plain("a") }, "a"],
  [{ type: "input", label: plain("a"), element: { type: "plain_text_input" } }, "a"],
  [{ type: "plan", title: "a", tasks: [{ type: "task_card", title: "b" }] }, "a\nb"],
  [{ type: "nobody-knows", text: "a", elements: [{ text: mrkdwn("_b_") }] }, "a\nb"],
])("the words of %j", (block, shown) => {
  expect(plainText(slackTree({ text: "fallback", blocks: [block], attachments: [] }, NAMES))).toBe(shown);
});

test.each<[object, string]>([
  [
    {
      pretext: "*a*",
      title: "b",
      title_link: "https://e.example/",
      text: "<@U1>",
      fields: [{ title: "c", value: "_d_" }],
      footer: "e",
      fallback: "x",
    },
    "a\nb (https://e.example/)\n@Alice\nc: d\ne",
  ],
  [{ blocks: [{ type: "section", text: mrkdwn("a") }], fallback: "x" }, "a"],
  [{ fallback: "*a*", color: "#ff0000" }, "a"],
  [
    { image_url: "https://e.example/i.png", actions: [{ type: "button", text: "b", url: "https://e.example/" }] },
    "https://e.example/i.png\nb (https://e.example/)",
  ],
  [{}, ""],
])("the words of the attachment %j", (attachment, shown) => {
  expect(plainText(slackTree({ text: "", blocks: [], attachments: [attachment, null] }, NAMES))).toBe(shown);
});

type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

test("a block of ours is one by the network's own types", () => {
  expectTypeOf<Writable<SlackRichPart>>().toExtend<RichTextBlock["elements"][number]>();
});

test("what a block takes of the characters of a message", () => {
  const block = slackRichText(
    [
      para(text("😀a"), mention("U1", "@Alice"), mention("@here", "@here"), { t: "emoji", text: ":party:" }),
      list(false, [para(text("https://e.example/"))]),
    ],
    HAS,
  );
  expect(block === null ? 0 : slackRichLength(block)).toBe(2 + 5 + 5 + 7 + 18);
});

/** Without what may be a mark of a list or of a quote. */
const signs = (blocks: readonly Block[]): string => signsOf(plainText(blocks)).replaceAll(/[>\d.-]/g, "");

test.each([
  ["tame", tameWords],
  ["hostile", hostileWords],
] as const)("the words of any tree survive: %s", (kind, of) => {
  fc.assert(
    fc.property(trees(of), (blocks) => {
      const block = slackRichText(blocks);
      if (block === null) {
        expect(signs(blocks)).toBe("");
        return;
      }
      expect(() => readBlocks([block])).not.toThrow();
      const read = richBlocks(block.elements, NO_NAMES);
      expect(signs(read)).toBe(signs(blocks));
      if (kind === "hostile") return;
      // What had no element of its own is text from now on.
      const again = slackRichText(read);
      expect(slackRichText(richBlocks(again?.elements ?? [], NO_NAMES))).toStrictEqual(again);
    }),
    { numRuns: 1500 },
  );
});
