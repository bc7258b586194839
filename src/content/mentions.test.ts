import { expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { parse } from "./formats.ts";
import { linkMentions, withoutRoomPings } from "./mentions.ts";

const PEOPLE = new Map(["bob", "bob smith", "alice", "d.e", "zoë", "anna-lena"].map((name) => [name, name as UserRef]));
const find = (name: string): UserRef | null => PEOPLE.get(name.toLowerCase()) ?? null;

const text = (words: string): Inline => ({ t: "text", text: words });
const mention = (words: string, user: string): Inline => ({ t: "mention", user: user as UserRef, text: words });

test.each<[string, readonly Inline[]]>([
  ["@bob hi", [mention("@bob", "bob"), text(" hi")]],
  ["hi @Bob Smith, ok", [text("hi "), mention("@Bob Smith", "bob smith"), text(", ok")]],
  [
    "(@bob) @bob's @bob: @bob.",
    [
      text("("),
      mention("@bob", "bob"),
      text(") "),
      mention("@bob", "bob"),
      text("'s "),
      mention("@bob", "bob"),
      text(": "),
      mention("@bob", "bob"),
      text("."),
    ],
  ],
  [
    "@d.e. @Zoë! @anna-lena",
    [mention("@d.e", "d.e"), text(". "), mention("@Zoë", "zoë"), text("! "), mention("@anna-lena", "anna-lena")],
  ],
  ["alice: look", [mention("alice", "alice"), text(": look")]],
  ["Bob Smith, look", [mention("Bob Smith", "bob smith"), text(", look")]],
  // Nobody, or somebody else.
  ["@nobody @bobby @", [text("@nobody @bobby @")]],
  [
    "me@bob @alice@bob.example @alice:bob.example @bob/x",
    [text("me@bob @alice@bob.example @alice:bob.example @bob/x")],
  ],
  ["see alice: no", [text("see alice: no")]],
  ["alice:no nobody: x", [text("alice:no nobody: x")]],
  ["https://e.example/?a=(@bob https://e.example/@bob", [text("https://e.example/?a=(@bob https://e.example/@bob")]],
])("%j", (source, of) => {
  expect(linkMentions(parse("plain", source), find)).toStrictEqual([{ t: "para", of }]);
});

test("marks around a name stay, and code and links stay as they are", () => {
  const list: Block = { t: "list", ordered: false, items: [[{ t: "para", of: [text("@bob")] }]] };
  const said = parse("markdown", "**@bob** `@bob` [@bob](https://e.example/)\n> alice: @bob\n```\n@bob\n```");
  const blocks = [...said.slice(0, 2), list, ...said.slice(2)];
  expect(linkMentions(blocks, find)).toStrictEqual([
    {
      t: "para",
      of: [
        { t: "bold", of: [mention("@bob", "bob")] },
        text(" "),
        { t: "code", text: "@bob" },
        text(" "),
        { t: "link", href: "https://e.example/", of: [text("@bob")] },
      ],
    },
    { t: "quote", of: [{ t: "para", of: [text("alice: "), mention("@bob", "bob")] }] },
    { t: "list", ordered: false, items: [[{ t: "para", of: [mention("@bob", "bob")] }]] },
    { t: "pre", text: "@bob", lang: null },
  ]);
});

test("a text full of names that nobody has is given up in time", () => {
  let asked = 0;
  const count = (): null => {
    asked += 1;
    return null;
  };
  linkMentions(parse("plain", "@a b c d e f g ".repeat(4000)), count);
  expect(asked).toBeLessThan(300);
});

test.each([
  ["@room @Everyone! (@here) @channel, @all", "@\u200broom @\u200bEveryone! (@\u200bhere) @\u200bchannel, @\u200ball"],
  ["@roommate @hereby a@b room", "@roommate @hereby a@b room"],
])("%j pings no room", (source, quiet) => {
  expect(withoutRoomPings(source)).toBe(quiet);
});
