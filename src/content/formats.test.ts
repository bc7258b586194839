import { normal, readEntities } from "../../test/servers/telegram/entities.ts";
import { readTags, type Tagged, withTags } from "../../test/servers/telegram/tags.ts";
import * as fc from "../../test/support/property.ts";
import { Parser } from "htmlparser2";
import { describe, expect, test } from "vitest";
import type { Block } from "../contract/content.ts";
import { parse, render, written } from "./formats.ts";
import { renderHtml } from "./html-render.ts";
import { wordsOf } from "./irc.ts";
import { plainText } from "./plain.ts";
import { type SampleFormat, SAMPLES } from "./samples.suite.ts";
import { looksStyled } from "./styling-parse.ts";
import { telegramSource } from "./telegram-read.ts";
import { writeTelegram } from "./telegram-write.ts";
import { hostileWords, trees } from "./tree.suite.ts";

const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "slack", "telegram", "html", "styling"] as const;

/** Of a text with entities, as it is written in one line. */
const renders = (format: SampleFormat, blocks: readonly Block[]): string =>
  format === "telegram" ? withTags(sent(blocks)) : render(format, blocks);
const reads = (format: SampleFormat, text: string): readonly Block[] =>
  format === "telegram" ? received(readTags(text)) : parse(format, text);

function sent(blocks: readonly Block[]): Tagged {
  const { text, entities } = writeTelegram(blocks);
  return normal(text, readEntities(entities, new Map()));
}

function received({ text, entities }: Tagged): readonly Block[] {
  const source = telegramSource(text, entities);
  return parse(source.format, source.text);
}

describe.each(SAMPLES)("$kind", ({ blocks, written, kept }) => {
  test.each(FORMATS)("written in %s", (format) => {
    expect(renders(format, blocks)).toBe(written[format]);
  });

  test.each(kept)("from %s to every format", (from) => {
    const read = reads(from, written[from]);
    expect(read).toStrictEqual(blocks);
    for (const to of FORMATS) expect(renders(to, read)).toBe(written[to]);
  });

  test.each(FORMATS.filter((format) => !kept.includes(format)))("what is lost in %s is not its words", (format) => {
    const words = (text: string): string => text.replaceAll("\u200b", "").replaceAll(/\s+/g, " ");
    expect(words(plainText(reads(format, written[format])))).toBe(words(plainText(blocks)));
    expect(reads(format, written[format])).not.toStrictEqual(blocks);
  });
});

test("every kind of content has its sample", () => {
  const kinds = JSON.stringify(SAMPLES.map(({ blocks }) => blocks));
  const all = [
    ..."text code bold italic underline strike spoiler colour link mention emoji".split(" "),
    ..."para heading pre quote list".split(" "),
  ];
  for (const kind of all) expect(kinds).toContain(`"t":"${kind}"`);
});

test("plain text stays plain in every format that can show it", () => {
  for (const words of [
    "2 * 3 * 4 = 24",
    "snake_case and __init__",
    "a || b",
    "C:\\dir <tag> &amp; #1",
    "https://e.example/_a_/*b*?c=~d~",
  ]) {
    for (const format of ["irc", "markdown", "styling"]) expect(render(format, parse("plain", words))).toBe(words);
    expect(plainText(parse("html", render("html", parse("plain", words))))).toBe(words);
  }
});

test("a text of a format nobody knows is plain", () => {
  expect(parse("nobody-knows", "*a*")).toStrictEqual(parse("plain", "*a*"));
  expect(render("__proto__", parse("markdown", "*a*"))).toBe("a");
});

test.each([
  ["markdown", "**a**", "**a**"],
  ["styling", "*a*", "*a*"],
  ["mattermost", "**a**", "**a**"],
  ["discord", "**<@1|Alice>**", "**@Alice**"],
  ["slack", "*<@U1|Alice>* &lt;", "*@Alice* <"],
  ["html", "<b>a</b>", null],
  ["irc", "\x02a", null],
  ["nobody-knows", "a", null],
])("what people write who know no ids, of %s", (format, source, shown) => {
  expect(written(format, source)).toBe(shown);
});

describe("what is written is valid", () => {
  test("html has only tags and attributes of the list, closed in order, and safe addresses", () => {
    const attributes: ReadonlyMap<string, RegExp> = new Map([
      ["href", /^(?:https?:\/\/|mailto:|xmpp:|ircs?:\/\/|matrix:)[^\s<>"]+$/],
      ["class", /^language-[\w+#.-]+$/],
      ["data-mx-color", /^#[0-9a-f]{6}$/],
      ["data-mx-bg-color", /^#[0-9a-f]{6}$/],
      ["data-mx-spoiler", /^$/],
    ]);
    const tags = new Set([
      "strong",
      "em",
      "u",
      "del",
      "code",
      "span",
      "a",
      "p",
      "br",
      "pre",
      "blockquote",
      "ul",
      "ol",
      "li",
      "h1",
      "h2",
      "h3",
      "h4",
      "h5",
      "h6",
    ]);
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        const html = renderHtml(blocks, () => "https://matrix.to/#/@a:b");
        const open: string[] = [];
        const faults: string[] = [];
        const parser = new Parser({
          onopentag: (name, given) => {
            open.push(name);
            if (!tags.has(name)) faults.push(`<${name}>`);
            for (const [key, value] of Object.entries(given)) {
              if (attributes.get(key)?.test(value) !== true) faults.push(`${key}="${value}"`);
            }
          },
          onclosetag: (name, isImplied) => {
            if (open.pop() !== name || (isImplied && name !== "br")) faults.push(`</${name}>`);
          },
          oncomment: (comment) => {
            faults.push(comment);
          },
        });
        parser.end(html);
        expect([...faults, ...open]).toStrictEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("irc has only the control characters of its codes", () => {
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        // oxlint-disable-next-line eslint/no-control-regex -- the codes
        const rest = render("irc", blocks).replaceAll(/[\x02\x03\x0f\x11\x1d\x1e\x1f]/g, "");
        expect(wordsOf(rest)).toBe(rest);
      }),
      { numRuns: 500 },
    );
  });

  test.each(["styling", "html"])("%s has no control characters", (format) => {
    fc.assert(
      fc.property(trees(hostileWords), (blocks) => {
        // oxlint-disable-next-line eslint/no-control-regex -- what XML does not allow
        expect(render(format, blocks)).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f]/);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ["plain", false],
  ["2 * 3 * 4 > 1", false],
  ["**a**", false],
  ["*a*", true],
  ["_private_var and *2*3", true],
  ["> a", true],
  ["```", true],
  ["a `b` c", true],
])("%j looks styled: %s", (words, isStyled) => {
  expect(looksStyled(words)).toBe(isStyled);
});
