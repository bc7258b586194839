import * as fc from "../../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { type IrcFormat, PLAIN, readCode } from "../../../content/irc-codes.ts";
import { charsetOf } from "../wire/charset.ts";
import { estimateLines, fittingEnd, type Piece, splitText } from "./split.ts";

const utf8 = (text: string): number => Buffer.byteLength(text);

function pieces(text: string, bytesPerLine: number, from = 0): readonly Piece[] {
  return [...splitText(text, from, { bytesPerLine, measure: utf8 })];
}

const texts = (text: string, bytesPerLine: number): readonly string[] =>
  pieces(text, bytesPerLine).map((piece) => piece.text);

describe("splitText", () => {
  test.each<[string, number, readonly string[]]>([
    ["", 20, []],
    ["short", 20, ["short"]],
    ["one two three four", 9, ["one two", "three", "four"]],
    ["one two three four", 13, ["one two three", "four"]],
    ["one two   three", 8, ["one two", "three"]],
    ["a\nb\r", 20, ["a", "b\r"]],
    ["a\n\n  \nb\n", 20, ["a", "b"]],
    ["abcdefghijklmnop", 8, ["abcdefgh", "ijklmnop"]],
    ["ab cdefghijklmnop", 8, ["ab", "cdefghij", "klmnop"]],
    ["          abcdefgh", 8, ["abcdefgh"]],
    ["  abcdefgh", 8, ["abcdefgh"]],
    ["  abcdefghij", 8, ["abcdefgh", "ij"]],
    // By bytes, and never inside a character.
    ["éééééé", 9, ["éééé", "éé"]],
    ["人人生而自由", 10, ["人人生", "而自由"]],
    ["x👩‍👩‍👧‍👦y👩‍👩‍👧‍👦", 28, ["x👩‍👩‍👧‍👦y", "👩‍👩‍👧‍👦"]],
    ["abc🇩🇪🇫🇷", 12, ["abc🇩🇪", "🇫🇷"]],
    ["abcdefge\u0301", 8, ["abcdefg", "e\u0301"]],
    // A family is longer than the line: cut between code points.
    ["👩‍👩‍👧‍👦", 8, ["👩‍", "👩‍", "👧‍", "👦"]],
    // What is open at a cut is opened again.
    ["\x02one two\x02 three", 16, ["\x02one two\x02 three"]],
    ["\x02one two three four\x02 five", 14, ["\x02one two three", "\x02four\x02 five"]],
    ["\x0304,02one two three four", 20, ["\x0304,02one two three", "\x0304,02four"]],
    ["\x0304one two three ,5", 18, ["\x0304one two three", "\x0304\x02\x02,5"]],
    ["\x02a\nb\x02\nc", 20, ["\x02a", "\x02b\x02", "c"]],
    ["\x02\n\x02\nc", 20, ["c"]],
    // A code is not cut.
    ["abcdef\x0304gh", 8, ["abcdef", "\x0304gh"]],
  ])("%j in %i bytes", (text, bytes, lines) => {
    expect(texts(text, bytes)).toStrictEqual(lines);
  });

  test("each knows where the next begins", () => {
    expect(pieces("one two\nthree", 5)).toStrictEqual([
      { text: "one", end: 4 },
      { text: "two", end: 8 },
      { text: "three", end: 14 },
    ]);
  });

  test("it is lazy: the first lines of a huge text come at once", () => {
    const [first] = splitText("word ".repeat(1_000_000), 0, { bytesPerLine: 20, measure: utf8 });
    expect(first?.text).toBe("word word word word");
  });
});

const unit = fc.constantFrom(
  "a",
  "word",
  " ",
  "   ",
  "\n",
  ",5",
  "é",
  "人",
  "😀",
  "👩‍👩‍👧‍👦",
  "e\u0301",
  "🇩🇪",
  "\x02",
  "\x0304",
  "\x0312,01",
  "\x03",
  "\x04abcdef",
  "\x0f",
  "\x11",
  "\x1d",
  "x".repeat(50),
);
const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(""));
const bytes = fc.integer({ min: 48, max: 120 });

