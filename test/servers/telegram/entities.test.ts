import type { MessageEntity } from "@grammyjs/types";
import { describe, expect, test } from "vitest";
import * as fc from "../../support/property.ts";
import { normal, readEntities } from "./entities.ts";
import { Refusal } from "./wire.ts";

type Short = readonly [MessageEntity.CommonMessageEntity["type"] | "pre", number, number];

const full = (short: readonly Short[]): MessageEntity[] =>
  short.map(([type, offset, length]) => ({ type, offset, length }));

const shown = (text: string, given: readonly Short[] = []): readonly [string, readonly (readonly unknown[])[]] => {
  const styled = normal(text, full(given));
  return [styled.text, styled.entities.map(({ type, offset, length }) => [type, offset, length])];
};

describe("what the server makes of a text", () => {
  test.each<readonly [string, string, string]>([
    ["blank ends go", "  a b \n ", "a b"],
    ["control characters are blanks", "a\u0007b\tc", "a b c"],
    ["of line ends one is left", "a\r\nb", "a\nb"],
    ["nothing turns the direction of writing", "a\u202Eb", "ab"],
    ["blanks alone are nothing", " \n ", ""],
  ])("%s", (_, text, kept) => {
    expect(shown(text)[0]).toBe(kept);
  });

  test("entities move with what goes before them, begin with no blank, and end with the text", () => {
    expect(shown("\r a b ", [["bold", 1, 5]])).toEqual(["a b", [["bold", 0, 3]]]);
    expect(shown("a b", [["bold", 1, 1]])).toEqual(["a b", []]);
  });

  test("an entity is within the text", () => {
    expect(() => shown("ab", [["bold", 1, 50]])).toThrow("ends after the end of the text at UTF-16 offset 51");
    expect(() => shown("ab", [["bold", 3, 1]])).toThrow("entity begins after the end of the text at UTF-16 offset 3");
    expect(() => shown("ab", [["bold", -1, 2]])).toThrow("receive an entity with incorrect offset -1");
    expect(() => shown("ab", [["bold", 0, -2]])).toThrow("receive an entity with incorrect length -2");
    expect(shown("ab", [["bold", 1, 0]])).toEqual(["ab", []]);
  });

  test.each<readonly [string, readonly Short[], readonly Short[]]>([
    [
      "in order, the outer first",
      [
        ["italic", 2, 2],
        ["bold", 0, 6],
      ],
      [
        ["bold", 0, 6],
        ["italic", 2, 2],
      ],
    ],
    [
      "the earlier style that crosses is cut",
      [
        ["bold", 0, 4],
        ["italic", 2, 4],
      ],
      [
        ["bold", 0, 2],
        ["italic", 2, 4],
        ["bold", 2, 2],
      ],
    ],
    [
      "no style goes into code",
      [
        ["bold", 0, 6],
        ["code", 2, 2],
      ],
      [
        ["bold", 0, 2],
        ["code", 2, 2],
        ["bold", 4, 2],
      ],
    ],
    [
      "code that crosses code goes",
      [
        ["code", 0, 4],
        ["pre", 2, 4],
      ],
      [["code", 0, 4]],
    ],
    [
      "a style is cut at a quotation's end",
      [
        ["blockquote", 0, 3],
        ["bold", 1, 4],
      ],
      [
        ["blockquote", 0, 3],
        ["bold", 1, 2],
        ["bold", 3, 2],
      ],
    ],
    [
      "the same style twice is one",
      [
        ["bold", 0, 3],
        ["bold", 2, 4],
      ],
      [["bold", 0, 6]],
    ],
    [
      "of quotations in quotations the outer stays",
      [
        ["blockquote", 0, 6],
        ["blockquote", 2, 2],
      ],
      [["blockquote", 0, 6]],
    ],
  ])("%s", (_, given, kept) => {
    expect(shown("abcdef", given)[1]).toEqual(kept);
  });

  test("of more than a hundred the first are kept", () => {
    const many = Array.from({ length: 130 }, (_, at): Short => ["bold", at * 2, 1]);
    expect(shown("a ".repeat(130), many)[1]).toHaveLength(100);
  });

  test("an entity neither begins nor ends within a character", () => {
    expect(() => shown("a😀b", [["bold", 2, 2]])).toThrow(
      "entity begins in a middle of a UTF-16 symbol at byte offset",
    );
    expect(() => shown("a😀b", [["bold", 0, 2]])).toThrow("entity beginning at UTF-16 offset 0 ends in a middle");
    expect(shown("a😀b", [["bold", 1, 2]])[1]).toEqual([["bold", 1, 2]]);
  });
});

