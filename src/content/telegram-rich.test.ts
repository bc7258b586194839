import { expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { parse } from "./formats.ts";
import { plainText } from "./plain.ts";
import { treeSource } from "./telegram-read.ts";
import { telegramRichBlocks } from "./telegram-rich-read.ts";

const read = (blocks: readonly unknown[]): readonly Block[] =>
  telegramRichBlocks({ blocks }, (place) => JSON.stringify(place));

const para = (text: unknown) => ({ type: "paragraph", text });
const item = (label: string, text: string, more: object = {}) => ({ label, blocks: [para(text)], ...more });

/** Written as HTML, which is what the core reads. */
const cases: readonly (readonly [string, readonly unknown[], string])[] = [
  ["nothing", [], ""],
  ["paragraphs", [para("a"), 5, { type: "footer", text: ["b", "c"] }], "a<br>bc"],
  ["a heading", [{ type: "heading", size: 2, text: "Ships" }], "<h2>Ships</h2>"],
  ["code", [{ type: "pre", text: "x = 1", language: "ts" }], '<pre><code class="language-ts">x = 1\n</code></pre>'],
  [
    "runs in runs",
    [para(["a ", { type: "bold", text: ["b", { type: "italic", text: "c" }] }])],
    "a <strong>b<em>c</em></strong>",
  ],
  [
    "all formats",
    [
      para([
        { type: "underline", text: "u" },
        { type: "strikethrough", text: "s" },
        { type: "code", text: "c" },
      ]),
    ],
    "<u>u</u><del>s</del><code>c</code>",
  ],
  ["a spoiler", [para({ type: "spoiler", text: "psst" })], "<span data-mx-spoiler>psst</span>"],
  ["a link", [para({ type: "url", text: "here", url: "https://x.example" })], '<a href="https://x.example">here</a>'],
  [
    "marks without a counterpart",
    [
      para([
        { type: "subscript", text: "2" },
        { type: "marked", text: "m" },
      ]),
    ],
    "2m",
  ],
  [
    "what clients find by themselves",
    [
      para([
        { type: "mention", text: "@bob", username: "bob" },
        { type: "hashtag", text: " #ships", hashtag: "ships" },
        { type: "date_time", text: " 22:45", unix_time: 5, date_time_format: "t" },
        { type: "anchor", name: "x" },
        { type: "reference_link", text: " 1", reference_name: "x" },
      ]),
    ],
    "@bob #ships 22:45 1",
  ],
  ["an emoji", [para({ type: "custom_emoji", custom_emoji_id: "5", alternative_text: "🦀" })], "🦀"],
  [
    "formulas",
    [
      { type: "mathematical_expression", expression: "x^2" },
      para({ type: "mathematical_expression", expression: "y" }),
    ],
    "<pre><code>x^2\n</code></pre><p><code>y</code></p>",
  ],
  ["a line", [{ type: "divider" }], "---"],
  ["a list", [{ type: "list", items: [item("•", "a"), item("•", "b")] }], "<ul><li>a</li><li>b</li></ul>"],
  [
    "a list that counts",
    [{ type: "list", items: [item("1.", "a", { value: 1 }), item("2.", "b", { value: 2 })] }],
    "<ol><li>a</li><li>b</li></ol>",
  ],
  [
    "a list that counts from elsewhere, or by letters",
    [
      { type: "list", items: [item("3.", "a"), item("4.", "b")] },
      { type: "list", items: [item("a.", "x"), item("b.", "y")] },
    ],
    "3. a<br>4. b<br>a. x<br>b. y",
  ],
  [
    "tasks",
    [
      {
        type: "list",
        items: [item("", "a", { has_checkbox: true, is_checked: true }), item("", "b", { has_checkbox: true })],
      },
    ],
    "<ul><li>☑ a</li><li>☐ b</li></ul>",
  ],
  [
    "a list in a list",
    [{ type: "list", items: [{ label: "-", blocks: [para("a"), { type: "list", items: [item("-", "b")] }] }] }],
    "<ul><li><p>a</p><ul><li>b</li></ul></li></ul>",
  ],
  [
    "quotes",
    [
      { type: "blockquote", blocks: [para("a"), { type: "heading", size: 1, text: "h" }], credit: "Eve" },
      { type: "expandable_blockquote", text: "b" },
      { type: "pullquote", text: "c", credit: "Bob" },
    ],
    "<blockquote><p>a</p><h1>h</h1><p>Eve</p></blockquote><blockquote><p>b</p></blockquote>" +
      "<blockquote><p>c<br>Bob</p></blockquote>",
  ],
  ["details", [{ type: "details", summary: "more", blocks: [para("a")] }], "<strong>more</strong><br>a"],
  [
    "a table",
    [
      {
        type: "table",
        caption: "T",
        cells: [[{ text: "a", is_header: true }, { text: "b" }], [{ text: "c" }, {}], 5],
      },
    ],
    "<strong>a</strong> | b<br>c<br>T",
  ],
  [
    "buttons",
    [
      {
        type: "buttons",
        buttons: [
          { text: "Yes", callback_data: "y" },
          { text: "Site", url: "https://x.example" },
        ],
      },
      para(["go ", { type: "button", button: { text: "No", url: "tg://user?id=5" } }]),
    ],
    '[Yes] / <a href="https://x.example">Site</a><br>go [No]',
  ],
  [
    "a map",
    [{ type: "map", location: { latitude: 1 }, zoom: 13, caption: { text: "here", credit: "me" } }],
    "(place: {&quot;latitude&quot;:1})<br>here<br>me",
  ],
  [
    "captions of media, which are files",
    [
      { type: "photo", photo: [], caption: { text: { type: "bold", text: "look" } } },
      { type: "collage", blocks: [{ type: "video", video: {} }], caption: { text: "both" } },
      { type: "voice_note", voice_note: {} },
      { type: "anchor", name: "x" },
    ],
    "<strong>look</strong><br>both",
  ],
  ["a kind to come", [{ type: "hologram_view", blocks: [para("a")] }, { type: 5 }], "(hologram view)<br>a"],
  ["what is no text", [para({ x: 1 }), para(null), { type: "heading" }, { type: "list" }], ""],
];

test.each(cases)("%s", (_, blocks, html) => {
  const source = treeSource(read(blocks));
  expect(source).toEqual({ format: "html", text: html });
  // The core reads the same words.
  expect(plainText(parse("html", source.text))).toBe(plainText(read(blocks)));
});

test("what is nested beyond measure is left out", () => {
  let text: unknown = "deep";
  let blocks: unknown[] = [para("deep")];
  for (let depth = 0; depth < 10_000; depth += 1) {
    text = { type: "bold", text };
    blocks = [{ type: "details", summary: "", blocks }];
  }
  expect(read([para(text)])).toEqual([]);
  expect(read(blocks)).toEqual([]);
});
