import * as fc from "../../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { formatLine, parseLine, parseSource, rawLine } from "./wire.ts";

describe("parseLine", () => {
  test.each([
    ["PING :tok en", null, "PING", ["tok en"]],
    [":irc.test.local 001 bot :Welcome", "irc.test.local", "001", ["bot", "Welcome"]],
    [":a!u@h PRIVMSG #c :hi  there ", "a", "PRIVMSG", ["#c", "hi  there "]],
    [":a!u@h PRIVMSG #c hi", "a", "PRIVMSG", ["#c", "hi"]],
    [":a!u@h   privmsg   #c   :x", "a", "PRIVMSG", ["#c", "x"]],
    [":a!u@h JOIN #c ", "a", "JOIN", ["#c"]],
    ["TOPIC #c :", null, "TOPIC", ["#c", ""]],
    [":a PRIVMSG #c ::)", "a", "PRIVMSG", ["#c", ":)"]],
    [":a MODE #c +o-v a:b c", "a", "MODE", ["#c", "+o-v", "a:b", "c"]],
    ["  PING x", null, "PING", ["x"]],
    ["QUIT", null, "QUIT", []],
    [`X ${"p ".repeat(40)}`, null, "X", Array.from({ length: 40 }, () => "p")],
  ])("%j", (text, nick, command, params) => {
    const line = parseLine(text);
    expect(line).toMatchObject({ command, params });
    expect(line?.source?.nick ?? null).toBe(nick);
  });

  test("tags, source and command", () => {
    expect(parseLine("@msgid=x;time  :a!u@h  PRIVMSG #c :t")).toStrictEqual({
      tags: new Map([
        ["msgid", "x"],
        ["time", ""],
      ]),
      source: { nick: "a", user: "u", host: "h" },
      command: "PRIVMSG",
      params: ["#c", "t"],
    });
  });

  test.each(["", " ", ":", ":a", ":a ", "@a=b", "@a=b :c", "@", "12 x", "1234 x", "PRIV-MSG x", "\0", ": :x"])(
    "nothing in %j",
    (text) => {
      expect(parseLine(text)).toBeNull();
    },
  );

  test("no text makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseLine(text)));
  });
});

describe("parseSource", () => {
  test.each([
    ["a!u@h", "a", "u", "h"],
    ["a@h", "a", "", "h"],
    ["a!u", "a", "u", ""],
    ["irc.test.local", "irc.test.local", "", ""],
    ["a!u@v@w", "a", "u", "v@w"],
    ["", "", "", ""],
  ])("%s", (text, nick, user, host) => {
    expect(parseSource(text)).toStrictEqual({ nick, user, host });
  });
});

describe("formatLine", () => {
  test.each([
    ["JOIN", ["#c", "key"], "JOIN #c key"],
    ["PRIVMSG", ["#c", "a b"], "PRIVMSG #c :a b"],
    ["PRIVMSG", ["#c", ":)"], "PRIVMSG #c ::)"],
    ["TOPIC", ["#c", ""], "TOPIC #c :"],
    ["QUIT", [], "QUIT"],
    ["PRIVMSG", ["#c", "a\r\nQUIT\0b"], "PRIVMSG #c :a  QUIT b"],
    ["NICK", ["a\nb"], "NICK :a b"],
    // Before the last parameter such a thing is refused: it would be another line or other parameters.
    ["PRIVMSG", ["#c\r\nQUIT", "x"], null],
    ["PRIVMSG", ["#c x", "y"], null],
    ["PRIVMSG", [":c", "y"], null],
    ["PRIVMSG", ["", "y"], null],
    ["PRIVMSG x", ["y"], null],
    ["QUIT\n", [], null],
    ["", [], null],
    ["X", Array.from({ length: 16 }, () => "p"), null],
  ])("%s %j", (command, params, line) => {
    expect(formatLine(command, params)).toBe(line);
  });

  test("tags", () => {
    expect(formatLine("TAGMSG", ["#c"], new Map([["+a/b", "x y"]]))).toBe(String.raw`@+a/b=x\sy TAGMSG #c`);
    expect(formatLine("TAGMSG", ["#c"], new Map([["a b", ""]]))).toBeNull();
  });

  test("what it writes is one line, and is read back as it was meant", () => {
    const param = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(":", " ", "\r", "\n", "\0", "a") }),
    );
    fc.assert(
      fc.property(
        fc.array(param, { maxLength: 5 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), param),
        (params, tags) => {
          const line = formatLine("PRIVMSG", params, new Map(Object.entries(tags)));
          if (line === null) return;
          expect(line).not.toMatch(/[\r\n\0]/);
          const back = parseLine(line);
          expect(back?.command).toBe("PRIVMSG");
          expect(back?.params).toStrictEqual(params.map((text) => text.replaceAll(/[\r\n\0]/g, " ")));
        },
      ),
    );
  });
});

describe("rawLine", () => {
  test.each([
    ["MODE a +x", "MODE a +x"],
    [" OPER a\r\nQUIT\0 ", "OPER a  QUIT"],
    ["\r\n", null],
  ])("%j", (text, line) => {
    expect(rawLine(text)).toBe(line);
  });
});
