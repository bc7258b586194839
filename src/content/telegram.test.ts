import type { MessageEntity } from "@grammyjs/types";
import { describe, expect, test } from "vitest";
import { normal, readEntities } from "../../test/servers/telegram/entities.ts";
import * as fc from "../../test/support/property.ts";
import type { Block, Inline } from "../contract/content.ts";
import { mint } from "../contract/ids.ts";
import { parse } from "./formats.ts";
import { plainText } from "./plain.ts";
import { telegramSource } from "./telegram-read.ts";
import { telegramLength, type TelegramText, writeTelegram } from "./telegram-write.ts";
import { hostileWords, signsOf, tameWords, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const quote = (...of: readonly Block[]): Block => ({ t: "quote", of });
const pre = (words: string, lang: string | null = null): Block => ({ t: "pre", text: words, lang });
const list = (ordered: boolean, ...items: readonly (readonly Block[])[]): Block => ({ t: "list", ordered, items });
const link = (href: string, ...of: readonly Inline[]): Inline => ({ t: "link", href, of });
const bold = (...of: readonly Inline[]): Inline => ({ t: "bold", of });
const italic = (...of: readonly Inline[]): Inline => ({ t: "italic", of });

type Short = readonly [type: string, offset: number, length: number, more?: object];
const full = (short: readonly Short[]): readonly object[] =>
  short.map(([type, offset, length, more]) => ({ type, offset, length, ...more }));

const read = (words: string, entities: unknown): readonly Block[] => {
  const source = telegramSource(words, entities);
  return parse(source.format, source.text);
};

/** Written so, and read as the same. */
const BOTH: readonly (readonly [string, readonly Block[], string, readonly Short[]])[] = [
  ["text", [para(text("a <b> &amp; *c*\nd_e"))], "a <b> &amp; *c*\nd_e", []],
  [
    "styles",
    [
      para(
        text("a"),
        bold(text("b"), italic(text("c"))),
        { t: "underline", of: [text("d")] },
        { t: "strike", of: [text("e")] },
        { t: "spoiler", of: [text("f")] },
        { t: "code", text: "*g*" },
      ),
    ],
    "abcdef*g*",
    [
      ["bold", 1, 2],
      ["italic", 2, 1],
      ["underline", 3, 1],
      ["strikethrough", 4, 1],
      ["spoiler", 5, 1],
      ["code", 6, 3],
    ],
  ],
  ["units of UTF-16", [para(text("👩‍👩‍👧‍👦 "), bold(text("𝄞é")), text("😀"))], "👩‍👩‍👧‍👦 𝄞é😀", [["bold", 12, 3]]],
  [
    "a link",
    [para(text("a "), link("https://e.example/?a&b", text("b "), bold(text("c"))), text(" https://e.example/z"))],
    "a b c https://e.example/z",
    [
      ["text_link", 2, 3, { url: "https://e.example/?a&b" }],
      ["bold", 4, 1],
    ],
  ],
  [
    "blocks",
    [
      para(text("a")),
      pre("b\n  c", "ts"),
      quote(para(text("d\n"), bold(text("e"))), pre("f")),
      quote(para(text("g"))),
      para(text("h")),
    ],
    "a\nb\n  c\nd\ne\nf\ng\nh",
    [
      ["pre", 2, 5, { language: "ts" }],
      ["blockquote", 8, 5],
      ["bold", 10, 1],
      ["pre", 12, 1],
      ["blockquote", 14, 1],
    ],
  ],
  [
    "spaces",
    [para(bold(text("a  b")), text("  c \n  d\n\n  "), { t: "code", text: "e  f" })],
    "a  b  c \n  d\n\n  e  f",
    [
      ["bold", 0, 4],
      ["code", 16, 4],
    ],
  ],
];

describe.each(BOTH)("%s", (_, blocks, words, entities) => {
  test("written", () => {
    expect(writeTelegram(blocks)).toStrictEqual({ text: words, entities: full(entities) });
  });

  test("read", () => {
    expect(read(words, full(entities))).toStrictEqual(blocks);
  });
});

/** What becomes something else. */
test.each<[readonly Block[], string, readonly Short[]]>([
  [[{ t: "heading", level: 1, of: [text("a")] }, para(text("b"))], "a\nb", [["bold", 0, 1]]],
  [[quote(para(text("a")), quote(para(text("b"))))], "a\n> b", [["blockquote", 0, 5]]],
  [
    [list(true, [para(bold(text("a")))], [para(text("b")), list(false, [quote(para(text("c")))], [pre("d\ne")])])],
    "1. a\n2. b\n   - > c\n   - d\ne",
    [
      ["bold", 3, 1],
      ["pre", 24, 3],
    ],
  ],
  [[para({ t: "colour", fore: "#ff0000", back: null, of: [text("a")] }, { t: "emoji", text: ":b:" })], "a:b:", []],
  [[para(link("mailto:a@b", text("a@b")), text(" "), link("mailto:a@b", text("c")))], "a@b c (mailto:a@b)", []],
  [
    [para(link("http://intranet/", text("a")), link("javascript:x", text("b")))],
    "a (http://intranet/)b (javascript:x)",
    [],
  ],
  [
    [para(link("https://e.example/", text("https://e.example/")), link("https://e.example/a"))],
    "https://e.example/https://e.example/a",
    [],
  ],
  [
    [para(link("https://e.example/", { t: "code", text: "a" }, link("mailto:b", text("c"))))],
    "ac (mailto:b)",
    [["text_link", 0, 13, { url: "https://e.example/" }]],
  ],
  [
    [
      para(
        { t: "mention", user: mint("UserRef", "7"), text: "@bob" },
        { t: "mention", user: mint("UserRef", "-1007"), text: "@c" },
        { t: "mention", user: null, text: "@d" },
      ),
    ],
    "@bob@c@d",
    [["text_mention", 0, 4, { user: { id: 7 } }]],
  ],
  [[para(text("a\ud83d"), bold(text("\ude00b")))], "a\ufffd\ufffdb", [["bold", 2, 2]]],
  [[pre("a", 'x" y'), pre(""), quote(), para()], "a\n\n\n", [["pre", 0, 1]]],
  [[pre("\ta")], "    a", [["pre", 0, 5]]],
  [[para(text("a\u030a"), text("x\u030a"))], "\u00e5x\u030a", []],
  [[], "", []],
])("%j is written otherwise", (blocks, words, entities) => {
  expect(writeTelegram(blocks)).toStrictEqual({ text: words, entities: full(entities) });
});

test.each<[string, string, unknown, readonly Block[]]>([
  [
    "what says nothing more than its words",
    "@bob #a $USD /go e.example a@b.example +1 x 😀",
    full([
      ["mention", 0, 4],
      ["hashtag", 5, 2],
      ["cashtag", 8, 4],
      ["bot_command", 13, 3],
      ["url", 17, 9],
      ["email", 27, 11],
      ["phone_number", 39, 2],
      ["text_mention", 42, 1, { user: { id: 7 } }],
      ["custom_emoji", 44, 2, { custom_emoji_id: "5" }],
      ["date_time", 42, 1, { unix_time: 0, date_time_format: "r" }],
      ["nobody-knows", 0, 4],
    ]),
    [para(text("@bob #a $USD /go e.example a@b.example +1 x 😀"))],
  ],
  [
    "styles that cross",
    "abc",
    full([
      ["italic", 1, 2],
      ["bold", 0, 2],
    ]),
    [para(bold(text("a"), italic(text("b"))), italic(text("c")))],
  ],
  [
    "a style that crosses a link",
    "abc",
    full([
      ["bold", 0, 2],
      ["text_link", 1, 2, { url: "https://e.example/" }],
    ]),
    [para(bold(text("a")), link("https://e.example/", bold(text("b")), text("c")))],
  ],
  [
    "code within a style, and a style within code",
    "abc",
    full([
      ["bold", 0, 2],
      ["code", 1, 1],
      ["code", 2, 1],
      ["bold", 2, 1],
    ]),
    [para(bold(text("a"), { t: "code", text: "bc" }))],
  ],
  ["an expandable quote", "a\nb", full([["expandable_blockquote", 0, 1]]), [quote(para(text("a"))), para(text("b"))]],
  [
    "a quote within a line, with a line break at its end",
    "a b\nc",
    full([["blockquote", 2, 2]]),
    [para(text("a ")), quote(para(text("b"))), para(text("c"))],
  ],
  [
    "a quote that goes on within code",
    "abcd",
    full([
      ["blockquote", 0, 2],
      ["pre", 1, 2],
      ["blockquote", 1, 3],
    ]),
    [quote(para(text("a")), pre("b")), quote(pre("c"), para(text("d")))],
  ],
  [
    "a style over a quote",
    "a\nb",
    full([
      ["blockquote", 0, 1],
      ["bold", 0, 3],
    ]),
    [quote(para(bold(text("a")))), para(bold(text("b")))],
  ],
  [
    "a link whose words are another address",
    "bank.example.com",
    full([["text_link", 0, 16, { url: "https://evil.example/" }]]),
    [
      para(
        text("bank.example.com"),
        text(" ("),
        link("https://evil.example/", text("https://evil.example/")),
        text(")"),
      ),
    ],
  ],
  ["a link without an address", "a", full([["text_link", 0, 1]]), [para(text("a"))]],
  [
    "a link that nobody should click on",
    "a",
    full([["text_link", 0, 1, { url: "tg://user?id=7" }]]),
    [para(text("a (tg://user?id=7)"))],
  ],
  ["within a character", "a😀b", full([["bold", 2, 2]]), [para(text("a"), bold(text("😀b")))]],
  ["the end within a character", "a😀b", full([["bold", 0, 2]]), [para(bold(text("a😀")), text("b"))]],
  [
    "beyond the text",
    "ab",
    full([
      ["bold", 1, 50],
      ["italic", -1, 2],
      ["code", 3, 1],
      ["pre", 0, 0],
    ]),
    [para(italic(text("a")), bold(text("b")))],
  ],
  ["half a character", "a\ud83db", full([["bold", 1, 1]]), [para(text("a"), bold(text("\ufffd")), text("b"))]],
  [
    "no entities",
    "a",
    [null, 1, "x", {}, { type: "bold", offset: "0", length: 1 }, { type: "bold", offset: 0, length: 1e99 }],
    [para(text("a"))],
  ],
  ["no list", "a", { type: "bold" }, [para(text("a"))]],
  ["nothing", "", full([["bold", 0, 1]]), []],
])("%s is read", (_, words, entities, blocks) => {
  expect(read(words, entities)).toStrictEqual(blocks);
});

test("the source says what it is", () => {
  expect(telegramSource("a < b", [])).toStrictEqual({ format: "plain", text: "a < b" });
  expect(telegramSource("a < b", full([["mention", 0, 1]]))).toStrictEqual({ format: "plain", text: "a < b" });
  expect(telegramSource("a < b", full([["bold", 0, 1]]))).toStrictEqual({
    format: "html",
    text: "<strong>a</strong> &lt; b",
  });
});

test("of many entities no address is lost, because Telegram keeps a hundred", () => {
  const many = Array.from({ length: 70 }, () =>
    para(bold({ t: "code", text: "a" }), link("https://e.example/", text("b"))),
  );
  const [words, entities] = sent(writeTelegram(many));
  expect(entities.filter(({ type }) => type === "text_link")).toHaveLength(50);
  expect(words.split("(https://e.example/)")).toHaveLength(21);
});

test("what Telegram counts", () => {
  expect(telegramLength([para(text("😀"), link("https://e.example/", bold(text("é")))), para(text("a"))])).toBe(4);
});

/** As the server keeps it. */
function sent({ text, entities }: TelegramText): readonly [string, readonly MessageEntity[]] {
  const styled = normal(text, readEntities(entities, new Map()));
  return [styled.text, styled.entities];
}

/** Of styles around the same words none is the outer one. */
const alike = ([words, entities]: ReturnType<typeof sent>): readonly [string, readonly string[]] => [
  words,
  entities.map((entity) => JSON.stringify(entity)).toSorted((one, other) => (one < other ? -1 : 1)),
];

/** Without what may be a mark of a list or of a quote, and without lines over letters, which the server takes away. */
const signs = (blocks: readonly Block[]): string =>
  signsOf(plainText(blocks).normalize("NFC")).replaceAll(/[>\d.-]|\u0333|\u033f|\u030a/g, "");

test.each([
  ["tame", tameWords],
  ["hostile", hostileWords],
] as const)("the words of any tree survive the server: %s", (kind, of) => {
  fc.assert(
    fc.property(trees(of), (blocks) => {
      const written = writeTelegram(blocks);
      const back = read(...sent(written));
      expect(signs(back)).toBe(signs(blocks));
      if (kind === "hostile") return;
      // What had no entity of its own is text from now on.
      const again = writeTelegram(back);
      expect(alike(sent(writeTelegram(read(...sent(again)))))).toStrictEqual(alike(sent(again)));
    }),
    { numRuns: 1500 },
  );
});

test("whatever entities there are, what is read is written again", () => {
  const types = "bold code pre blockquote expandable_blockquote text_link text_mention date_time nobody-knows".split(
    " ",
  );
  const place = fc.oneof(fc.integer({ min: -2, max: 60 }), fc.constantFrom(1e300, 0.5, null));
  const entity = fc.record({
    type: fc.constantFrom(...types),
    offset: place,
    length: place,
    url: fc.constantFrom("https://e.example/_a", "tg://user?id=1", "x", 1),
    language: fc.constantFrom("ts", 'x" y', 1),
  });
  const words = fc.array(hostileWords, { maxLength: 20 }).map((all) => all.join(""));
  fc.assert(
    fc.property(words, fc.array(fc.oneof(entity, fc.anything()), { maxLength: 8 }), (said, entities) => {
      expect(() => sent(writeTelegram(read(said, entities)))).not.toThrow();
    }),
    { numRuns: 3000 },
  );
});

test("whatever entities there are, every sign of the text is read, with its spaces", () => {
  const types = "bold italic underline strikethrough spoiler code text_link url mention custom_emoji".split(" ");
  const place = fc.oneof(fc.integer({ min: -3, max: 30 }), fc.constantFrom(1e300, -1e300, 0.5, null, "1"));
  const entity = fc.record({
    type: fc.constantFrom(...types),
    offset: place,
    length: place,
    url: fc.constantFrom("https://e.example/", 1, undefined),
  });
  const units = fc.constantFrom("a", "b", " ", "  ", "\n", "😀", "&amp;", "<b>", "é", "\ud83d", "\ude00");
  const words = fc.array(units, { maxLength: 12 }).map((all) => all.join("").trim());
  fc.assert(
    fc.property(words, fc.array(fc.oneof(entity, fc.anything()), { maxLength: 6 }), (said, entities) => {
      const seen = plainText(read(said, entities)).replaceAll(/ \(https:\/\/e\.example\/\)/g, "");
      expect(seen).toBe(said.toWellFormed());
    }),
    { numRuns: 3000 },
  );
});
