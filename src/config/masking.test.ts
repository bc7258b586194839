import { describe, expect, test } from "vitest";
import * as fc from "../../test/support/property.ts";
import { protocols } from "../adapters/registry.ts";
import type { FormatName } from "./formats/pick.ts";
import { type KeptSecret, maskSecrets, unmaskSecrets } from "./masking.ts";
import { secretNamesOf } from "./secret-names.ts";

const key = Buffer.from("a key of the test");
const names = secretNamesOf(protocols);

const TOML = `# the bridge
[irc.libera]\r
Server = "irc.libera.chat:6697"\r
NickServPassword = "hunter2hunter2"  # Password="old-one"
Password='it''s'
#Token = "commented-out"
RunCommands = ["PRIVMSG x :identify s3cret", "MODE y"]

[api.left]
BindAddress = "127.0.0.1:4242"
Token = """
two
lines"""

[mattermost.team]
Server = "https://ann:pa55@chat.example.org/x"

[[gateway]]
name = "lobby"
enable = true
inout = [{ account = "irc.libera", channel = "#a", options = { key = "joinme" } }]
`.replace("Password='it''s'", "Password='its'");

const SECRETS = ["hunter2hunter2", "old-one", "its'", "commented-out", "identify", "two", "lines", "pa55", "joinme"];

/** A comment, and what of it is a secret; as it is written behind a mark in each format. */
const COMMENTS: readonly (readonly [comment: string, ...secrets: string[]])[] = [
  ["Password: two words", "two words"],
  ["Password = two words", "two words"],
  ["password => two words", "two words"],
  ["Password := two words", "two words"],
  ["password -> two words", "two words"],
  ["Password - two words", "two words"],
  ["Password – two words", "two words"],
  ["Password | two words", "two words"],
  ["Passwrod: two words", "two words"],
  ["`Password`: two words", "two words"],
  ["the token: put it below", "put it below"],
  ["password of libera (old): two words", "two words"],
  ["API key: two words", "two words"],
  ["pwd: two words", "two words"],
  ["the pass phrase is: two words", "two words"],
  ["password hunter", "hunter"],
  ["the old password was hunter", "hunter"],
  ["password hunter22 until May", "hunter22"],
  ["hunter22 is the old password", "hunter22"],
  ['the password is "two words" now', "two words"],
  ["Password: 'one two', Token: three four", "one two", "three four"],
  ["Password:\n  two words\n  more words", "two words", "more words"],
  ["Password: |\n  two words", "two words"],
  ["Tokens:\n- first one\n- second one", "first one", "second one"],
  ["password:\nhunter", "hunter"],
  ["Password\ncorrecthorse", "correcthorse"],
  ["Password: **correcthorse**", "correcthorse"],
  [`the password ${"of the bot ".repeat(20)}: two words`, "two words"],
  ["password: two words\nit was two words", "two words"],
  ['Token = """\ntwo words\nmore words"""', "two words", "more words"],
  ['RunCommands = [\n"two words",\n"more words"\n]', "two words", "more words"],
];

