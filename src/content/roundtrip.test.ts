import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { render, parse } from "./formats.ts";
import { plainText } from "./plain.ts";
import { hostileWords, signsOf, tameWords, trees, wordsOf } from "./tree.suite.ts";

type Reader = (blocks: readonly Block[]) => string;

const plainSigns: Reader = (blocks) => signsOf(plainText(blocks));

/** Formats, and what of a tree they keep: the marks of quotes and lists only where those are text there. */
const FORMATS: readonly (readonly [string, Reader])[] = [
  ["plain", plainSigns],
  ["irc", plainSigns],
  ["markdown", plainSigns],
  // Its quotes and lists end with an empty line, so that empty ones are gone.
  ["mattermost", (blocks) => plainSigns(blocks).replaceAll(/[>-]|\d+\./g, "")],
  // It has no quotes within quotes, and no lists and quotes of nothing.
  ["discord", (blocks) => plainSigns(blocks).replaceAll(/[>-]|\d+\./g, "")],
  // It has no quotes within quotes, and its lists have other marks.
  ["slack", (blocks) => plainSigns(blocks).replaceAll(/[>-]|\d+\./g, "")],
  ["html", wordsOf],
  ["styling", plainSigns],
];

describe("the words survive being written and read", () => {
  test.each(FORMATS)("words without signs in %s", (format, words) => {
    fc.assert(
      fc.property(trees(tameWords), (blocks) => {
        expect(words(parse(format, render(format, blocks)))).toBe(words(blocks));
      }),
      { numRuns: 500 },
    );
  });

  test.each(["plain", "irc", "markdown"])("any words in %s", (format) => {
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        expect(plainSigns(parse(format, render(format, blocks)))).toBe(plainSigns(blocks));
      }),
      { numRuns: 1000 },
    );
  });

  test("any words in html", () => {
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        expect(wordsOf(parse("html", render("html", blocks)))).toBe(wordsOf(blocks));
      }),
      { numRuns: 1000 },
    );
  });
});