test.each<readonly [string, readonly Short[]]>([
  [
    "see https://example.org/a_(b). Or example.com, not file.txt",
    [
      ["url", 4, 24],
      ["url", 34, 11],
    ],
  ],
  [
    "/start and /go@rialto_bot, not a/b",
    [
      ["bot_command", 0, 6],
      ["bot_command", 11, 14],
    ],
  ],
  [
    "@alice and mail@example.org",
    [
      ["mention", 0, 6],
      ["email", 11, 16],
    ],
  ],
  [
    "#tag #1 $USD a#b",
    [
      ["hashtag", 0, 4],
      ["cashtag", 8, 4],
    ],
  ],
  ["call +31 20 123 4567", [["phone_number", 5, 15]]],
])("what the server finds by itself in %s", (text, found) => {
  expect(shown(text)[1]).toEqual(found);
});

test("what is found goes into no code, and cuts styles that cross it", () => {
  expect(shown("see @alice", [["code", 0, 10]])[1]).toEqual([["code", 0, 10]]);
  expect(shown("see @alice", [["bold", 0, 6]])[1]).toEqual([
    ["bold", 0, 4],
    ["mention", 4, 6],
    ["bold", 4, 2],
  ]);
});

test("entities of requests", () => {
  const users = new Map([[7, { id: 7, is_bot: false, first_name: "Al" }]]);
  const given = [
    { type: "text_link", offset: 0, length: 1, url: "example.org" },
    { type: "text_link", offset: 0, length: 1, url: "javascript:alert(1)" },
    { type: "text_mention", offset: 0, length: 1, user: { id: 7 } },
    { type: "text_mention", offset: 0, length: 1, user: { id: 8 } },
    { type: "custom_emoji", offset: 0, length: 1, custom_emoji_id: "5" },
    { type: "pre", offset: 0, length: 1, language: "c" },
    { type: "unheard", offset: 0, length: 1 },
  ];
  expect(readEntities(given, users)).toEqual([
    { type: "text_link", offset: 0, length: 1, url: "http://example.org/" },
    { type: "text_mention", offset: 0, length: 1, user: users.get(7) },
    { type: "pre", offset: 0, length: 1, language: "c" },
  ]);
  expect(() => readEntities({}, users)).toThrow(Refusal);
  expect(() => readEntities([{ type: "bold", offset: "0", length: 1 }], users)).toThrow("must be of type Number");
});

test("whatever is given: entities within the text, nested, in order, with nothing left to trim", () => {
  const unit = fc.constantFrom("a", " ", "\n", "\r", "😀", "@bob", "/go", "é", "\u0007", ". ", "x.com");
  const types = ["bold", "italic", "spoiler", "code", "pre", "blockquote"] as const;
  const entity = fc.record({ type: fc.constantFrom(...types), from: fc.nat(20), to: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), fc.array(entity, { maxLength: 6 }), (units, spans) => {
      const places = units.map((_, at) => units.slice(0, at).join("").length);
      const text = units.join("");
      const place = (at: number): number => places[at] ?? text.length;
      const given = spans.map(({ type, from, to }) => {
        const offset = Math.min(place(from), place(to));
        return { type, offset, length: Math.max(place(from), place(to)) - offset };
      });
      const once = normal(text, given);
      for (const [at, one] of once.entities.entries()) {
        const end = one.offset + one.length;
        expect(one.length > 0 && end <= once.text.length).toBe(true);
        for (const other of once.entities.slice(at + 1)) {
          expect(other.offset >= one.offset).toBe(true);
          expect(other.offset >= end || other.offset + other.length <= end).toBe(true);
        }
      }
      expect(normal(once.text).text).toBe(once.text);
    }),
  );
});