describe("secrets are not shown", () => {
  test.each<[FormatName, string, readonly string[]]>([
    ["toml", TOML, SECRETS],
    ["toml", '[irc.a]\nPassword = "hunter2\nServer = "x"\n', ["hunter2"]],
    ["toml", '[irc.a]\nPassword = """\nhunter2\nmore\n', ["hunter2", "more"]],
    ["toml", "[irc.a]\nPassword = hunter2 # no quotes\n", ["hunter2"]],
    ["toml", 'irc.a.Password = "hunter2"\n', ["hunter2"]],
    ["toml", 'irc = { a = { "pass\\u0077ord" = "hunter2" } }\n', ["hunter2"]],
    ["toml", '[irc.a]\nPasswrod = "hunter2"\n', ["hunter2"]],
    ["toml", "[irc.a]\nPASSWORD = 4711\n", ["4711"]],
    ["toml", '[keybase.a]\nPaperKeyToken = "hunter2"\n', ["hunter2"]],
    ["toml", '[irc.a]\nPassword = "hunter22"\n# it was hunter22 before\n', ["hunter22"]],
    ["toml", '[irc.a]\nPassword = "hunter\\u0032two"\n# it was hunter2two\n', ["hunter2two", "u0032"]],
    ["toml", '[general]\nAdminToken = "hunter2"\n', ["hunter2"]],
    ["yaml", "irc:\n  a:\n    Password: hunter2\n    # Token: 'before'\n", ["hunter2", "before"]],
    ["yaml", "irc:\n  a:\n    Password: |\n      hunter2\n      more\n    Nick: x\n", ["hunter2", "more"]],
    ["yaml", "irc:\n  a:\n    Password: |\n      hunter2\n   bad: [\n", ["hunter2"]],
    ["yaml", "x: &pw hunter2\nirc:\n  a:\n    Password: *pw\n", ["hunter2"]],
    ["yaml", "irc: {a: {Password: 'hun''ter2', Nick: b}}\n", ["hun''ter2"]],
    ["yaml", "b: &b {Password: hunter2}\nirc:\n  a:\n    <<: *b\n", ["hunter2"]],
    ["toml", "# old password: hunter2\n", ["hunter2"]],
    ["yaml", "# the token = hunter2\n", ["hunter2"]],
    ...COMMENTS.flatMap(([comment, ...secrets]): [FormatName, string, readonly string[]][] => [
      ["toml", `[irc.a]\n${comment.replace(/^/gmu, "# ")}\nNick = "x" # ${comment.split("\n")[0] ?? ""}\n`, secrets],
      ["toml", `[irc.a]\n${comment.replace(/^/gmu, "#")}\nNick = \n`, secrets],
      ["yaml", `irc:\n${comment.replace(/^/gmu, "    # ")}\r\n    a: {Nick: x}\n`, secrets],
      ["json", `{\n${comment.replace(/^/gmu, "  // ")}\n "irc": {}}\n`, secrets],
    ]),
    ["json", '{"//": "Password: two words", "irc": {"a": {"_note": "token = old one"}}}', ["two words", "old one"]],
    ["yaml", "note: |\n  the bot\n  Password: two words\nirc: {}\n", ["two words"]],
    ["toml", '[mattermost.a]\nServer = "chat.example.org/x?a=b&token=hunter2"\n', ["hunter2"]],
    ["toml", '[mattermost.a]\nServer = "https://u:hunter2@h\n', ["hunter2"]],
    ["json", '{"irc": {"a": {"Password": "hunter2"}}}', ["hunter2"]],
    ["json", '{"irc": {"a": {"Password": "hunter2", }}}', ["hunter2"]],
    ["json", '{"irc": {"a": {"RunCommands": ["hunter2", "x"]}}}', ["hunter2"]],
  ])("%s %j", (format, text, secrets) => {
    const masked = maskSecrets(text, { format, names, key });
    for (const secret of secrets) expect(masked.text).not.toContain(secret);
    expect(masked.text.split("\n")).toHaveLength(text.split("\n").length);
    const back = unmaskSecrets(masked.text, (mask) => masked.kept.get(mask) ?? null, { format, names });
    expect(back).toMatchObject({ text, faults: [] });
  });

  test("what was commented out may be put to use again", () => {
    const file = "[irc.a]\n#Password = \"two words\"\n#Token = 'one'\n";
    const masked = maskSecrets(file, { format: "toml", names, key });
    const edited = masked.text.replaceAll("#", "");
    expect(unmaskSecrets(edited, (mask) => masked.kept.get(mask) ?? null, toml)).toMatchObject({
      text: file.replaceAll("#", ""),
      faults: [],
    });
  });

  test.each([
    "# NickServ password of bot rialto-2024",
    "# Token telegram",
    '# the password of "telegram"',
    "# Password: telegram\n# Token = rialto-2024",
    "# https://u:rialto-2024@h",
  ])("what only the comment %j tells masks no value, so the comment can go", (comment) => {
    const file = '[irc.rialto-2024]\nNick = "rialto-2024"\n[telegram.x]\nRemoteNickFormat = "telegram" # telegram\n';
    const masked = maskSecrets(`${comment}\n${file}`, { ...toml, key });
    expect(masked.text).toMatch(/^# .*<kept:/u);
    const rest = masked.text.split("\n").slice(comment.split("\n").length).join("\n");
    expect(rest.replace(/# <kept:[0-9a-f]+>/u, "# telegram")).toBe(file);
    const { faults } = unmaskSecrets(rest.replace(/ #.*/u, ""), (mask) => masked.kept.get(mask) ?? null, toml);
    expect(faults).toEqual([]);
  });

  test("what is no secret stands as it is", () => {
    const { text } = maskSecrets(TOML, { format: "toml", names, key });
    for (const shown of ["irc.libera.chat:6697", "# the bridge", "127.0.0.1:4242", 'name = "lobby"', "ann:<kept:"])
      expect(text).toContain(shown);
    expect(text.match(/<kept:/gu)).toHaveLength(10);
  });

  test.each<[FormatName, string]>([
    [
      "toml",
      '[irc.password]\nServer = "a:1"\nUseTLS = true\nPassword = ""\n# Put the token into it.\n# Password:\n# Nick = "y"\n# passed on\n',
    ],
    ["yaml", "irc:\n  token:\n    Server: a:1\n    Password:\n"],
    ["toml", "# Passwords\n# ---------\n# How to get a token\n#   - open the page\n# Your password\n# may be short.\n"],
  ])("nothing of %j is masked", (format, text) => {
    expect(maskSecrets(text, { format, names, key }).text).toBe(text);
  });
});

const toml = { format: "toml", names } as const;

describe("editing", () => {
  const { text, kept } = maskSecrets('[irc.a]\nPassword = "hunter2hunter2"\nNick = "x"\n', { ...toml, key });
  const mask = [...kept.keys()][0] ?? "";
  const keptOf = (each: string): KeptSecret | null => kept.get(each) ?? null;
  const faultsOf = (edited: string) =>
    unmaskSecrets(edited, keptOf, toml).faults.map(({ line, column, message }) => [line, column, message]);

  test("a mask may move to another place of a secret, and a changed one is the new secret", () => {
    expect(unmaskSecrets(`[xmpp.b]\n# new\nPassword = '${mask}'\n`, keptOf, toml)).toMatchObject({
      text: "[xmpp.b]\n# new\nPassword = 'hunter2hunter2'\n",
      faults: [],
    });
    expect(unmaskSecrets(text.replace(mask, "new one"), keptOf, toml).text).toContain('Password = "new one"');
  });

  test.each([
    ["[irc.a]\nPassword = '<kept:0123456789>'\n", 2, 13, "no secret that Rialto knows"],
    ["[irc.a]\nPassword = '<kept:01'\n", 2, 13, "no secret that Rialto knows"],
    [`[irc.a]\nNick = "${mask}"\n`, 2, 9, "only be the whole value"],
    [`[irc.a]\nPassword = "${mask}x"\n`, 2, 13, "only be the whole value"],
    [`[irc.${mask}]\nNick = "x"\n`, 1, 6, "only be the whole value"],
    [`[irc.a]\nNick = "x" # ${mask}\n`, 2, 14, "only be the whole value"],
    [`[irc.a]\nPassword = "${mask}"\nNick = "${mask}"\n`, 3, 9, "only be the whole value"],
  ])("%j has a fault", (edited, line, column, message) => {
    expect(faultsOf(edited)).toEqual([[line, column, expect.stringContaining(message)]]);
  });

  test.each([
    `[general]\nRemoteNickFormat = "http://x:${mask}@y {NICK}"\n`,
    `[irc.a]\nServer = "http://x/?token=${mask}"\n`,
  ])("%j would show the secret in an address", (edited) => {
    expect(faultsOf(edited)).toEqual([[2, expect.any(Number), expect.stringContaining("stand where it stood")]]);
  });

  test("the secret of an address stays in the setting that it was in", () => {
    const file = '[mattermost.a]\nServer = "https://u:hunter2@h"\n';
    const masked = maskSecrets(file, { ...toml, key });
    const keptHere = (each: string): KeptSecret | null => masked.kept.get(each) ?? null;
    expect(unmaskSecrets(masked.text.replace("u:", "v:"), keptHere, toml)).toMatchObject({ faults: [] });
    expect(unmaskSecrets(masked.text.replace("Server", "Label"), keptHere, toml).faults).toHaveLength(1);
  });

  test("a mask may not be referred to from where it would be seen", () => {
    const rules = { format: "yaml", names } as const;
    const masked = maskSecrets("irc:\n  a:\n    Password: hunter2hunter2\n", { ...rules, key });
    const edited = masked.text.replace("Password: ", "Password: &a ") + "    Nick: *a\n";
    expect(unmaskSecrets(edited, (each) => masked.kept.get(each) ?? null, rules).faults).toHaveLength(1);
  });

  test("offsets behind a secret are told as the text shows them", () => {
    const shown = `[irc.a]\nPassword = "${mask}" # and Oops\n`;
    const { text: real, shownAt } = unmaskSecrets(shown, keptOf, toml);
    expect(shownAt(real.indexOf("Oops"))).toBe(shown.indexOf("Oops"));
    expect(shownAt(real.indexOf("nter2h"))).toBe(shown.indexOf(mask));
    expect(shownAt(3)).toBe(3);
  });

  test("what looks like a mask in the file comes back", () => {
    const file = '[irc.a]\nNick = "<kept:0123456789>"\n# <kept:\n';
    const masked = maskSecrets(file, { ...toml, key });
    expect(unmaskSecrets(masked.text, (each) => masked.kept.get(each) ?? null, toml)).toMatchObject({
      text: file,
      faults: [],
    });
  });
});

test("a text that is made to be slow is not", { timeout: 20_000 }, () => {
  const texts: readonly (readonly [FormatName, string])[] = [
    ["toml", `# ${"a".repeat(128 * 1024)}`],
    ["toml", `# ${"Token = 'x' ".repeat(3000)}`],
    ["toml", `# ${"Token = x ".repeat(10_000)}`],
    ["toml", '#Token = """\n#Token = [\n# Token:\n'.repeat(2000)],
    ["json", "// pass word ".repeat(5000)],
    ["toml", `# ${"the token ".repeat(20_000)}`],
    [
      "yaml",
      Array.from(
        "abcdefg",
        (name, at) => `${name}: &${name} [${`${at === 0 ? "x" : `*${"abcdefg"[at - 1]}`},`.repeat(20)}]\n`,
      ).join(""),
    ],
  ];
  for (const [format, text] of texts) expect(maskSecrets(text, { format, names, key }).text).not.toBe("");
});

const quotable = fc.string({ minLength: 1, maxLength: 20, unit: "binary" }).filter((each) => each.isWellFormed());
const written: Readonly<Record<FormatName, (key: string, value: string) => string>> = {
  toml: (name, value) => `[irc.a]\r\n${name} = ${JSON.stringify(value).replaceAll("\u007F", "\\u007F")}`,
  yaml: (name, value) => `irc:\n  a:\n    ${name}: ${JSON.stringify(value)}`,
  json: (name, value) => `{"irc": {"a": {"${name}": ${JSON.stringify(value)}}}}`,
};

test("whatever a secret is, it is not shown and comes back byte for byte", () => {
  const formats = fc.constantFrom<FormatName>("toml", "yaml", "json");
  const keys = fc.constantFrom("Password", "TOKEN", "NickServPassword", "runcommands");
  fc.assert(
    fc.property(formats, keys, quotable, (format, name, secret) => {
      const text = written[format](name, secret);
      const masked = maskSecrets(text, { format, names, key });
      const inner = JSON.stringify(secret).slice(1, -1).trim();
      if (inner.length >= 8) expect(masked.text).not.toContain(inner);
      const back = unmaskSecrets(masked.text, (mask) => masked.kept.get(mask) ?? null, { format, names });
      expect(back).toMatchObject({ text, faults: [] });
    }),
    { numRuns: 2000 },
  );
});

test("any text comes back, also one that no format reads", () => {
  const word = fc.constantFrom(
    "Password",
    "Token",
    "=",
    ":",
    '"',
    "'",
    '"""',
    "[",
    "]",
    "{",
    "}",
    "\n",
    "\r\n",
    " ",
    "  ",
    "#",
    "|",
    "&a",
    "*a",
    "irc",
    ".",
    "a",
    "hunter22",
    "<kept:",
    "<kept:0123456789>",
    "https://u:",
    "@h/",
    "\\",
    ",",
    "-",
    "é",
    "\u{1F600}",
  );
  fc.assert(
    fc.property(
      fc.constantFrom<FormatName>("toml", "yaml", "json"),
      fc.array(word, { maxLength: 40 }),
      (format, words) => {
        const text = words.join("");
        const masked = maskSecrets(text, { format, names, key });
        const back = unmaskSecrets(masked.text, (mask) => masked.kept.get(mask) ?? null, { format, names });
        expect(back).toMatchObject({ text, faults: [] });
      },
    ),
    { numRuns: 3000 },
  );
});
