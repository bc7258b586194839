import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { changeCodes, type IrcFormat, formatAt, PLAIN } from "./irc-codes.ts";
import { hexColour, nearestColour } from "./irc-palette.ts";
import { renderIrc } from "./irc-render.ts";
import { parseIrc, wordsOf } from "./irc.ts";
import { plainText } from "./plain.ts";

const para = (...of: readonly Inline[]): readonly Block[] => [{ t: "para", of }];
const text = (words: string): Inline => ({ t: "text", text: words });
const code = (words: string): Inline => ({ t: "code", text: words });
const styled = (t: "bold" | "italic" | "underline" | "strike" | "spoiler", ...of: readonly Inline[]): Inline => ({
  t,
  of,
});
const colour = (fore: string | null, back: string | null, ...of: readonly Inline[]): Inline => ({
  t: "colour",
  fore,
  back,
  of,
});

describe("parseIrc", () => {
  test.each<[string, readonly Block[]]>([
    ["", []],
    ["plain 2 * 3 * 4", para(text("plain 2 * 3 * 4"))],
    ["a\nb\r\nc\rd", para(text("a\nb\nc\nd"))],
    ["a \x02b\x02 c", para(text("a "), styled("bold", text("b")), text(" c"))],
    [
      "\x1di\x1d\x1fu\x1f\x1es\x1e\x11c\x11",
      para(styled("italic", text("i")), styled("underline", text("u")), styled("strike", text("s")), code("c")),
    ],
    ["\x02a\x1db\x02c", para(styled("bold", text("a"), styled("italic", text("b"))), styled("italic", text("c")))],
    ["\x02a\x0fb", para(styled("bold", text("a")), text("b"))],
    ["\x02\x02a", para(text("a"))],
    ["\x16a\x16b", para(text("ab"))],
    ["\x02", []],
    ["\x034a\x03b", para(colour("#ff0000", null, text("a")), text("b"))],
    ["\x0304,2a\x0399b", para(colour("#ff0000", "#00007f", text("a")), colour(null, "#00007f", text("b")))],
    ["\x0304,2a\x0399,99b", para(colour("#ff0000", "#00007f", text("a")), text("b"))],
    ["\x03123", para(colour("#0000fc", null, text("3")))],
    ["\x031,a", para(colour("#000000", null, text(",a")))],
    ["\x03,4a", para(text(",4a"))],
    ["\x0352a", para(colour("#ff0000", null, text("a")))],
    ["\x0498765432", para(colour("#987654", null, text("32")))],
    ["\x04FF0000,00ff00a\x04b", para(colour("#ff0000", "#00ff00", text("a")), text("b"))],
    ["\x04xyz", para(text("xyz"))],
    ["\x0301,1hush\x03", para(styled("spoiler", text("hush")))],
    ["\x0301,88hush", para(styled("spoiler", text("hush")))],
    ["a\tb\x01\x07\x1b\x7f\x9b\0c", para(text("a\tb\x7f\x9bc"))],
    ["a\x85b", para(text("a\x85b"))],
  ])("%j", (source, blocks) => {
    expect(parseIrc(source)).toStrictEqual(blocks);
  });

  test("no text makes it throw, and no control character comes out", () => {
    const unit = fc.oneof(
      fc.constantFrom("\x02", "\x03", "\x04", "\x0f", "\x11", "\x16", "\x1d", "\x1e", "\x1f", ",", "1", "9", "f"),
      fc.string({ unit: "binary", maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const plain = plainText(parseIrc(units.join("")));
        expect(plain).toBe(wordsOf(plain));
      }),
    );
  });
});

