import { expect, test } from "vitest";
import { plainText } from "../content/plain.ts";
import { about, aStored } from "./plan.suite.ts";
import { putOn, reactionLine, standingLine } from "./reaction-line.ts";

const of = (emoji: string, ...names: readonly string[]) => ({ emoji, names });
const many = Array.from({ length: 12 }, (_, at) => `p${at}`);

test.each([
  [reactionLine(about("reaction"), [of("👍", "bob")]), '* b\u200bob reacted 👍 to a\u200blice: "what it said"'],
  [
    reactionLine(about("reaction", { excerpt: "" }), [of("👍", "bob", "carl"), of("❤", "bob")]),
    "* b\u200bob, c\u200barl reacted 👍, b\u200bob reacted ❤ to a\u200blice",
  ],
  [
    reactionLine(about("reaction", { name: "x\ny", excerpt: "" }), [of("a\nb", "eve\n<root> hi")]),
    "* e\u200bve <root> hi reacted a b to x\u200b y",
  ],
  [
    standingLine(about("reaction"), [of("👍", "bob", "carl"), of("❤", "bob")], true),
    "👍 b\u200bob, c\u200barl · ❤ b\u200bob",
  ],
  [standingLine(about("reaction"), [of("👍", "bob")], false), '* to a\u200blice: "what it said": 👍 b\u200bob'],
  [standingLine(about("reaction"), [], true), "no reactions"],
  [
    standingLine(about("reaction"), [of("👍", ...many)], true),
    `👍 ${many
      .slice(0, 8)
      .map((name) => `p\u200b${name.slice(1)}`)
      .join(", ")}, +4`,
  ],
  [
    standingLine(
      about("reaction"),
      many.map((name) => of(name)),
      true,
    ),
    many.map((name) => `${name} `).join(" · "),
  ],
])("a line of reactions", ({ style, source, blocks }, expected) => {
  expect([style, source.text, plainText(blocks)]).toEqual(["normal", expected, expected]);
});

test("a line stays short whatever people are called and use", () => {
  const long = Array.from({ length: 1_000 }, (_, at) =>
    of(`${at}`.repeat(500), ...many.map((name) => name.repeat(500))),
  );
  expect(standingLine(about("reaction"), long, true).source.text.length).toBeLessThan(12 * (8 * 70 + 60));
});

test.each<[readonly [who: string, emoji: string, on: boolean][], string]>([
  [[["bob", "👍", true]], "👍 bob"],
  [[["bob", "👍", false]], ""],
  [
    [
      ["bob", "👍", true],
      ["bob", "👍", false],
    ],
    "",
  ],
  [
    [
      ["bob", "👍", false],
      ["bob", "👍", true],
    ],
    "",
  ],
  [
    [
      ["bob", "👍", true],
      ["bob", "👍", false],
      ["bob", "👍", true],
    ],
    "👍 bob",
  ],
  [
    [
      ["bob", "👍", true],
      ["eve", "👍", false],
      ["carl", "👍", true],
      ["bob", "❤", true],
    ],
    "👍 bob,carl; ❤ bob",
  ],
])("what is new in %j", (changes, expected) => {
  const stored = changes.map(([username, emoji, on]) =>
    aStored({ username, userid: "" }, { about: about("reaction", { emoji, on }) }),
  );
  expect(
    putOn(stored)
      .map(({ emoji, names }) => `${emoji} ${names.join(",")}`)
      .join("; "),
  ).toBe(expected);
});

test("two people of one name at different places are two", () => {
  const at = (channel: string, on: boolean) => aStored({ channel }, { about: about("reaction", { emoji: "👍", on }) });
  expect(putOn([at("#a", true), at("#b", false)])).toEqual([of("👍", "bob")]);
});
