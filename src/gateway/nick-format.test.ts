import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import {
  compileIconURL,
  compileNamePrefix,
  compileNickFormat,
  noPing,
  stripNick,
  type NickValues,
} from "./nick-format.ts";

const values: NickValues = {
  nick: "bob",
  bridge: "Libera",
  protocol: "net",
  gateway: "main",
  label: "L",
  userid: "bob@host",
  channel: "#room",
};

describe("compileNickFormat", () => {
  test.each([
    ["[{PROTOCOL}] <{NICK}> ", "[net] <bob> "],
    ["{NICK}", "bob"],
    ["", ""],
    ["{NICK}{NICK}", "bobbob"],
    ["{NOPINGNICK}", "b\u200bob"],
    ["{BRIDGE}/{GATEWAY}/{LABEL}/{USERID}/{CHANNEL}", "Libera/main/L/bob@host/#room"],
    ["<{TENGO}>", "<>"],
    ["{UNKNOWN} {nick} {NICK", "{UNKNOWN} {nick} {NICK"],
    ["{{NICK}}", "{bob}"],
    ["{NICK }", "{NICK }"],
    ["{constructor}{TO}", "{constructor}{TO}"],
  ])("%j gives %j", (format, result) => {
    expect(compileNickFormat(format)(values)).toBe(result);
  });

  test("a nick that contains a placeholder is not expanded", () => {
    const format = compileNickFormat("{LABEL} {NICK} {USERID} {NOPINGNICK}");
    expect(format({ ...values, nick: "{USERID}{CHANNEL}", label: "{NICK}", userid: "$1{NICK}" })).toBe(
      "{NICK} {USERID}{CHANNEL} $1{NICK} {\u200bUSERID}{CHANNEL}",
    );
  });

  test("values are never expanded, whatever they are", () => {
    const word = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom("{NICK}", "{CHANNEL}", "{", "}", "$&", "$1", "NICK", "x"), { maxLength: 4 })
        .map((list) => list.join("")),
    );
    const names = ["NICK", "BRIDGE", "PROTOCOL", "GATEWAY", "LABEL", "USERID", "CHANNEL"] as const;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names)),
        fc.array(word, { minLength: 7, maxLength: 7 }),
        (order, words) => {
          const [nick, bridge, protocol, gateway, label, userid, channel] = words as [
            string,
            string,
            string,
            string,
            string,
            string,
            string,
          ];
          const given = { nick, bridge, protocol, gateway, label, userid, channel };
          const format = compileNickFormat(order.map((name) => `{${name}}`).join("|"));
          const expected = order.map((name) => given[name.toLowerCase() as keyof NickValues]).join("|");
          expect(format(given)).toBe(expected);
        },
      ),
    );
  });
});

test.each([
  ["bob", "b\u200bob"],
  ["b", "b\u200b"],
  ["é", "é\u200b"],
  ["e\u0301va", "e\u0301\u200bva"],
  ["👩‍👩‍👧x", "👩‍👩‍👧\u200bx"],
  ["🇩🇪", "🇩🇪\u200b"],
  ["", ""],
  ["\ud83d", "\ud83d\u200b"],
])("noPing(%j)", (nick, result) => {
  expect(noPing(nick)).toBe(result);
});

test.each([
  ["bob", "bob"],
  ["b-o_b [away] é1", "bobaway1"],
  ["日本", ""],
])("stripNick(%j)", (nick, result) => {
  expect(stripNick(nick)).toBe(result);
});

test.each([
  ["https://a.example/{NICK}.png", "bob", "https://a.example/bob.png"],
  ["https://a.example/{PROTOCOL}/{BRIDGE}/{NICK}", "a b/é&?", "https://a.example/net/Libera/a%20b%2F%C3%A9%26%3F"],
  ["https://a.example/{NICK}", "{BRIDGE}", "https://a.example/%7BBRIDGE%7D"],
  ["https://a.example/{GATEWAY}", "bob", "https://a.example/{GATEWAY}"],
  ["https://a.example/{NICK}", "\ud800", "https://a.example/%EF%BF%BD"],
])("IconURL %j for %j", (template, nick, result) => {
  expect(compileIconURL(template)({ ...values, nick })).toBe(result);
});

describe("a name that shares its line with what is said", () => {
  const called = (nick: string, more: Partial<NickValues> = {}): NickValues => {
    return { nick, bridge: "b", protocol: "p", gateway: "g", label: "", userid: "u", channel: "c", ...more };
  };

  test.each([
    ["<{NICK}> ", "np> hi <alice", "<np>\u200b hi <alice> "],
    ["<{NICK}> ", "a>b", "<a>b> "],
    ["<{NICK}> ", "a>", "<a>> "],
    ["<{NICK}>", "a>b", "<a>b>"],
    ["<{NOPINGNICK}> ", "np> hi <alice", "<n\u200bp>\u200b hi <alice> "],
    ["[{PROTOCOL}] <{NICK}> ({USERID}) ", "x> (y) z", "[p] <x>\u200b (y) z> (u) "],
    ["<{NICK}{TENGO}> ", "np> hi", "<np>\u200b hi> "],
    ["{NICK}: ", "np: hi: x", "np:\u200b hi:\u200b x: "],
    ["{NICK}) ) ", "x) ", "x)\u200b ) ) "],
    ["{NICK}\u200b> ", "a\u200b> b", "a\u200b\u2060> b\u200b> "],
    ["said by {NICK}", "a", "said by a"],
  ])("%j makes %j %j", (format, nick, line) => {
    expect(compileNamePrefix(format)(called(nick))).toEqual({ shown: line });
  });

  test("ends where the format says, whatever it is called", () => {
    const letter = fc.constantFrom("a", "b", ">", " ", ":", ")", "]", "\u200b", "😀");
    const text = (minLength: number) => fc.array(letter, { minLength, maxLength: 5 }).map((all) => all.join(""));
    fc.assert(
      fc.property(
        text(0),
        text(2),
        fc.array(letter, { maxLength: 40 }),
        fc.constantFrom("NICK", "USERID", "CHANNEL"),
        (before, end, name, word) => {
          fc.pre(Array.from(end).length >= 2 && !(end.includes("\u200b") && end.includes("\u2060")));
          const given = { nick: name.join(""), userid: name.join(""), channel: name.join("") };
          const { shown: line } = compileNamePrefix(`${before}{${word}}${end}`)(called("", given));
          const shown = line.slice(before.length);
          expect(line.startsWith(before)).toBe(true);
          expect(shown.indexOf(end)).toBe(shown.length - end.length);
          const isHarmless = !(given.nick + end).slice(0, -1).includes(end);
          if (isHarmless) expect(shown).toBe(given.nick + end);
          expect(shown.replaceAll(/[\u200b\u2060]/gu, "")).toBe((given.nick + end).replaceAll(/[\u200b\u2060]/gu, ""));
        },
      ),
      { numRuns: 20_000 },
    );
  });
});
