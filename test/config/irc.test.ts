import { expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import type { Loaded } from "../../src/config/load.ts";
import { secretsOf } from "../../src/config/secrets.ts";

interface Given {
  /** Lines of `[irc.a]` beside its server and nick, and of other tables. */
  readonly account?: string;
  readonly entries?: string;
  readonly env?: Record<string, string>;
}

/** Something that runs whatever is wrong with the rest. */
const spare = `[api.left]
BindAddress = "127.0.0.1:1"
[api.right]
BindAddress = "127.0.0.1:2"
[[gateway]]
name = "spare"
enable = true
inout = [{ account = "api.left" }, { account = "api.right" }]
`;
const plain = `{ account = "irc.a", channel = "#x" }`;

function loadIrc({ account = "", entries = plain, env = {} }: Given): Loaded {
  const text = `[irc.a]\nServer = "irc.example:6667"\nNick = "relay"\n${account}\n[[gateway]]\nname = "g"\nenable = true\ninout = [${entries}]\n${spare}`;
  return load({ text, format: "toml", name: "irc.toml" }, { env, cwd: "/somewhere" });
}

function configOf(loaded: Loaded) {
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join("\n"));
  return loaded.config;
}

/** That one room alone does nothing is not what these tests are about. */
const problemsOf = ({ problems }: Loaded) => problems.filter(({ code }) => code !== "gateway-idle");
const told = (loaded: Loaded) => problemsOf(loaded).map(({ severity, code }) => `${severity} ${code}`);
const settingsOf = (given: Given) => configOf(loadIrc(given)).accounts.get("irc.a")?.settings;

test("a server and a nick are enough", () => {
  const loaded = loadIrc({});
  expect(problemsOf(loaded)).toEqual([]);
  expect(settingsOf({})).toMatchObject({ PingDelay: 60_000, MessageDelay: 1300, MessageLines: 30, RunCommands: [] });
  expect(configOf(loaded).general).toMatchObject({ maxAgeMs: 21_600_000, outageNoticeMs: 300_000 });
});

test("durations of [general] are milliseconds", () => {
  const loaded = loadIrc({ account: '[general]\nMaxAge = "1h30m"\nOutageNotice = "2s"' });
  expect(configOf(loaded).general).toMatchObject({ maxAgeMs: 5_400_000, outageNoticeMs: 2000 });
  expect(told(loadIrc({ account: '[general]\nMaxAge = "721h"\nOutageNotice = "1ms"' }))).toEqual([
    "error bad-value",
    "error bad-value",
  ]);
});

test("channels are lower case in ASCII, and two spellings are one room", () => {
  const entries = `{ account = "irc.a", channel = "#Ä-X", options = { KEY = "first" } }, { account = "irc.a", channel = "#Ä-x" }`;
  expect(configOf(loadIrc({ entries })).gateways[0]?.bridges).toEqual([
    { account: "irc.a", channel: "#Ä-x", direction: "inout", options: { key: "first" } },
  ]);
});

test.each(["x", "#a b", "#a,b", "#a\\u0007", "#a\\r\\nQUIT", `#${"x".repeat(200)}`, " #x"])(
  'no channel: "%s"',
  (channel) => {
    expect(told(loadIrc({ entries: `{ account = "irc.a", channel = "${channel}" }` }))).toEqual(["error bad-channel"]);
  },
);

test.each(["#x", "&x", "+x", "!x", "#", "##x:y", "#日本"])('a channel: "%s"', (channel) => {
  expect(told(loadIrc({ entries: `{ account = "irc.a", channel = "${channel}" }` }))).toEqual([]);
});

test("the key of a channel is a secret, and must fit into a command", () => {
  const withKey = (key: string) =>
    loadIrc({ entries: `{ account = "irc.a", channel = "#x", options = { key = "${key}" } }` });
  expect(secretsOf(configOf(withKey("hunter2")), protocols)).toEqual(["hunter2"]);
  for (const key of ["hunter2 x", "hunter2,x", "hunter2\\n", ":hunter2"]) {
    const loaded = withKey(key);
    expect(told(loaded)).toEqual(["error bad-option"]);
    expect(configOf(loaded).accounts.get("irc.a")?.down).toMatchObject({
      reason: expect.stringContaining("key") as string,
    });
    expect(JSON.stringify(loaded.problems)).not.toContain("hunter2");
  }
});

test("an unknown option is named, whatever it is called", () => {
  const entries = `{ account = "irc.a", channel = "#x", options = { constructor = "y", kye = "z" } }`;
  const messages = problemsOf(loadIrc({ entries })).map(({ code, message, remedy }) => `${code} ${message} ${remedy}`);
  expect(messages).toEqual([
    expect.stringMatching(/^ignored-option .*"constructor".*"g" $/u) as string,
    expect.stringMatching(/^ignored-option .*"kye".* did you mean key\?$/u) as string,
  ]);
});