/** Every character to see, with how it is formatted. */
function seen(source: string): readonly string[] {
  const characters: string[] = [];
  let format: IrcFormat = PLAIN;
  for (let at = 0; at < source.length;) {
    const code = readCode(source, at, format);
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (code === null && !/[ \n]/.test(character)) characters.push(`${character} ${JSON.stringify(format)}`);
    format = code?.format ?? format;
    at = code?.end ?? at + character.length;
  }
  return characters;
}

describe("for any text", () => {
  test("nothing is lost, doubled, out of order or formatted otherwise", () => {
    fc.assert(
      fc.property(text, bytes, (source, room) => {
        expect(texts(source, room).flatMap(seen)).toStrictEqual(seen(source));
      }),
      { numRuns: 500 },
    );
  });

  test("every line fits, is one line, is well formed and shows something", () => {
    fc.assert(
      fc.property(text, bytes, (source, room) => {
        for (const line of texts(source, room)) {
          expect(utf8(line)).toBeLessThanOrEqual(room);
          expect(line.isWellFormed()).toBe(true);
          expect(line).not.toContain("\n");
          expect(seen(line)).not.toStrictEqual([]);
        }
      }),
    );
  });

  test("from the end of any line on come the lines that followed it", () => {
    fc.assert(
      fc.property(text, bytes, (source, room) => {
        const all = pieces(source, room);
        for (const [index, { end }] of all.entries()) {
          expect(pieces(source, room, end)).toStrictEqual(all.slice(index + 1));
        }
      }),
    );
  });

  test("no character as people see it is cut, and no word that has room in a line", () => {
    const plain = fc.array(fc.constantFrom("a", "word", " ", "é", "😀", "👩‍👩‍👧‍👦", "e\u0301", "🇩🇪"), { maxLength: 60 });
    const graphemes = (of: string): readonly string[] =>
      Array.from(new Intl.Segmenter("und", { granularity: "grapheme" }).segment(of), ({ segment }) => segment);
    fc.assert(
      fc.property(plain, bytes, (units, room) => {
        const source = units.join("");
        const lines = texts(source, room);
        const whole = graphemes(source).filter((part) => part !== " ");
        expect(lines.flatMap(graphemes).filter((part) => part !== " ")).toStrictEqual(whole);
        const words = source.split(" ").filter((word) => word !== "");
        if (words.every((word) => utf8(word) <= room)) {
          expect(lines.flatMap((line) => line.split(" ")).filter((word) => word !== "")).toStrictEqual(words);
        }
      }),
    );
  });

  test("the same by the bytes of another charset, also when a line is short", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 8, max: 40 }),
        fc.constantFrom("gbk", "iso-8859-1", "gb18030"),
        (source, room, name) => {
          const { measure } = charsetOf(name)!;
          const lines = [...splitText(source, 0, { bytesPerLine: room, measure })].map((piece) => piece.text);
          expect(lines.every((line) => measure(line) <= room)).toBe(true);
          const letters = (of: string): string =>
            seen(of)
              .map((character) => character.slice(0, 1))
              .join("");
          expect(lines.map(letters).join("")).toBe(letters(source));
        },
      ),
    );
  });
});

test.each([
  ["a\nb\n\nc", 10, 3],
  ["0123456789".repeat(5), 20, 3],
  ["", 10, 0],
])("estimateLines %j", (source, bytesPerLine, lines) => {
  expect(estimateLines(source, 0, { bytesPerLine, measure: utf8 })).toBe(lines);
});

test.each([
  ["short", 10, "short"],
  ["一二三", 7, "一二"],
  ["ab\x0304c", 4, "ab"],
  ["👩‍👩‍👧‍👦", 5, "👩"],
])("fittingEnd %j in %i bytes", (source, room, fits) => {
  expect(source.slice(0, fittingEnd(source, room, utf8))).toBe(fits);
});

test("with a charset of escape sequences a line is filled by the bytes it takes as a whole", () => {
  const { measure } = charsetOf("iso-2022-jp")!;
  const text = "日本語のテスト".repeat(20);
  const pieces = [...splitText(text, 0, { bytesPerLine: 106, measure })].map((piece) => piece.text);
  // 6 bytes of escapes, 2 for each of 50 characters.
  expect(pieces.map((piece) => [piece.length, measure(piece)])).toEqual([
    [50, 106],
    [50, 106],
    [40, 86],
  ]);
  expect(pieces.join("")).toBe(text);
});
