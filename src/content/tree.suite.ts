import * as fc from "../../test/support/property.ts";
import type { Block, Inline } from "../contract/content.ts";
import { plainText } from "./plain.ts";

/** Text with every sign that means something in some format. */
export const hostileWords = fc.oneof(
  fc.constantFrom(
    "word",
    " ",
    "a b",
    "  ",
    "*",
    "**",
    "_",
    "__",
    "snake_case",
    "~",
    "~~",
    "`",
    "```",
    "||",
    ">",
    "> ",
    "- ",
    "+ ",
    "1. ",
    "2) ",
    "# ",
    "---",
    "===",
    "[",
    "](",
    ")",
    "!",
    "\\",
    "<b>",
    "</p>",
    "&amp;",
    "&",
    '"',
    "@room",
    "\n",
    "\n\n",
    "https://e.example/a_b_*c*",
    "\x02",
    "\x0304",
    "é",
    "👩‍👩‍👧‍👦",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

/** Text made of all that means something in the dialect of chats. */
export const dialectWords = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."* ** *** _ ~~ || ` `` ``` \\ \\\\ a b [ ]( ](http://x ) ](http://x) . ( > 1. # - + http://y/_".split(" "),
        " ",
        "\n",
        "> ",
        "```\n",
        "é",
      ),
      hostileWords,
    ),
    { maxLength: 25 },
  )
  .map((words) => words.join("").replaceAll(/\r\n?/g, "\n"));

/** The same in another script, with its quotes and emoji. */
export const foreignWords = dialectWords.map((text) =>
  text.replaceAll("a", "你").replaceAll("b", "”").replaceAll("+", "“").replaceAll("word", "👍"),
);

/** Text without any sign that means something in a format. */
export const tameWords = fc.stringMatching(/^[a-zé]{1,6}(?: [a-z]{1,6}){0,2}$/);

const hex: fc.Arbitrary<string | null> = fc.oneof(fc.constant(null), fc.constantFrom("#ff0000", "#123456", "red"));
const href = fc.constantFrom(
  "https://e.example/",
  "https://e.example/a_(b)?c=*d*&e",
  "mailto:me@e.example",
  "javascript:alert(1)",
  "",
  'https://e.example/"><script>',
);

interface Tree {
  readonly within: Inline;
  readonly inline: Inline;
  readonly block: Block;
}

/** Any tree, of these words. */
export function trees(words: fc.Arbitrary<string>): fc.Arbitrary<readonly Block[]> {
  const leaf: fc.Arbitrary<Inline> = fc.oneof(
    fc.record({ t: fc.constantFrom("text" as const, "text" as const, "code" as const, "emoji" as const), text: words }),
    fc.record({ t: fc.constant("mention" as const), user: fc.constant(null), text: words }),
  );
  const { block } = fc.letrec<Tree>((tie: fc.LetrecTypedTie<Tree>) => {
    const marked = (of: fc.Arbitrary<Inline[]>): fc.Arbitrary<Inline> =>
      fc.oneof(
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
      );
    const within: fc.Arbitrary<Inline[]> = fc.array(tie("within"), { maxLength: 4 });
    const of: fc.Arbitrary<Inline[]> = fc.array(tie("inline"), { maxLength: 4 });
    const blocks: fc.Arbitrary<Block[]> = fc.array(tie("block"), { minLength: 1, maxLength: 3 });
    return {
      // A link holds no link.
      within: fc.oneof({ depthSize: "small", maxDepth: 3, withCrossShrink: true }, leaf, marked(within)),
      inline: fc.oneof(
        { depthSize: "small", maxDepth: 3, withCrossShrink: true },
        leaf,
        marked(of),
        fc.record({ t: fc.constant("link" as const), href, of: within }),
      ),
      block: fc.oneof(
        { depthSize: "small", maxDepth: 3, withCrossShrink: true },
        fc.record({ t: fc.constant("para" as const), of }),
        fc.record({ t: fc.constant("heading" as const), level: fc.integer({ min: 0, max: 7 }), of }),
        fc.record({ t: fc.constant("pre" as const), text: words, lang: fc.constantFrom(null, "ts", 'x" y') }),
        fc.record({ t: fc.constant("quote" as const), of: blocks }),
        fc.record({
          t: fc.constant("list" as const),
          ordered: fc.boolean(),
          items: fc.array(blocks, { minLength: 1, maxLength: 3 }),
        }),
      ),
    };
  });
  return fc.array(block, { maxLength: 4 });
}

/**
 * The signs of a text in their order, without what a format may rightly change: spaces, line breaks, control
 * characters.
 */
export function signsOf(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, "");
}

/** The same of the words of a tree, without the marks of quotes and lists. */
export function wordsOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.t === "list") return block.items.map(wordsOf).join("");
      return block.t === "quote" ? wordsOf(block.of) : signsOf(plainText([block]));
    })
    .join("");
}
