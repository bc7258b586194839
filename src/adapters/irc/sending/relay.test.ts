import * as fc from "../../../../test/support/property.ts";
import { expect, test } from "vitest";
import { multilineLimits } from "./parts.ts";
import { relayNick } from "./relay.ts";

const OPTIONS = { account: "matrix.home", theirs: [], separators: "/", nicklen: 32, utf8: false };

test.each([
  ["<alice> ", "alice/m"],
  ["alice", "alice/m"],
  ["alice/discord", "alice/discord"],
  ["<alice>/d", "alice/d"],
  ["[xmpp] <alice>", "[xmpp]-alice/m"],
  ["al ice!@home", "al-ice-home/m"],
  ["~-alice", "alice/m"],
  ["\x0304alice\x0f", "04alice/m"],
  ["größer", null],
  ["é", null],
  ["Зоя/api", null],
  ["日本/api", null],
  ["🎉 alice 🎉", "alice/m"],
  ["🎉/api", null],
  ["", null],
  ["!?*", null],
  ["/", null],
  ["日本", null],
])("%j becomes %j", (shown, nick) => {
  expect(relayNick(shown, OPTIONS)).toBe(nick);
});

test("letters beyond ASCII stay where the server has them; a long name is cut before its mark", () => {
  for (const name of ["größer", "Jürgen", "é", "Зоя", "日本"])
    expect(relayNick(`${name}/api`, { ...OPTIONS, utf8: true })).toBe(`${name}/api`);
  expect(relayNick("日本語日本語", { ...OPTIONS, utf8: true, nicklen: 12 })).toBe("日本語/m");
  expect(relayNick("alexandria", { ...OPTIONS, nicklen: 8 })).toBe("alexan/m");
  expect(relayNick("alexandria/d", { ...OPTIONS, nicklen: 8 })).toBe("alexan/d");
  expect(relayNick("a|b", { ...OPTIONS, separators: "|" })).toBe("a|b");
});

test.each([
  // Only the operator's separator says where somebody is from.
  ["eve/d", ["eve/d"], "eve-d/m"],
  ["<eve/d> ", ["eve/d"], "eve-d/m"],
  ["eve/x/d", ["eve/x"], "eve-x/d"],
  ["eve room/eve", ["eve", "room/eve"], "eve-room-eve/m"],
  ["a\u200blice", ["alice"], "alice/m"],
  ["e\u200bve/d", ["eve/d"], "eve-d/m"],
])("%j of %j becomes %j", (shown, theirs, nick) => {
  expect(relayNick(shown, { ...OPTIONS, theirs })).toBe(nick);
});

test("whatever the name, it is one word with a separator, and no command", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (shown, utf8) => {
      const nick = relayNick(shown, { ...OPTIONS, utf8 });
      if (nick === null) return;
      expect(nick).not.toMatch(/[\p{Cc}\s!+%@&#$:'"?*,.~]/u);
      expect(nick).toContain("/");
      expect(Buffer.byteLength(nick)).toBeLessThanOrEqual(OPTIONS.nicklen + 2);
    }),
  );
});

test.each([
  ["max-bytes=4096,max-lines=24", { bytes: 4096, lines: 24 }],
  ["max-bytes=4096", { bytes: 4096, lines: Infinity }],
  ["future,max-bytes=10", { bytes: 10, lines: Infinity }],
  ["max-lines=5", null],
  ["max-bytes=x", null],
  ["", null],
  [undefined, null],
])("limits of %j", (value, limits) => {
  expect(multilineLimits(value)).toEqual(limits);
});
