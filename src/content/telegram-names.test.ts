import { expect, test } from "vitest";
import { withoutTelegramNames } from "./telegram-names.ts";
import type { TelegramEntity } from "./telegram-write.ts";

type Short = readonly [type: string, offset: number, length: number, more?: object];
const full = (short: readonly Short[]): readonly object[] =>
  short.map(([type, offset, length, more]) => ({ type, offset, length, ...more }));

test.each<[string, readonly Short[], string, readonly Short[]]>([
  ["no name", [], "no name", []],
  ["hi @bob, @ a@b @é (@bob)", [["bold", 3, 4]], "hi @\u200bbob, @ a@b @é (@\u200bbob)", [["bold", 3, 5]]],
  [
    "@a @b @c @d",
    [
      ["code", 0, 2],
      ["text_link", 3, 2, { url: "https://e.example/" }],
      ["text_mention", 6, 2, { user: { id: 7 } }],
      ["italic", 9, 2],
    ],
    "@a @b @\u200bc @\u200bd",
    [
      ["code", 0, 2],
      ["text_link", 3, 2, { url: "https://e.example/" }],
      ["text_mention", 6, 3, { user: { id: 7 } }],
      ["italic", 10, 3],
    ],
  ],
  ["@a@b", [["bold", 1, 3]], "@\u200ba@b", [["bold", 2, 3]]],
  [
    "https://x.example/@alice medium.com/@alice/post https://x.example«@bob» x/@bob",
    [],
    "https://x.example/@alice medium.com/@alice/post https://x.example«@\u200bbob» x/@\u200bbob",
    [],
  ],
  ["https://e.example/wiki/при/@a", [], "https://e.example/wiki/при/@a", []],
  [
    "foo.com/x,@a a.txt/@b http://localhost/@c ab.cd/؛@d",
    [],
    "foo.com/x,@\u200ba a.txt/@\u200bb http://localhost/@\u200bc ab.cd/؛@\u200bd",
    [],
  ],
])("%j calls nobody", (words, entities, quiet, moved) => {
  const given = full(entities) as readonly TelegramEntity[];
  expect(withoutTelegramNames({ text: words, entities: given })).toStrictEqual({ text: quiet, entities: full(moved) });
});