describe("renderIrc", () => {
  test.each<[readonly Block[], string]>([
    [[], ""],
    [para(text("a"), styled("bold", text("b")), text("c")), "a\x02b\x0fc"],
    [para(styled("bold", text("a"), styled("italic", text("b")), text("c"))), "\x02a\x1db\x1dc\x0f"],
    [para(styled("italic", code("x"))), "\x11\x1dx\x0f"],
    [para(colour("#ff0000", null, text("1st"))), "\x03041st\x0f"],
    [para(colour("#ff0000", null, text(",5"))), "\x0304\x02\x02,5\x0f"],
    [para(colour("#fe0102", "#000080", text("a"))), "\x0304,02a\x0f"],
    [para(colour(null, "#ffffff", text("a"))), "\x0399,00a\x0f"],
    [para(colour("red", null, text("a"))), "a"],
    [para(colour("#ff0000", null, text("a"), styled("bold", text("b")))), "\x0304a\x02b\x0f"],
    [para(styled("bold", colour("#ff0000", null, text("a")), text("b"))), "\x02\x0304a\x0f\x02b\x0f"],
    [para(styled("spoiler", text("x"))), "\x0301,01x\x0f"],
    [para({ t: "link", href: "https://e.example/", of: [text("here")] }), "here (https://e.example/)"],
    [para({ t: "link", href: "https://e.example/", of: [text("https://e.example/")] }), "https://e.example/"],
    [para({ t: "link", href: "https://e.example/", of: [] }), "https://e.example/"],
    [para({ t: "mention", user: null, text: "@bob" }, { t: "emoji", text: "😀" }), "@bob😀"],
    [para(styled("bold", text("a\nb"))), "\x02a\x0f\n\x02b\x0f"],
    [[{ t: "heading", level: 1, of: [text("Title")] }, ...para(text("body"))], "\x02Title\x0f\nbody"],
    [[{ t: "pre", text: "a\n b", lang: "c" }], "\x11a\x0f\n\x11 b\x0f"],
    [[{ t: "quote", of: [...para(text("a\nb")), ...para(text("c"))] }], "> a\n> b\n> c"],
    [[{ t: "list", ordered: false, items: [para(text("a\nb")), para(text("c"))] }], "- a\n  b\n- c"],
    [
      [
        {
          t: "list",
          ordered: true,
          items: [para(text("a")), [...para(text("b")), { t: "quote", of: para(text("c")) }]],
        },
      ],
      "1. a\n2. b\n   > c",
    ],
    // Text formats nothing, ends no line but by a line break, and begins no CTCP.
    [para(text("a\x02b\x0304c\x01ACTION\x0f\0\x1b[1m\td")), "ab04cACTION[1m\td"],
    [para(text("a\x85b")), "a\x85b"],
    [para(code("x\r\nQUIT")), "\x11x\x0f\n\x11QUIT\x0f"],
    [para({ t: "link", href: "https://e.example/\r\nQUIT", of: [text("\x01a")] }), "a (https://e.example/\nQUIT)"],
  ])("%j", (blocks, rendered) => {
    expect(renderIrc(blocks)).toBe(rendered);
  });

  const words = fc.oneof(
    fc.constantFrom("1", ",5", "0a", ",", "a b", "\x0304x", "\n", "\r\n,1", "ff0000"),
    fc.string({ unit: "binary", maxLength: 8 }),
  );
  const hex = fc.oneof(fc.constantFrom("#ff0000", "#000000", "#123456"), fc.constant(null));
  const inline: fc.Arbitrary<Inline> = fc.letrec<{ inline: Inline }>((tie) => {
    const of = fc.array(tie("inline"), { maxLength: 3 });
    return {
      inline: fc.oneof(
        { depthSize: "small" },
        fc.record({ t: fc.constantFrom("text" as const, "code" as const, "emoji" as const), text: words }),
        fc.record({
          t: fc.constantFrom(
            "bold" as const,
            "italic" as const,
            "underline" as const,
            "strike" as const,
            "spoiler" as const,
          ),
          of,
        }),
        fc.record({ t: fc.constant("colour" as const), fore: hex, back: hex, of }),
      ),
    };
  }).inline;
  const blocks = fc.array(
    fc.oneof(
      fc.record({ t: fc.constant("para" as const), of: fc.array(inline, { maxLength: 6 }) }),
      fc.record({ t: fc.constant("pre" as const), text: words, lang: fc.constant(null) }),
    ),
    { maxLength: 3 },
  );

  const lines = (of: string): string => of.replaceAll(/\n+/g, "\n");

  test("the words of a rendered tree are the words of the tree", () => {
    fc.assert(
      fc.property(blocks, (tree) => {
        // Between two blocks a `\r` and the line break would be one.
        const words = wordsOf(plainText(tree).replaceAll("\r", "\n"));
        expect(lines(plainText(parseIrc(renderIrc(tree))))).toBe(lines(words));
      }),
      { numRuns: 500 },
    );
  });

  test("what was parsed comes back the same when it is rendered and parsed again", () => {
    fc.assert(
      fc.property(blocks, (tree) => {
        // The first round brings colours to the first 16, and all hidden text to one.
        const parsed = parseIrc(renderIrc(parseIrc(renderIrc(tree))));
        expect(parseIrc(renderIrc(parsed))).toStrictEqual(parsed);
      }),
      { numRuns: 300 },
    );
  });
});

describe("codes", () => {
  const format: fc.Arbitrary<IrcFormat> = fc.record({
    bold: fc.boolean(),
    italic: fc.boolean(),
    underline: fc.boolean(),
    strike: fc.boolean(),
    code: fc.boolean(),
    reverse: fc.boolean(),
    fore: fc.constantFrom(null, "00", "04", "52", "#123456"),
    back: fc.constantFrom(null, "01", "15", "#abcdef"),
  });

  test("lead from any formatting to any other, whatever follows", () => {
    fc.assert(
      fc.property(format, format, fc.constantFrom("1", ",1", "a", ",ffffff", "12,34", "ffffff"), (from, to, next) => {
        const all = changeCodes(PLAIN, from, "x") + "x" + changeCodes(from, to, next) + next;
        expect(formatAt(all, 0, all.length, PLAIN)).toEqual(to);
        expect(all.endsWith(next)).toBe(true);
        expect(plainText(parseIrc(all))).toBe(`x${next}`);
      }),
      { numRuns: 500 },
    );
  });

  test("nothing changes: no codes", () => {
    fc.assert(
      fc.property(format, (same) => {
        expect(changeCodes(same, same, ",1")).toBe("");
      }),
    );
  });
});

describe("colours", () => {
  test.each([
    ["00", "#ffffff"],
    ["15", "#d2d2d2"],
    ["16", "#470000"],
    ["52", "#ff0000"],
    ["98", "#ffffff"],
    ["#123456", "#123456"],
  ])("%s is %s", (number, hex) => {
    expect(hexColour(number)).toBe(hex);
  });

  test("each of the first 16 is the nearest to itself", () => {
    const numbers = Array.from({ length: 16 }, (_, index) => String(index).padStart(2, "0"));
    expect(numbers.map((number) => nearestColour(hexColour(number)))).toStrictEqual(numbers);
  });

  test.each([
    ["#FE0000", "04"],
    ["#808080", "14"],
    ["#0000fe", "12"],
    ["", null],
    ["#fff", null],
    ["#gggggg", null],
  ])("nearest to %s", (hex, number) => {
    expect(nearestColour(hex)).toBe(number);
  });
});
