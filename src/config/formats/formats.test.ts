import { describe, expect, test } from "vitest";
import { formatOf, locator, parseText } from "./pick.ts";
import type { FormatName } from "./pick.ts";
import { maxMistakes } from "./format.ts";

test("every mistake in YAML is reported on its line", () => {
  expect(problemsOf("yaml", '"q"{x|\na,').map((problem) => problem.split(" ", 1)[0])).toContain("2:2");
});

function problemsOf(format: FormatName, text: string): readonly string[] {
  const parsed = parseText(format, text);
  if (parsed.ok) return [];
  return parsed.problems.map(
    ({ line, column, message, remedy = "" }) => `${line}:${column} ${message}${remedy === "" ? "" : `; ${remedy}`}`,
  );
}

test.each([
  ["a.toml", "toml"],
  ["a.JSON", "json"],
  ["dir.json/a.yml", "yaml"],
  ["a.yaml", "yaml"],
  ["a.conf", "toml"],
  ["a", "toml"],
])("%s is read as %s", (file, format) => {
  expect(formatOf(file)).toBe(format);
});

describe("syntax", () => {
  test.each<[FormatName, string, string]>([
    ["toml", "[a]\nToken=hunter2\n", '2:7 text needs quotes; write Token = "…"'],
    ["toml", "[a]\nServer = 127.0.0.1:6667 # here\n", '2:15 text needs quotes; write Server = "…"'],
    ["toml", "[a]\nPingDelay=5m\n", '2:12 text needs quotes; write PingDelay = "…"'],
    ["toml", "[a]\nUseTLS = True\n", "2:10 true and false are written in small letters; write UseTLS = true"],
    ["toml", "[a]\nchannel = #bridge\n", '2:11 text needs quotes; write channel = "#bridge"'],
    ["toml", '[a]\nchannel = "#bridge\n', '2:19 a quote is missing at the end of this text; write channel = "#bridge"'],
    ["toml", "a = [{ channel = #b }]\n", '1:18 text needs quotes; write channel = "#b"'],
    ["toml", '[a]\nToken = "hunter2\n', '2:17 a quote is missing at the end of this text; write Token = "…"'],
    [
      "toml",
      '{"a": 1}\n',
      "1:1 the file looks like JSON, but its name makes it TOML; rename it so that it ends in .json",
    ],
    ["toml", "gateway:\n  - name: x\n", "1:1 the file looks like YAML, but its name makes it TOML"],
    ["yaml", '[api.x]\nToken = "hunter2"\n', "1:1 the file looks like TOML, but its name makes it YAML"],
    ["json", '[api.x]\nToken = "hunter2"\n', "1:1 the file looks like TOML, but its name makes it JSON"],
    ["json", "api:\n  x:\n    Token: hunter2\n", "1:1 the file looks like YAML, but its name makes it JSON"],
    [
      "toml",
      "[irc]\n[irc.a]\nx=1\n[irc]\n",
      "4:2 the table [irc] is defined twice, first on line 1; put all its keys under",
    ],
    ["toml", "a=1\na=2\n", '2:1 the key "a" is set twice in one table, first on line 1; remove one of the two'],
    ["toml", '[a]\nNick = "x"\nb=1\n"Nick"="y"\n', '4:1 the key "Nick" is set twice in one table, first on line 2'],
    [
      "toml",
      "[a]\nNick=1\n[b]\nc=1\nNick=1\nNick=2\n",
      '6:1 the key "Nick" is set twice in one table, first on line 5',
    ],
    ["toml", "a = {b=1, b=2}\n", '1:11 the key "b" is set twice in one table; remove one of the two'],
    ["toml", "Nick = “x”\n", '1:8 “ ” are not quotes here; use "…", as in Nick = "…"'],
    ["toml", "Nick = ‘x’\n", '1:8 “ ” are not quotes here; use "…", as in Nick = "…"'],
    ["toml", "a = [„hunter2“]\n", '1:6 “ ” are not quotes here; use "…"'],
    ["toml", '“Nick” = "hunter2"\n', '1:1 “ ” are not quotes here; use "…"'],
    [
      "toml",
      "[irc.büro]\n",
      '1:7 not valid TOML: a name without quotes only has letters from A to Z, digits, - and _; write [irc."büro"]',
    ],
    ["toml", "[irc.my server]\n", '; write [irc."my server"]'],
    ["toml", "[büro]\n", '; write ["büro"]'],
    ["toml", "größe = 1\n", "; put the name in quotes"],
    ["toml", "[a]\nhunter2\n", '2:8 not valid TOML: this key has no value; write it as in Nick = "…"'],
    [
      "toml",
      '[a]\nToken "hunter2"\n',
      "2:7 not valid TOML: = is missing between this key and its value; write it as in Nick",
    ],
    ["toml", "[a]\nBuffer 10\n", "= is missing between this key and its value"],
    ["toml", '[a]\nToken: "hunter2"\n', "= is missing between this key and its value"],
    ["toml", '[a]\nToken: "hunter2="\n', "= is missing between this key and its value"],
    ["toml", "[a]\nToken =\n", '2:8 this key has no value; write Token = "…"'],
    [
      "toml",
      '[a\nToken = "hunter2"\n',
      "1:3 not valid TOML: ] is missing at the end of this line; write it as in [irc.libera]",
    ],
    [
      "toml",
      '[[a]\nToken = "hunter2"\n',
      "not valid TOML: ]] is missing at the end of this line; write it as in [[gateway]]",
    ],
    ["toml", 'a = [{ b = "hunter2" c = 1 }]\n', "1:22 not valid TOML: a comma is missing before this, or a bracket"],
    ["toml", 'a = ["hunter2"\nb = 1\n', "2:1 not valid TOML: a comma is missing before this, or a bracket"],
    ["toml", 'Token = "C:\\hunter2"\n', "not valid TOML: in double quotes, \\ and what follows it stand for another"],
    ["toml", 'Token = "C:\\uhunter2"\n', "; write \\\\ for each \\, or put the text in single quotes"],
    [
      "toml",
      "Token = 'it's hunter2'\n",
      "1:13 not valid TOML: only a comment may follow here; write each setting on a line",
    ],
    [
      "toml",
      "[a]\nb = {\n",
      "3:1 not valid TOML: a key without a value stands before this, or a list or table has no end; write",
    ],
    [
      "toml",
      "[[g.inout]]\na = 1\n[[g]]\nb = 1\n",
      "3:3 [[g]] stands below [[g.inout]] on line 1, which is a part of it; move [[g]] and its keys above that line",
    ],
    [
      "toml",
      "[gateway]\n[gateway]\n",
      "2:2 the table [gateway] is defined twice, first on line 1; write [[gateway]] for each of them",
    ],
    [
      "toml",
      "<!DOCTYPE html>\n<html>hunter2",
      "1:1 the file is a web page, not a configuration; download the file itself",
    ],
    ["toml", "[irc.@hunter2]\n", "; put the name in quotes"],
    ["toml", 'a = """x\n', "1:5 not valid TOML"],
    ["toml", "[[g]]\n[g]\n", "2:2 the table [g] is defined twice; put all its keys under one header"],
    ["yaml", "a: 1\na: 2\n", '2:1 the key "a" is set twice in one table, first on line 1; remove one of the two'],
    ["yaml", "x:\n  - {a: 1, b: 2, a: 3}\n", '2:18 the key "a" is set twice in one table, first on line 2'],
    ["yaml", "\ta: 1\n", "1:1 not valid YAML: indent with spaces"],
    ["yaml", "a: *nobody\n", "1:1 not valid YAML: an alias"],
    ["yaml", "a: 'x' hunter2\n", "1:8 not valid YAML: this does not belong here"],
    ["json", '{"a": 1,}', "1:9 not valid JSON: a key in double quotes expected"],
    ["json", '{\n  // hunter2\n  "a": 1}', "2:3 not valid JSON: comments are not allowed"],
    ["json", "{'a': 'hunter2'}", "1:2 not valid JSON: text needs double quotes"],
    ["json", '{"a": {"b": 1, "b": 2}}', '1:16 the key "b" is set twice in one table, first on line 1'],
    ["json", "{“a”: 1}", '1:2 “ ” are not quotes here; use "…"'],
  ])("%s %j", (format, text, expected) => {
    expect(problemsOf(format, text)[0]).toContain(expected);
    expect(problemsOf(format, text).join("\n")).not.toContain("hunter2");
  });

  test("nesting without end is an answer, not a crash", () => {
    expect(problemsOf("json", "[".repeat(200_000))[0]).toContain("1:1 lists or tables are nested too deeply");
    expect(problemsOf("yaml", "[".repeat(20_000)).length).toBeGreaterThan(0);
    expect(problemsOf("toml", `a=${"[".repeat(20_000)}`)).toHaveLength(1);
  });

  test("TOML continues after a name that is no name, and after quotes of a word processor", () => {
    const text = "[irc.büro]\nNick = “x”\n[irc.zwei]\nPingDelay=5m\n";
    expect(problemsOf("toml", text).map((line) => line.split(" ", 1)[0])).toEqual(["1:7", "2:8", "4:12"]);
  });

  // With a regular expression of quadratic run time, one of these takes minutes.
  test.each(Array.from("a-1 =[]{}\"'#,."))("a line of 100 000 times %j is read", (sign) => {
    const long = sign.repeat(100_000);
    for (const text of [long, `x = ${long}`, `x = "${long}\n`, `[${long}`])
      expect(problemsOf("toml", text).length).toBeLessThanOrEqual(maxMistakes);
    expect(problemsOf("yaml", `x: ${long}`).length).toBeLessThanOrEqual(maxMistakes);
    expect(problemsOf("json", `{"x": ${long}}`).length).toBeLessThanOrEqual(1);
  });

  test("mistakes beyond the first twenty are not looked for", () => {
    expect(problemsOf("yaml", "]\n".repeat(1_000))).toHaveLength(maxMistakes);
    expect(problemsOf("yaml", "a: 1\n".repeat(1_000))).toHaveLength(maxMistakes);
    expect(problemsOf("json", `{${'"a": 1,'.repeat(1_000)}"a": 1}`)).toHaveLength(maxMistakes);
    expect(problemsOf("toml", "a = 1\n".repeat(1_000))).toHaveLength(maxMistakes);
  });

  test("TOML continues after a mistake that can be fixed in one line", () => {
    const text = '[api.x]\nToken=abc\na=1\na=2\n[irc]\nNick=bot # x\n[irc]\n[irc]\nb="\nc=d\n';
    expect(problemsOf("toml", text).map((line) => line.split(" ", 1)[0])).toEqual([
      "2:7",
      "4:1",
      "6:6",
      "7:2",
      "8:2",
      "9:4",
      "10:3",
    ]);
  });

  test("a mistake that cannot be fixed is named once", () => {
    expect(problemsOf("toml", "a = [\n")).toHaveLength(1);
    expect(problemsOf("toml", "a = 1\na = [1,\n2]\n")).toHaveLength(1);
  });
});

