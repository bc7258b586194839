import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";

interface Given {
  readonly general?: string;
  readonly irc?: string;
  readonly api?: string;
  readonly env?: Record<string, string>;
}

const line = (format: string | undefined): string => (format === undefined ? "" : `RemoteNickFormat = "${format}"\n`);

function formatsOf({ general, irc, api, env = {} }: Given) {
  const text = `[general]
${line(general)}[irc.a]
Server = "irc.example:6667"
Nick = "relay"
${line(irc)}[api.b]
BindAddress = "127.0.0.1:1"
${line(api)}[[gateway]]
name = "g"
enable = true
inout = [{ account = "irc.a", channel = "#x" }, { account = "api.b" }]
`;
  const loaded = load({ text, format: "toml", name: "x.toml" }, { env, cwd: "/" });
  if (!loaded.ok) throw new Error("the configuration cannot be started");
  const shown = (key: string) => loaded.config.accounts.get(key)?.presentation.remoteNickFormat;
  return {
    irc: shown("irc.a"),
    api: shown("api.b"),
    problems: loaded.problems.map(({ severity, line: at, column, message, remedy }) => {
      return `${severity} ${at}:${column} ${message}; ${remedy}`;
    }),
  };
}

const IRC_DEFAULT = "[{PROTOCOL}] <{NICK}> ";
const lacksName = (where: string): string =>
  `{TENGO} in RemoteNickFormat of ${where} stays empty: scripts do not run; the default is used, because no name would be shown; write {NICK} instead`;

test.each(["{TENGO}", "<{TENGO}> ", "[{PROTOCOL}] {TENGO}", "{TENGO}{TENGO}", "{BRIDGE}/{CHANNEL} {LABEL}{TENGO}"])(
  "with %s, the default format is used and its line is named",
  (format) => {
    expect(formatsOf({ irc: format })).toEqual({
      irc: IRC_DEFAULT,
      api: "{NICK}",
      problems: [`warning 5:20 ${lacksName("irc.a")}`],
    });
  },
);

test("an account of the API has a default of its own", () => {
  expect(formatsOf({ api: "{TENGO}" })).toEqual({
    irc: IRC_DEFAULT,
    api: "{NICK}",
    problems: [`warning 7:20 ${lacksName("api.b")}`],
  });
});

test("accounts that inherit {TENGO} from [general] use their defaults, and its line is named once", () => {
  expect(formatsOf({ general: "{TENGO}" })).toEqual({
    irc: IRC_DEFAULT,
    api: "{NICK}",
    problems: [`warning 2:20 ${lacksName("[general]")}`],
  });
});

test.each(["RIALTO_IRC_A_REMOTENICKFORMAT", "MATTERBRIDGE_IRC_A_REMOTENICKFORMAT"])("{TENGO} in %s", (name) => {
  expect(formatsOf({ env: { [name]: "{TENGO}" } })).toEqual({
    irc: IRC_DEFAULT,
    api: "{NICK}",
    problems: [`warning 0:0 ${name}: ${lacksName("irc.a")}`],
  });
});

test.each(["{NICK}{TENGO}: ", "{TENGO}{NOPINGNICK} ", "{USERID} {TENGO}"])("%s shows a name and is kept", (format) => {
  expect(formatsOf({ irc: format })).toEqual({
    irc: format,
    api: "{NICK}",
    problems: ["warning 5:20 {TENGO} in RemoteNickFormat of irc.a stays empty: scripts do not run; remove {TENGO}"],
  });
});

test.each(["", " ", "  \u200b"])("the format %j shows nothing, and its default is used", (format) => {
  const said = (where: string, name: string): string =>
    `warning ${where} RemoteNickFormat of ${name} shows no name; the default is used; write {NICK}, or remove the setting`;
  expect(formatsOf({ irc: format, api: format })).toEqual({
    irc: IRC_DEFAULT,
    api: "{NICK}",
    problems: [said("5:20", "irc.a"), said("8:20", "api.b")],
  });
});

test("a format of labels alone names the accounts that have none", () => {
  expect(formatsOf({ irc: "{LABEL}: ", api: "{LABEL}{NICK}" }).problems).toEqual([]);
  expect(formatsOf({ irc: " {LABEL} " }).problems).toEqual([
    "warning 5:20 RemoteNickFormat of irc.a shows only {LABEL}, and there is no Label for senders from api.b; the default is used for them; write {NICK} into RemoteNickFormat, or give these accounts a Label",
  ]);
});

test.each(["[{PROTOCOL}] ", "* "])("the format %j, which shows no name on purpose, is kept", (format) => {
  expect(formatsOf({ irc: format })).toEqual({ irc: format, api: "{NICK}", problems: [] });
});

test.each([
  ["[general]", "HTMLNick", "HTMLNick"],
  ["[general]", "htmlnick", "HTMLNick"],
  ["[telegram.c]", "markdownv2", "MarkdownV2"],
  ["[telegram.c]", "", ""],
])("MessageFormat under %s as %j", (table, written, MessageFormat) => {
  const text = `[telegram.c]
Token = "123456789:AAF-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
[general]
[api.b]
BindAddress = "127.0.0.1:1"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "telegram.c", channel = "-5" }, { account = "api.b" }]
`.replace(table, `${table}\nMessageFormat = "${written}"`);
  const loaded = load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
  expect(loaded).toMatchObject({ ok: true, problems: [] });
  expect(loaded.ok && loaded.config.accounts.get("telegram.c")?.settings).toMatchObject({ MessageFormat });
});
