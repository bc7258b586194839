import { describe, expect, test } from "vitest";
import * as fc from "../../test/support/property.ts";
import type { Block, Inline } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { lettersOf, sliceBlock, wholeUpTo, withoutLinks } from "./slice.ts";
import { hostileWords, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const only = (format: string, source: string): Block => {
  const [block, ...rest] = parse(format, source);
  if (block === undefined || rest.length > 0) throw new Error("not one block");
  return block;
};

/** At each place: what is before it, and what is behind. */
const cutAt = (block: Block, at: number): readonly (readonly Block[])[] => [
  sliceBlock(block, 0, at),
  sliceBlock(block, at, Infinity),
];

describe("a cut", () => {
  test.each<[string, Block, number, readonly Block[], readonly Block[]]>([
    [
      "styles end and begin again",
      only("markdown", "**ab _cd_**"),
      4,
      [para({ t: "bold", of: [text("ab "), { t: "italic", of: [text("c")] }] })],
      [para({ t: "bold", of: [{ t: "italic", of: [text("d")] }] })],
    ],
    [
      "both parts of a link lead to its address",
      only("markdown", "[ab cd](https://e.example/)"),
      2,
      [para({ t: "link", href: "https://e.example/", of: [text("ab")] })],
      [para({ t: "link", href: "https://e.example/", of: [text(" cd")] })],
    ],
    [
      "code has no blanks at a cut",
      only("markdown", "`ab cd`"),
      2,
      [para({ t: "code", text: "ab" })],
      [para({ t: "code", text: "cd" })],
    ],
    [
      "a block of code has its language in both parts",
      only("markdown", "```ts\nab\n  cd\n```"),
      3,
      [{ t: "pre", lang: "ts", text: "ab\n" }],
      [{ t: "pre", lang: "ts", text: "  cd" }],
    ],
    [
      "a quote within a quote stays one",
      only("markdown", "> ab\n> > cd"),
      4,
      [{ t: "quote", of: [para(text("ab")), { t: "quote", of: [para(text("c"))] }] }],
      [{ t: "quote", of: [{ t: "quote", of: [para(text("d"))] }] }],
    ],
    [
      "an item that has begun goes on without its sign",
      only("discord", "- ab\n- cd"),
      1,
      [{ t: "list", ordered: false, items: [[para(text("a"))]] }],
      [para(text("b")), { t: "list", ordered: false, items: [[para(text("cd"))]] }],
    ],
    [
      "numbers go on",
      only("discord", "1. ab\n2. cd\n3. ef"),
      4,
      [{ t: "list", ordered: true, items: [[para(text("ab"))], [para(text("c"))]] }],
      [para(text("d")), para(text("3. "), text("ef"))],
    ],
  ])("%s", (_, block, at, before, behind) => {
    expect(cutAt(block, at)).toEqual([before, behind]);
  });

  test("at any place loses no letter and doubles none", () => {
    fc.assert(
      fc.property(trees(hostileWords), fc.nat(), (blocks, place) => {
        for (const block of blocks) {
          const letters = lettersOf(block);
          const at = place % (letters.length + 1);
          const signs = (some: readonly Block[]): string => some.map(lettersOf).join("").replaceAll(/\s/g, "");
          const [before = [], behind = []] = cutAt(block, at);
          const numbers = JSON.stringify(block).includes('"ordered":true') ? /[\d.]+/g : /(?!)/g;
          const bare = (words: string): string => words.replaceAll(numbers, "");
          expect(bare(signs(before) + signs(behind))).toBe(bare(letters.replaceAll(/\s/g, "")));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const MENTION: Inline = { t: "mention", user: null, text: "@ann lee" };

test.each<[string, Block, number, number]>([
  ["words", para(text("a b")), 2, 2],
  ["a mention", para(text("a "), MENTION, text(" b")), 5, 2],
  ["behind a mention", para(text("a "), MENTION, text(" b")), 10, 10],
  ["a mention in a style", para(text("a "), { t: "bold", of: [text("b "), MENTION] }), 6, 4],
  ["a mention in a list", { t: "list", ordered: false, items: [[para(text("ab"))], [para(MENTION)]] }, 6, 3],
  ["a short link", only("markdown", "a [b c](https://e.example/)"), 4, 2],
  ["a long link", only("markdown", `a [b ${"c".repeat(300)}](https://e.example/)`), 4, 4],
  ["an address", para(text("a "), { t: "link", href: "https://e.example/", of: [] }), 4, 2],
])("the whole up to a place within %s", (_, block, at, whole) => {
  expect(wholeUpTo(block, at)).toBe(whole);
});

test("a link whose address is too long is its words and the address", () => {
  const link = (href: string, of: readonly Inline[]): Inline => ({ t: "link", href, of });
  const block = para(
    link("https://e.example/long", [text("w")]),
    link("https://e.example/long", []),
    link("http://s", [text("v")]),
  );
  const words = withoutLinks(block, (href) => href.length > 10);
  expect(words).toEqual(
    para(text("w"), text(" (https://e.example/long)"), text("https://e.example/long"), link("http://s", [text("v")])),
  );
});