describe("places", () => {
  const toml = `[api.left]
Buffer = 1
[[gateway]]
  inout = [{ account = "a", options = { key = "k" } }]
  [[gateway.out]]
  account = "b"
[[gateway]]
name = "two"
`;
  const yaml = `api:
  left:
    Buffer: 1
gateway:
  - name: one
    out:
      - {account: b}
  - &two
    name: two
  - *two
`;
  const json = `{"api": {"left":
  {"Buffer": 1}},
  "gateway": [{"name": "one"}, {"name": "two"}]}`;

  test.each<[FormatName, string, (string | number)[], "key" | "value", string]>([
    ["toml", toml, ["api", "left"], "key", "1:2"],
    ["toml", toml, ["api", "left", "Buffer"], "key", "2:1"],
    ["toml", toml, ["api", "left", "Buffer"], "value", "2:10"],
    ["toml", toml, ["api", "left", "Missing"], "value", "1:2"],
    ["toml", toml, ["gateway", 0, "inout", 0, "account"], "value", "4:24"],
    ["toml", toml, ["gateway", 0, "inout", 0, "options", "key"], "value", "4:47"],
    ["toml", toml, ["gateway", 0, "out", 0, "account"], "key", "6:3"],
    ["toml", toml, ["gateway", 1], "key", "7:3"],
    ["toml", toml, ["gateway", 1, "name"], "value", "8:8"],
    ["toml", toml, ["nothing"], "key", "1:1"],
    ["yaml", yaml, ["api", "left", "Buffer"], "value", "3:13"],
    ["yaml", yaml, ["gateway", 0, "out", 0, "account"], "key", "7:10"],
    ["yaml", yaml, ["gateway", 1, "name"], "value", "9:11"],
    ["yaml", yaml, ["gateway", 2, "name"], "value", "10:5"],
    ["json", json, ["api", "left", "Buffer"], "key", "2:4"],
    ["json", json, ["api", "left", "Buffer"], "value", "2:14"],
    ["json", json, ["gateway", 1, "name"], "value", "3:41"],
    ["json", json, ["gateway", 1], "key", "3:32"],
  ])("%s %#", (format, text, path, at, expected) => {
    const parsed = parseText(format, text);
    if (!parsed.ok) throw new Error("the sample cannot be read");
    const { line, column } = locator(parsed)(path, at);
    expect(`${line}:${column}`).toBe(expected);
  });
});
