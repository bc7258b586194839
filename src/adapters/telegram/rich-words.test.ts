import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { richWords } from "./rich-words.ts";

const cases: readonly (readonly [string, readonly unknown[], string])[] = [
  ["nothing", [], ""],
  ["paragraphs", [{ type: "paragraph", text: "a" }, 5, { type: "footer", text: ["b", "c"] }], "a\nbc"],
  ["a heading", [{ type: "heading", size: 1, text: "Ships" }], "bold(Ships)"],
  ["code", [{ type: "pre", text: "x = 1", language: "ts" }], "pre(x = 1)"],
  [
    "runs in runs",
    [{ type: "paragraph", text: ["a ", { type: "bold", text: ["b", { type: "italic", text: "c" }] }] }],
    "a bold(bitalic(c))",
  ],
  ["a link", [{ type: "paragraph", text: { type: "url", text: "here", url: "https://x.example" } }], "text_link(here)"],
  ["marks without a counterpart", [{ type: "paragraph", text: { type: "subscript", text: "2" } }], "2"],
  ["an emoji", [{ type: "paragraph", text: { type: "custom_emoji", alternative_text: "🦀" } }], "🦀"],
  ["a formula", [{ type: "mathematical_expression", expression: "x^2" }], "x^2"],
  ["a line", [{ type: "divider" }], "---"],
  [
    "a list",
    [
      {
        type: "list",
        items: [
          { label: "1.", blocks: [{ type: "paragraph", text: "a" }] },
          { label: "-", has_checkbox: true, is_checked: true, blocks: [{ type: "paragraph", text: "b" }] },
        ],
      },
    ],
    "1. a\n- ☑ b",
  ],
  [
    "a quote",
    [{ type: "blockquote", blocks: [{ type: "paragraph", text: "a" }], credit: "Eve" }],
    "blockquote(a\nEve)",
  ],
  ["details", [{ type: "details", summary: "more", blocks: [{ type: "paragraph", text: "a" }] }], "bold(more)\na"],
  ["a table", [{ type: "table", cells: [[{ text: "a" }, { text: "b" }], [{ text: "c" }], 5] }], "a | b\nc"],
  ["buttons", [{ type: "buttons", buttons: [{ text: "Yes" }, { text: "No" }] }], "Yes / No"],
  ["a picture", [{ type: "photo", photo: [], caption: { text: "look" } }], "(photo)\nlook"],
  ["a kind to come", [{ type: "hologram_view" }], "(hologram view)"],
];

/** With the formats as calls. */
function shown({ text, entities }: ReturnType<typeof richWords>): string {
  const at = (entity: Json, key: string): number => Number(entity[key]);
  const marks = entities.flatMap((entity, order) => [
    { at: at(entity, "offset"), words: `${String(entity["type"])}(`, order },
    { at: at(entity, "offset") + at(entity, "length"), words: ")", order: -order },
  ]);
  let all = text;
  for (const { at: place, words } of marks.toSorted((a, b) => b.at - a.at || b.order - a.order)) {
    all = all.slice(0, place) + words + all.slice(place);
  }
  return all;
}

test.each(cases)("%s", (_, blocks, words) => {
  expect(shown(richWords({ blocks }))).toBe(words);
});

test("what is nested beyond measure is left out", () => {
  let text: unknown = "deep";
  let blocks: unknown[] = [{ type: "paragraph", text: "deep" }];
  for (let depth = 0; depth < 10_000; depth += 1) {
    text = { type: "bold", text };
    blocks = [{ type: "details", summary: "", blocks }];
  }
  expect(richWords({ blocks: [{ type: "paragraph", text }] }).text).toBe("");
  expect(richWords({ blocks }).text).toBe("");
});
