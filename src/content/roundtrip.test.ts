import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { render, parse } from "./formats.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { renderMarkdown } from "./markdown-render.ts";
import { plainText } from "./plain.ts";
import { hostileWords, signsOf, tameWords, trees, wordsOf } from "./tree.suite.ts";

type Reader = (blocks: readonly Block[]) => string;

const plainSigns: Reader = (blocks) => signsOf(plainText(blocks));

/** Formats, and what of a tree they keep: the marks of quotes and lists only where those are text there. */
const FORMATS: readonly (readonly [string, Reader])[] = [
  ["plain", plainSigns],
  ["irc", plainSigns],
  ["markdown", wordsOf],
  ["html", wordsOf],
  // An empty line of a quote is nothing there.
  ["styling", (blocks) => plainSigns(blocks).replaceAll(">", "")],
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

  test.each(["plain", "irc"])("any words in %s", (format) => {
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

  test("any words in markdown with escapes", () => {
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        expect(wordsOf(parseMarkdown(renderMarkdown(blocks, { escape: true })))).toBe(wordsOf(blocks));
      }),
      { numRuns: 1000 },
    );
  });

  test("any words in markdown with escapes, read by the reference implementation of CommonMark", () => {
    // It knows neither `||spoiler||` nor `~~strike~~`, and shows their marks.
    const words = (text: string): string => signsOf(text).replaceAll(/[|~]/g, "");
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        const tree = fromMarkdown(renderMarkdown(blocks, { escape: true }));
        expect(words(wordsOfNode(tree))).toBe(words(wordsOf(blocks)));
      }),
      { numRuns: 1000 },
    );
  });
});

function wordsOfNode(
  node: ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number],
): string {
  if (node.type === "html" || node.type === "image" || node.type === "definition")
    throw new Error(`unexpected ${node.type}`);
  if ("value" in node) return node.value;
  if (!("children" in node)) return "";
  const words = node.children.map(wordsOfNode).join("");
  return node.type === "link" && signsOf(words) !== signsOf(node.url) ? `${words}(${node.url})` : words;
}
