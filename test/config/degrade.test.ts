import { describe, expect, test } from "vitest";
import { protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import type { Config } from "../../src/config/config.ts";
import type { Loaded } from "../../src/config/load.ts";
import { sharedSchema } from "../../src/config/presentation.ts";
import { protects } from "../../src/config/settings.ts";

interface Given {
  /** Lines of `[general]`, `[irc.x]` and `[api.left]`, and of the entry of irc.x. */
  readonly general?: string;
  readonly irc?: string;
  readonly left?: string;
  readonly entry?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Three accounts in one gateway. */
function loadWith({ general = "", irc = "", left = "", entry = 'channel = "#x"', env = {} }: Given): Loaded {
  const nick = /^nick *=/imu.test(irc) ? "" : 'Nick = "relay"\n';
  const text = `[general]\n${general}
[irc.x]
Server = "irc.example:6667"
${nick}${irc}
[api.left]
BindAddress = "127.0.0.1:1"
${left}
[api.right]
BindAddress = "127.0.0.1:2"
[[gateway]]
name = "main"
enable = true
inout = [{ account = "irc.x", ${entry} }, { account = "api.left" }, { account = "api.right" }]
`;
  return load({ text, format: "toml", name: "t" }, { env, cwd: "/" });
}

function configOf(loaded: Loaded): Config {
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const downOf = ({ accounts }: Config): readonly string[] =>
  [...accounts.values()].flatMap(({ name, down }) => (down === null ? [] : [name]));

describe("an optional setting that cannot be read takes its default, and everything runs", () => {
  test.each<[string, Given, Readonly<Record<string, unknown>>]>([
    ["an unknown charset", { irc: 'Charset = "klingon"' }, { Charset: "utf-8" }],
    ["a length below the least", { irc: "MessageLength = 64" }, { MessageLength: 512 }],
    ["a duration below the least", { irc: 'PingDelay = "5s"' }, { PingDelay: 60_000 }],
    ["a duration without a unit", { irc: "PingDelay = 60" }, { PingDelay: 60_000 }],
    ["inherited", { general: "PingDelay = 60" }, { PingDelay: 60_000 }],
    ["one setting twice", { irc: "MessageDelay = 1\nmessagedelay = 2" }, { MessageDelay: 1300 }],
  ])("%s", (_, given, settings) => {
    const loaded = loadWith(given);
    const config = configOf(loaded);
    expect(config.accounts.get("irc.x")).toMatchObject({ settings, down: null });
    expect(downOf(config)).toEqual([]);
    expect(loaded.problems).toEqual(config.errors);
    expect(config.errors).toMatchObject([
      { severity: "error", keepsDown: false, message: expect.stringContaining("(the default is used)") as string },
    ]);
  });

  test.each<[string, Given, Readonly<Record<string, unknown>>]>([
    ["replacements that are a text", { left: 'ReplaceMessages = ""' }, { replaceMessages: [] }],
    ["triples in place of pairs", { left: 'ReplaceNicks = [["a", "b", "c"]]' }, { replaceNicks: [] }],
    ["a bad expression", { left: 'ReplaceMessages = [["a(", "b"]]' }, { replaceMessages: [] }],
    ["look-ahead", { left: 'ExtractNicks = [["x", "(?=y)"]]' }, { extractNicks: [] }],
    ["inherited", { general: 'ReplaceMessages = [["a(", "b"]]' }, { replaceMessages: [] }],
    ["a default of the protocol", { left: "RemoteNickFormat = []" }, { remoteNickFormat: "{NICK}" }],
    ["a switch", { left: 'StripNick = "maybe"' }, { stripNick: false }],
  ])("%s", (_, given, presentation) => {
    const config = configOf(loadWith(given));
    expect(config.accounts.get("api.left")).toMatchObject({ presentation, down: null });
    expect(config.errors).toMatchObject([{ message: expect.stringContaining("(the default is used)") as string }]);
  });

  test("the same value twice is one value", () => {
    expect(loadWith({ irc: 'nick = "a"\nNick = "a"' }).problems).toEqual([]);
  });
});

describe("a setting that protects, or is required, keeps its account down; the others run", () => {
  test.each<[string, Given, string]>([
    ["a required one twice", { irc: 'nick = "a"\nNick = "b"' }, "irc.x"],
    ["a password", { irc: "Password = []" }, "irc.x"],
    ["TLS", { irc: 'UseTLS = "perhaps"' }, "irc.x"],
    ["SASL", { irc: 'UseSASL = "perhaps"' }, "irc.x"],
    ["SASL without an account", { irc: "UseSASL = true" }, "irc.x"],
    ["an address", { irc: 'Bind = "eth0"' }, "irc.x"],
    ["a filter of names", { irc: 'IgnoreNicks = ["a("]' }, "irc.x"],
    ["a filter of messages", { left: 'IgnoreMessages = "(?!x)"' }, "api.left"],
    ["mentions", { left: 'AllowMention = ["nobody"]' }, "api.left"],
    ["an address to listen on", { left: 'bindaddress = "0.0.0.0:1"' }, "api.left"],
    ["a password of a channel", { entry: 'channel = "#x", options = { key = "a b" }' }, "irc.x"],
    ["options that are no table", { entry: 'channel = "#x", options = "a"' }, "irc.x"],
    ["a secret that is not there", { env: { RIALTO_API_LEFT_TOKEN_FILE: "/nowhere/at/all" } }, "api.left"],
  ])("%s", (_, given, account) => {
    const config = configOf(loadWith(given));
    expect(downOf(config)).toEqual([account]);
    expect(config.gateways[0]?.bridges).toHaveLength(3);
    expect(config.errors).toMatchObject([
      { keepsDown: true, message: expect.stringContaining(`(${account} stays down)`) as string },
    ]);
    expect(config.accounts.get(account)?.down?.remedy).toMatch(/^Correct .* then run "rialto reload"\.$/u);
  });

  test("in [general] it keeps down all accounts that inherit it, and no others", () => {
    const config = configOf(
      loadWith({ general: 'IgnoreNicks = ["a("]', left: "IgnoreNicks = []", irc: "IgnoreNicks = []" }),
    );
    expect(downOf(config)).toEqual(["api.right"]);
  });
});

test("a channel that cannot be is left out, and the rest of its gateway runs", () => {
  const config = configOf(loadWith({ entry: 'channel = "x"' }));
  expect(downOf(config)).toEqual([]);
  expect(config.gateways[0]?.bridges.map(({ account }) => account)).toEqual(["api.left", "api.right"]);
  expect(config.errors).toMatchObject([{ message: expect.stringContaining("(this bridge is left out)") as string }]);
});

describe("nothing can start", () => {
  test.each<[string, Given, string]>([
    ["when all inherit it", { general: 'IgnoreNicks = ["a("]' }, "nothing-to-run"],
    ["when one end is left", { left: "Token = []", irc: "Password = []" }, "nothing-to-run"],
    ["without the data folder", { general: "DataPath = []" }, "bad-value"],
    [
      "when an account is not there",
      { entry: 'channel = "#x" }, { account = "irc.y", channel = "#x"' },
      "unknown-account",
    ],
  ])("%s", (_, given, code) => {
    const loaded = loadWith(given);
    expect(loaded.ok).toBe(false);
    expect(loaded.problems.map((problem) => problem.code)).toContain(code);
  });
});

test("which settings protect", () => {
  const schemas = new Map([
    ["every account", sharedSchema],
    ...Array.from(protocols, ([name, { schema }]) => [name, schema] as const),
  ]);
  const table = Array.from(schemas, ([name, { properties }]) => {
    const names = Object.entries(properties).filter(([, schema]) => protects(schema));
    return `${name}: ${names.map(([setting]) => setting).join(" ")}`;
  });
  expect(table).toMatchInlineSnapshot(`
    [
      "every account: IgnoreNicks IgnoreMessages AllowMention",
      "api: BindAddress Token",
      "irc: Server Nick Password UseTLS SkipTLSVerify TLSClientCertificate Proxy Bind UseSASL RequireSASL NickServNick NickServPassword NickServUsername RunCommands",
      "xmpp: Server Jid Password Muc Nick Anonymous UseDirectTLS NoStartTLS NoTLS NoPLAIN Mechanism SkipTLSVerify Proxy",
      "matrix: Server Login Password MxID Token Proxy DeviceID ASToken HSToken GhostPrefix SpoilerMedia",
      "mattermost: Server Team NoTLS SkipTLSVerify Proxy TLSCACertificate Token Login Password WebhookURL WebhookBindAddress WebhookToken",
      "discord: Token Server Proxy ApiURL WebhookURL",
      "slack: Token AppToken Proxy ApiURL WebhookURL",
      "telegram: Token Proxy ApiURL",
      "web: BindAddress URL TrustProxy Hold Moderation SlowMode LinksAfter Rate JoinRate BanTime",
    ]
  `);
});
