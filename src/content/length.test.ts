import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { cut, cutPoints, excerpt, measure, type TextUnit } from "./length.ts";

const FAMILY = "👩‍👩‍👧‍👦";

test.each<[string, number, number, number]>([
  ["", 0, 0, 0],
  ["abc", 3, 3, 3],
  ["é€", 5, 2, 2],
  ["😀", 4, 2, 1],
  [FAMILY, 25, 11, 7],
  ["\ud83da", 4, 2, 2],
])("%j measures %i bytes, %i code units, %i code points", (text, bytes, utf16, codepoints) => {
  expect([measure(text, "bytes"), measure(text, "utf16"), measure(text, "codepoints")]).toStrictEqual([
    bytes,
    utf16,
    codepoints,
  ]);
});

test.each<[string, number, TextUnit, string]>([
  ["e\u0301x", 1, "codepoints", "e"],
  ["😀é", 5, "bytes", "😀"],
  ["😀", 1, "utf16", ""],
  ["ab", 9, "utf16", "ab"],
])("%j to %i %s in whole code points", (text, max, unit, head) => {
  expect(cutPoints(text, max, unit)).toBe(head);
});

describe("cut", () => {
  test.each<[string, number, TextUnit, string]>([
    ["abc", 3, "bytes", "abc"],
    ["abc", 2, "bytes", "ab"],
    ["abc", 0, "utf16", ""],
    ["abc", -1, "utf16", ""],
    ["aé", 2, "bytes", "a"],
    [`a${FAMILY}b`, 11, "utf16", "a"],
    [`a${FAMILY}b`, 12, "utf16", `a${FAMILY}`],
    [`${FAMILY}b`, 7, "codepoints", FAMILY],
    ["e\u0301x", 1, "codepoints", ""],
    ["🇩🇪🇫🇷", 5, "utf16", "🇩🇪"],
  ])("%j to %i %s", (text, max, unit, head) => {
    expect(cut(text, max, unit)).toBe(head);
  });

  test("is the longest beginning of whole graphemes that fits", () => {
    const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
    const words = fc.array(
      fc.oneof(fc.constantFrom(FAMILY, "e\u0301", "🇩🇪", "😀", "\r\n"), fc.string({ unit: "grapheme", maxLength: 3 })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        words,
        fc.nat(60),
        fc.constantFrom("bytes" as const, "utf16" as const, "codepoints" as const),
        (parts, max, unit) => {
          const text = parts.join("");
          let longest = "";
          for (const { segment, index } of graphemes.segment(text)) {
            const head = text.slice(0, index + segment.length);
            if (measure(head, unit) <= max) longest = head;
          }
          expect(cut(text, max, unit)).toBe(longest);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("looks at no more of a text than can fit", () => {
    let read = 0;
    const huge = "x".repeat(1_000_000);
    const spied = {
      length: huge.length,
      slice: (from: number, to: number) => ((read = Math.max(read, to)), huge.slice(from, to)),
    };
    expect(cut(spied as unknown as string, 10, "bytes")).toBe("x".repeat(10));
    expect(read).toBeLessThan(1000);
  });
});

test.each([
  ["short", 10, "short"],
  ["a b\n c\t\td", 20, "a b c d"],
  ["  abcdef  ", 6, "abcdef"],
  ["abcdefg", 6, "abcde…"],
  ["abcd efg", 6, "abcd…"],
  [FAMILY.repeat(3), 2, `${FAMILY}…`],
  ["abc", 1, "…"],
  ["", 5, ""],
  [`x${" ".repeat(5000)}y`, 10, "x…"],
])("excerpt of %j at %i", (text, max, shown) => {
  expect(excerpt(text, max)).toBe(shown);
});
