import { expect, test } from "vitest";
import type { Block, Inline } from "../../contract/content.ts";
import type { Loss } from "../../contract/outcome.ts";
import { renderDiscord } from "../../content/discord-render.ts";
import { parse } from "../../content/formats.ts";
import { lettersOf } from "../../content/slice.ts";
import { pack, type PackedText } from "./pack.ts";

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
  const sizeOf = (part: readonly Block[]): number => {
    rendered += part.length;
    return renderDiscord(part).length;
  };
  const texts = pack(blocks, { textMax: 2_000, firstMax: 2_000, unit: "utf16", sizeOf }, []).map(textOf);
  expect(texts.every((text) => text.length <= 2_000)).toBe(true);
  expect(signs(texts.join(""))).toBe(signs(blocks.map(lettersOf).join("")));
  // Each part is halved down from what may fit at most.
  expect(rendered).toBeLessThan(blocks.length * 20);
});

test("a text says which blocks, and how much of the next, are said when it is", () => {
  const blocks = parse("markdown", `# one\n\n${"word ".repeat(30).trim()}\n\n\`\`\`\n${"line\n".repeat(20)}\n\`\`\``);
  const texts = pack(blocks, LIMITS, []);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.every((one, at) => textOf(one).length <= (at === 0 ? 50 : 100))).toBe(true);
  for (const { blocks: done, at } of texts) expect(at).toBeLessThanOrEqual(lettersOf(blocks[done] ?? BLANK).length);
  expect(texts.at(-1)).toMatchObject({ blocks: blocks.length, at: 0 });
});

test("each part of a cut block has its styles", () => {
  const blocks = parse("markdown", `**${"bold ".repeat(30).trim()}** ||${"hidden ".repeat(20).trim()}||`);
  const texts = pack(blocks, LIMITS, []).map(textOf);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts[0]).toMatch(/^\*\*bold (?:bold )*bold\*\*$/);
  expect(texts.at(-1)).toMatch(/^\|\|hidden (?:hidden )*hidden\|\|$/);
});

test("an address and a mention go into the next part whole", () => {
  const of: readonly Inline[] = [
    { t: "text", text: "word ".repeat(6) },
    { t: "mention", user: null, text: "@somebody of three words" },
    { t: "text", text: ` ${"x".repeat(60)} https://e.example/${"y".repeat(60)}` },
  ];
  expect(pack([{ t: "para", of }], LIMITS, []).map(textOf)).toEqual([
    "word word word word word word",
    `@somebody of three words ${"x".repeat(60)}`,
    `https://e.example/${"y".repeat(60)}`,
  ]);
});

test("an address that takes most of a message is text, and a style without room for words is left out and said", () => {
  const href = `https://e.example/${"a".repeat(150)}`;
  const link: Block = { t: "para", of: [{ t: "link", href, of: [{ t: "text", text: "here" }] }] };
  expect(
    pack([link], LIMITS, [])
      .map(textOf)
      .join("")
      .replaceAll(/[<>\s]/g, ""),
  ).toBe(`here(${href})`);
  const losses: Loss[] = [];
  const sizeOf = (some: readonly Block[]): number => (renderDiscord(some).includes("**") ? 200 : 10);
  const texts = pack(parse("markdown", "**ab**"), { ...LIMITS, sizeOf }, losses).map(textOf);
  expect(texts).toEqual(["ab"]);
  expect(losses).toMatchObject([{ what: "format" }]);
});

test("what is measured in code points is cut between them, however little fits", () => {
  const words = "😀".repeat(50);
  const sizeOf = (part: readonly Block[]): number => Array.from(renderDiscord(part)).length;
  const cutAt = (max: number): readonly string[] =>
    pack([paraOf(words)], { textMax: max, firstMax: max, unit: "codepoints", sizeOf }, []).map(textOf);
  expect(cutAt(20).map((text) => Array.from(text).length)).toEqual([18, 18, 14]);
  expect(cutAt(1)).toEqual(Array.from({ length: 50 }, () => "😀"));
});

test("a letter with more marks than a text takes is cut between them, and fills each text", () => {
  const words = `a${"\u0301".repeat(950)}`;
  const texts = pack([paraOf(words)], LIMITS, []).map(textOf);
  expect(texts.join("")).toBe(words);
  expect(texts.length).toBeLessThan(15);
});

const paraOf = (text: string): Block => ({ t: "para", of: [{ t: "text", text }] });
const textOf = ({ of }: PackedText): string => renderDiscord(of);
const LIMITS = {
  textMax: 100,
  firstMax: 50,
  unit: "utf16",
  sizeOf: (some: readonly Block[]) => renderDiscord(some).length,
} as const;
const BLANK: Block = { t: "para", of: [] };
