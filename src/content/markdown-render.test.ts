import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { renderMarkdown } from "./markdown-render.ts";
import { plainText } from "./plain.ts";
import { dialectWords, foreignWords, hostileWords, trees } from "./tree.suite.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "strike" | "underline", ...of: readonly Inline[]): Inline => ({ t, of });
const link = (href: string, ...of: readonly Inline[]): Inline => ({ t: "link", href, of });

test.each<[string, readonly Inline[]]>([
  ["a **b** c", [text("a"), marked("bold", text(" b ")), text("c")]],
  ["**ab _c_**", [marked("bold", text("a")), marked("bold", marked("bold", text("b ")), marked("italic", text("c")))]],
  ["**a**\n**b**", [marked("bold", text("a\nb"))]],
  // Where no mark is read, none is written.
  ["abc", [text("a"), marked("bold", text("b")), text("c")]],
  ["a(b)c **d**", [text("a"), marked("bold", text("(b)")), text("c "), marked("bold", text("d"))]],
  ["+", [marked("bold", text("+"))]],
  ["u", [marked("underline", text("u"))]],
  // The words beside it would be read as code, one with the other.
  [
    "`code` \\`ab`   **x**",
    [
      { t: "code", text: "code" },
      text(" `"),
      { t: "code", text: "a" },
      text("b`"),
      { t: "code", text: " " },
      text("  "),
      marked("bold", text("x")),
    ],
  ],
  ["**a** \\_b_c_ d", [marked("bold", text("a")), text(" _b"), marked("italic", text("_")), text("c_ d")]],
  ["``a`b``  ", [{ t: "code", text: "a`b" }, text(" "), { t: "code", text: " " }]],
  [
    "[a](https://e.example/(b)) https://e.example/c",
    [link("https://e.example/(b)", text("a")), text(" "), link("https://e.example/"), text("c")],
  ],
  ["a (https://e.example/)) b", [link("https://e.example/)", text("a")), text(" b")]],
  ["a (javascript:b)", [link("javascript:b", text("a"))]],
  ["me@e.example", [link("mailto:me@e.example", text("me@e.example"))]],
  // Words stay words, whatever stands beside them.
  [String.raw`**b** \*a* _c_`, [marked("bold", text("b")), text(" *a* "), marked("italic", text("c"))]],
  ["*b **c** d", [text("*b "), marked("bold", text("c")), text(" d")]],
  ["a* b", [marked("italic", text("a* b"))].map((inline) => inline)],
])("%j", (written, of) => {
  const shown = renderMarkdown([para(...of)]);
  expect(shown === written || shown === `_${written}_`).toBe(true);
});

test.each<[string, readonly Block[]]>([
  ["a\n- b", [para(text("a")), { t: "list", ordered: false, items: [[para(text("b"))]] }]],
  ["> a\nb", [{ t: "quote", of: [para(text("a"))] }, para(text("b"))]],
  ["> a\n>\n> b", [{ t: "quote", of: [para(text("a\n\nb"))] }]],
  ["````\n```\n````", [{ t: "pre", text: "```", lang: null }]],
  [
    "**a**\n1. **b**\n2. c\n   d",
    [
      { t: "heading", level: 3, of: [text("a")] },
      { t: "list", ordered: true, items: [[para(marked("bold", text("b")))], [para(text("c\nd"))]] },
    ],
  ],
  [
    "- a\n  x *y* z\n  ```",
    [
      {
        t: "list",
        ordered: false,
        items: [[para(text("a")), { t: "pre", text: "x \\*y* z\n```".replace("\\", ""), lang: null }]],
      },
    ],
  ],
])("blocks as %j", (written, blocks) => {
  expect(renderMarkdown(blocks)).toBe(written.replace("x *y*", String.raw`x \*y*`));
});

describe("plain text has only the backslashes that it needs", () => {
  test.each([
    ["# a\n- b\n1. c\n===\n-# d\n>e", "# a\n- b\n1. c\n===\n-# d\n>e"],
    ["2 * 3, a_b, <b> &amp; [x] ~5 |y|", "2 * 3, a_b, <b> &amp; [x] ~5 |y|"],
    ["*a* _b_ **c** ~~d~~ ||e|| `f`", String.raw`\*a* \_b_ \**c** \~~d~~ \||e|| \`f${"`"}`],
    [String.raw`\*a* \*b\*`, String.raw`\\*a* \\*b\\*`],
    ["> a\n>\n\\> b", "\\> a\n>\n\\\\> b"],
    ["```ts\n*a*\n```", "\\```ts\n*a*\n```"],
    ["[a](http://b.example)", String.raw`\[a](http://b.example)`],
  ])("%j", (words, written) => {
    expect(renderMarkdown(parse("plain", words))).toBe(written);
  });

  test("and is read as the text it is: 20000 texts", () => {
    fc.assert(
      fc.property(fc.oneof(dialectWords, foreignWords), (words) => {
        expect(parseMarkdown(renderMarkdown(parse("plain", words)))).toStrictEqual(parse("plain", words));
      }),
      { numRuns: 20_000 },
    );
  });
});

test("whatever is written is read with the same words, signs and line breaks: 3000 trees", () => {
  fc.assert(
    fc.property(trees(fc.oneof(hostileWords, fc.constantFrom("你", "”", "👍"))), (blocks) => {
      expect(plainText(parseMarkdown(renderMarkdown(blocks)))).toBe(plainText(blocks));
    }),
    { numRuns: 3_000 },
  );
});

describe("texts of the largest size that a post may have", () => {
  const MANY = 200_000;

  test("that look like a block of code", () => {
    const words = `\`\`\`\n${"a\n".repeat(MANY)}\`\`\``;
    expect(renderMarkdown(parse("plain", words))).toBe(`\\${words}`);
  });

  test("with very many signs in a block of code, or in a span of it", () => {
    const code = "`a".repeat(MANY);
    expect(renderMarkdown([{ t: "pre", text: code, lang: null }])).toBe(`\`\`\`\n${code}\n\`\`\``);
    expect(renderMarkdown([para({ t: "code", text: `a${code}` })])).toBe(`\`\`a${code}\`\``);
  });
});
