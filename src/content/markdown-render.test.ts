import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { renderMarkdown } from "./markdown-render.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "strike" | "underline", ...of: readonly Inline[]): Inline => ({ t, of });
const link = (href: string, ...of: readonly Inline[]): Inline => ({ t: "link", href, of });

test.each<[string, readonly Inline[]]>([
  ["a **b** c", [text("a"), marked("bold", text(" b ")), text("c")]],
  ["**ab _c_**", [marked("bold", text("a")), marked("bold", marked("bold", text("b ")), marked("italic", text("c")))]],
  ["**a**\n**b**", [marked("bold", text("a\nb"))]],
  ["a*b*c", [text("a"), marked("italic", text("b")), text("c")]],
  ["a**b**c", [text("a"), marked("bold", text("b")), text("c")]],
  // Where CommonMark would not read a mark, there is none.
  ["a(b)c", [text("a"), marked("bold", text("(b)")), text("c")]],
  ["u", [marked("underline", text("u"))]],
  ["`` a`b `` ` `", [{ t: "code", text: "a`b" }, text(" "), { t: "code", text: " " }]],
  [
    "[a](https://e.example/(b)) <https://e.example/>c",
    [link("https://e.example/(b)", text("a")), text(" "), link("https://e.example/"), text("c")],
  ],
  ["a (javascript:b)", [link("javascript:b", text("a"))]],
  ["me@e.example", [link("mailto:me@e.example", text("me@e.example"))]],
])("%j", (written, of) => {
  expect(renderMarkdown([para(...of)], { escape: false })).toBe(written.replace("`` a`b ``", "``a`b``"));
});

describe("with escapes", () => {
  test.each([
    ["*a* _b_ c_d", String.raw`\*a\* \_b\_ c_d`],
    [
      "# a\n> b\n- c\n1. d\n===",
      String.raw`\# a` +
        "\n" +
        String.raw`\> b` +
        "\n" +
        String.raw`\- c` +
        "\n" +
        String.raw`1\. d` +
        "\n" +
        String.raw`\===`,
    ],
    ["<b> &amp; [x] `y` ~z~ |", String.raw`\<b> \&amp; \[x\] \`y\` \~z\~ \|`],
    ["see https://e.example/a_b*c, ok", "see <https://e.example/a_b*c>, ok"],
    ["https://e.example/", "https://e.example/"],
  ])("%j", (words, written) => {
    expect(renderMarkdown(parse("plain", words), { escape: true })).toBe(written);
  });
});

test.each<[string, readonly Block[]]>([
  ["a\n- b", [para(text("a")), { t: "list", ordered: false, items: [[para(text("b"))]] }]],
  ["> a\n\nb", [{ t: "quote", of: [para(text("a"))] }, para(text("b"))]],
  [
    "> a\n\n> b",
    [
      { t: "quote", of: [para(text("a"))] },
      { t: "quote", of: [para(text("b"))] },
    ],
  ],
  ["````\n```\n````", [{ t: "pre", text: "```", lang: null }]],
  [
    "# a\n###### b",
    [
      { t: "heading", level: 0, of: [text("a")] },
      { t: "heading", level: 9, of: [text("b")] },
    ],
  ],
])("blocks as %j", (written, blocks) => {
  expect(renderMarkdown(blocks, { escape: false })).toBe(written);
});