test("each command to be run is a secret; the environment gives one per line", () => {
  const account = 'RunCommands = ["MODE {BOTNICK} +x", "OPER relay hunter2"]';
  expect(secretsOf(configOf(loadIrc({ account })), protocols)).toEqual(["MODE {BOTNICK} +x", "OPER relay hunter2"]);
  const env = { RIALTO_IRC_A_RUNCOMMANDS: "MODE {BOTNICK} +x\nOPER relay hunter2\n" };
  expect(settingsOf({ env })?.["RunCommands"]).toEqual(["MODE {BOTNICK} +x", "OPER relay hunter2"]);
});

test("what is too short to be a secret does not blind the log", () => {
  expect(secretsOf(configOf(loadIrc({ account: 'Password = "abc"' })), protocols)).toEqual([]);
});

test.each(["UserName", "RealName", "Password", "NickServNick", "NickServPassword", "NickServUsername", "Bind"])(
  "%s cannot smuggle in a command",
  (name) => {
    for (const character of ["\\r", "\\n", "\\u0000", "\\u0001"]) {
      const loaded = loadIrc({ account: `${name} = "hunter2${character}QUIT"` });
      expect(told(loaded)).toEqual(["error bad-value"]);
      expect(JSON.stringify(loaded.problems)).not.toContain("hunter2");
    }
  },
);

test("nor can a nick or a command to be run", () => {
  expect(told(loadIrc({ env: { RIALTO_IRC_A_NICK: "relay\r\nQUIT" } }))).toEqual(["error bad-value"]);
  expect(told(loadIrc({ env: { RIALTO_IRC_A_NICK: "relay 0 QUIT" } }))).toEqual(["error bad-value"]);
  expect(told(loadIrc({ account: 'RunCommands = ["MODE x", "MODE y\\r\\nQUIT"]' }))).toEqual(["error bad-value"]);
});

test("a certificate is looked for beside the file", () => {
  const account = 'UseTLS = true\nTLSClientCertificate = "keys/a.pem"';
  expect(settingsOf({ account })?.["TLSClientCertificate"]).toBe("/somewhere/keys/a.pem");
  expect(settingsOf({ account: account.replace("keys", "/keys") })?.["TLSClientCertificate"]).toBe("/keys/a.pem");
  expect(settingsOf({})?.["TLSClientCertificate"]).toBe("");
});

test("its own settings are not ignored, whatever the shared ones are", () => {
  const account = "UseTLS = true\nSkipTLSVerify = true\n[general]\nJoinDelay = 5\nMessageQueue = 3";
  const loaded = loadIrc({ account });
  expect(problemsOf(loaded).map(({ message }) => message)).toEqual([expect.stringContaining("MessageQueue") as string]);
  expect(settingsOf({ account })).toMatchObject({ SkipTLSVerify: true, JoinDelay: 5 });
});

test("what has no effect is named, also when the environment sets it", () => {
  expect(told(loadIrc({ env: { RIALTO_IRC_A_DOUBLECOLONPREFIX: "true" } }))).toEqual(["warning ignored-setting"]);
});

test("two accounts on one network want two nicks", () => {
  const other = (server: string, nick: string) => ({
    account: `[irc.b]\nServer = "${server}"\nNick = "${nick}"`,
    entries: `${plain}, { account = "irc.b", channel = "#y" }`,
  });
  expect(told(loadIrc(other("IRC.example:6667", "Relay")))).toEqual(["warning login-clash"]);
  expect(told(loadIrc(other("irc.example:6667", "relay2")))).toEqual([]);
  expect(told(loadIrc(other("irc.other:6667", "relay")))).toEqual([]);
  expect(told(loadIrc(other("irc.example:7000", "relay")))).toEqual([]);
});

test("two accounts in one room are a loop", () => {
  const other = (server: string) => ({
    account: `[irc.b]\nServer = "${server}"\nNick = "relay2"`,
    entries: `${plain}, { account = "irc.b", channel = "#X" }`,
  });
  expect(told(loadIrc(other("irc.Example:6667")))).toEqual(["warning loop"]);
  expect(told(loadIrc(other("irc.example:7000")))).toEqual([]);
});

test("settings are checked together once each of them is valid", () => {
  expect(told(loadIrc({ account: "UseSASL = true" }))).toEqual(["error bad-combination"]);
  expect(told(loadIrc({ account: "UseSASL = true\nNickServPassword = []" }))).toEqual(["error bad-value"]);
});
