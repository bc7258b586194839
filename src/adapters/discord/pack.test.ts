import { expect, test } from "vitest";
import type { Block } from "../../contract/content.ts";
import { renderDiscord } from "../../content/discord-render.ts";
import { parse } from "../../content/formats.ts";
import { pack, wordsOfBlock } from "./pack.ts";

const signs = (text: string): string => text.replaceAll(/[\s>#`-]/g, "");

test.each([
  ["quotes", "> a\nb\n"],
  ["headings", "# a\n"],
  ["fences", "```\na```\n"],
])("many %s are rendered a few times each", (_, some) => {
  const source = some.repeat(16_000 / some.length);
  const blocks = parse("discord", source);
  expect(blocks.length).toBeGreaterThan(100);
  let rendered = 0;
  const render = (part: readonly Block[]): string => {
    rendered += part.length;
    return renderDiscord(part);
  };
  const texts = pack(blocks, { textMax: 2_000, firstMax: 2_000, render }, []);
  expect(texts.every(({ text }) => text.length <= 2_000)).toBe(true);
  expect(signs(texts.map(({ text }) => text).join(""))).toBe(signs(blocks.map(wordsOfBlock).join("")));
  // Each part is halved down from what may fit at most.
  expect(rendered).toBeLessThan(blocks.length * 20);
});

test("a text says which blocks, and how much of the next, are said when it is", () => {
  const blocks = parse("markdown", `# one\n\n${"word ".repeat(30).trim()}\n\n\`\`\`\n${"line\n".repeat(20)}\n\`\`\``);
  const texts = pack(blocks, { textMax: 100, firstMax: 50, render: (some) => renderDiscord(some) }, []);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.every(({ text }, at) => text.length <= (at === 0 ? 50 : 100))).toBe(true);
  for (const { blocks: done, at } of texts) expect(at).toBeLessThanOrEqual(wordsOfBlock(blocks[done] ?? BLANK).length);
  expect(texts.at(-1)).toMatchObject({ blocks: blocks.length, at: 0 });
});

const BLANK: Block = { t: "para", of: [] };
