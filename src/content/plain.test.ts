import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { plainText } from "./plain.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });

test.each<[string, readonly Block[], string]>([
  ["nothing", [], ""],
  ["line breaks", [para(text("a\n\nb"))], "a\n\nb"],
  ["blocks on lines of their own", [para(text("a")), { t: "heading", level: 2, of: [text("b")] }], "a\nb"],
  [
    "nested formatting",
    [
      para(
        { t: "bold", of: [text("a"), { t: "italic", of: [{ t: "underline", of: [text("b")] }] }] },
        { t: "strike", of: [text("c")] },
        { t: "spoiler", of: [text("d")] },
        { t: "colour", fore: "#ff0000", back: null, of: [text("e")] },
        { t: "code", text: "f" },
      ),
    ],
    "abcdef",
  ],
  ["mention and emoji", [para({ t: "mention", user: null, text: "@bob" }, { t: "emoji", text: ":x:" })], "@bob:x:"],
  [
    "links",
    [
      para({ t: "link", href: "https://a.example", of: [text("here")] }, text(" "), {
        t: "link",
        href: "https://b.example",
        of: [text("https://b.example")],
      }),
      para({ t: "link", href: "https://c.example", of: [] }, { t: "link", href: "", of: [text("dead")] }),
    ],
    "here (https://a.example) https://b.example\nhttps://c.exampledead",
  ],
  ["code", [{ t: "pre", text: "if (a)\n  b();", lang: "c" }], "if (a)\n  b();"],
  [
    "quotes, one in another",
    [{ t: "quote", of: [para(text("a\nb")), { t: "quote", of: [para(text("c"))] }] }, para(text("d"))],
    "> a\n> b\n> > c\nd",
  ],
  [
    "lists, one in another",
    [
      {
        t: "list",
        ordered: true,
        items: [[para(text("a\nb"))], [para(text("c")), { t: "list", ordered: false, items: [[para(text("d"))], []] }]],
      },
    ],
    "1. a\n   b\n2. c\n   - d\n   - ",
  ],
])("%s", (_name, blocks, expected) => {
  expect(plainText(blocks)).toBe(expected);
});

test("plain text, and text of a format nobody knows, comes back as it was", () => {
  fc.assert(
    fc.property(fc.constantFrom("plain", "nobody-knows", "", "__proto__"), fc.string(), (format, words) => {
      expect(plainText(parse(format, words))).toBe(words);
    }),
  );
  expect(plainText(parse("plain", "2 * 3 * 4 _x_ \n<b> & :y:"))).toBe("2 * 3 * 4 _x_ \n<b> & :y:");
});

test("a format with a reader of its own is read by it", () => {
  expect(plainText(parse("irc", "\u0002bold\u0002 and \u000304red"))).toBe("bold and red");
});
