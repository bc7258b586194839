import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { capabilitiesOf, protocols } from "../../src/adapters/registry.ts";
import { load } from "../../src/cli/load.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import { configFileIn, exampleConfig, exampleName, findConfigFile } from "../../src/config/example.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Loaded } from "../../src/config/load.ts";
import type { Manifest } from "../../src/contract/manifest.ts";
import { findLoops } from "../../src/gateway/loops.ts";
import { checkPattern } from "../../src/gateway/regex.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function loadToml(text: string, env: Record<string, string> = {}): Loaded {
  return load({ text, format: "toml", name: "test.toml" }, { env, cwd: "/somewhere" });
}

function configOf(loaded: Loaded) {
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join("\n"));
  return loaded.config;
}

function told(loaded: Loaded): readonly string[] {
  return loaded.problems.map(({ severity, code, line, column }) => `${line}:${column} ${severity} ${code}`);
}

const accounts = `[api.left]\nBindAddress = "127.0.0.1:1"\n[api.right]\nBindAddress = "127.0.0.1:2"\n`;
const gateway = `[[gateway]]\nname = "main"\nenable = true\ninout = [{ account = "api.left" }, { account = "api.right" }]\n`;

test("the example is without problems, and is two accounts in one gateway", () => {
  const loaded = load({ text: exampleConfig, format: "toml", name: exampleName }, { env: {}, cwd: "/somewhere" });
  expect(loaded.problems).toEqual([]);
  const config = configOf(loaded);
  expect(config.path).toBeNull();
  expect(config.general.dataPath).toBe("/somewhere/rialto-data");
  expect(config.gateways).toEqual([
    {
      name: "example",
      sameChannel: false,
      maxAgeMs: null,
      catchUp: null,
      bridges: [
        { account: "api.left", channel: "api", direction: "inout", options: {} },
        { account: "api.right", channel: "api", direction: "inout", options: {} },
      ],
    },
  ]);
  expect(config.accounts.get("api.left")?.settings).toEqual({
    BindAddress: "127.0.0.1:4242",
    Buffer: 10,
    TextFormat: "",
    FullEvents: false,
    Token: "",
    MaxBodySize: 16 * 1024 * 1024,
    ConsumersPerToken: 500,
    WebhooksPerToken: 64,
    StreamsPerToken: 1000,
    SocketsPerToken: 1000,
    UploadsPerToken: 4,
    PostsPerMinute: 60_000,
    ReadsPerMinute: 300_000,
  });
});

test("rialto.toml is found before matterbridge.toml, and both before the files of the machine", () => {
  const machine = join(folder, "etc");
  const write = (path: string): string => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
    return path;
  };
  expect(findConfigFile(folder, machine)).toBeNull();
  for (const place of ["etc/matterbridge/matterbridge.toml", "etc/rialto/rialto.yaml", "etc/rialto/rialto.toml"]) {
    expect(findConfigFile(folder, machine)).not.toBe(write(join(folder, place)));
    expect(findConfigFile(folder, machine)).toBe(join(folder, place));
  }
  expect(configFileIn(folder)).toBeNull();
  for (const place of ["matterbridge.toml", "rialto.toml"]) {
    const path = write(join(folder, place));
    expect(findConfigFile(folder, machine)).toBe(path);
    expect(configFileIn(folder)).toBe(path);
  }
});

describe("files", () => {
  test("paths count from the folder of the file", () => {
    writeFileSync(join(folder, "a.toml"), `\uFEFF[general]\nDataPath = "log"\n${accounts}${gateway}`);
    const config = configOf(load({ path: "a.toml" }, { env: {}, cwd: folder }));
    expect(config.path).toBe(join(folder, "a.toml"));
    expect(config.general.dataPath).toBe(join(folder, "log"));
  });

  test("JSON and YAML mean the same as TOML", () => {
    const json = {
      api: { left: { bindaddress: ":1" } },
      gateway: [{ name: "g", enable: true, inout: [{ account: "api.left" }] }],
    };
    writeFileSync(join(folder, "a.json"), JSON.stringify(json));
    writeFileSync(
      join(folder, "a.yaml"),
      "api: {left: {BINDADDRESS: ':1'}}\ngateway:\n- {name: g, enable: 'true', inout: {account: api.left}}\n",
    );
    const [fromJson, fromYaml] = ["a.json", "a.yaml"].map((path) => configOf(load({ path }, { env: {}, cwd: folder })));
    expect({ ...fromJson, path: null }).toEqual({ ...fromYaml, path: null });
    expect(fromJson?.gateways[0]?.bridges).toHaveLength(1);
  });

  test("a file that cannot be read is a problem without a place", () => {
    const missing = load({ path: "none.toml" }, { env: {}, cwd: folder });
    expect(missing.problems).toEqual([
      expect.objectContaining({
        file: "none.toml",
        line: 0,
        message: expect.stringContaining("no such file") as string,
      }),
    ]);
  });

  test.each([
    [".", "it is a folder, not a file"],
    ["fifo.toml", "it is a pipe, not a file"],
    ["/dev/zero", "it is a device or a socket, not a file"],
    ["/dev/null", "it is a device or a socket, not a file"],
  ])("%s is named at once", (path, message) => {
    if (path === "fifo.toml") execFileSync("sh", ["-c", `mkfifo "$0"`, join(folder, path)]);
    expect(load({ path }, { env: {}, cwd: folder }).problems).toMatchObject([{ severity: "error", line: 0, message }]);
  });

  test("a file that is not UTF-8 says where", () => {
    writeFileSync(join(folder, "latin.toml"), Buffer.from('[api.left]\nLabel = "caf\xe9"\n', "latin1"));
    expect(told(load({ path: "latin.toml" }, { env: {}, cwd: folder }))).toEqual(["2:13 error unreadable"]);
  });
});

describe("settings", () => {
  test("the account comes before [general], [general] before the protocol's default", () => {
    const text = `[general]\nRemoteNickFormat = "general"\nStripNick = true\nLabel = "L"\n${accounts}StripNick = false\nLabel = ""\n${gateway}`;
    const config = configOf(loadToml(text));
    expect(config.accounts.get("api.left")?.presentation).toMatchObject({
      remoteNickFormat: "general",
      stripNick: true,
      label: "L",
    });
    expect(config.accounts.get("api.right")?.presentation).toMatchObject({ stripNick: false, label: "" });
    expect(configOf(loadToml(accounts + gateway)).accounts.get("api.left")?.presentation.remoteNickFormat).toBe(
      "{NICK}",
    );
  });

  test("a setting of the protocol falls back on [general] as well", () => {
    const config = configOf(loadToml(`[general]\nBuffer = "7"\nToken = 12\n${accounts}${gateway}`));
    expect(config.accounts.get("api.right")?.settings).toMatchObject({ Buffer: 7, Token: "12" });
  });

  test("names keep their spelling, keys do not", () => {
    const text = `[API.Left]\nbuffer = 3\nBINDADDRESS = ":1"\n[[Gateway]]\nName = "Main"\nENABLE = "1"\nInOut = { ACCOUNT = "Api.LEFT", Channel = "x" }\n`;
    const config = configOf(loadToml(text));
    expect([...config.accounts.values()].map(({ key, name }) => [key, name])).toEqual([["api.left", "api.Left"]]);
    expect(config.gateways[0]).toMatchObject({ name: "Main", bridges: [{ account: "api.left", channel: "api" }] });
  });

  test("secrets are known by value, for the log to scrub, and never in a message", () => {
    const text = `[general]\nToken = "hunter2"\n${accounts}${gateway}`;
    const loaded = loadToml(text);
    expect(new Set(secretsOf(configOf(loaded), protocols))).toEqual(new Set(["hunter2"]));
    const wrong = loadToml(text.replace('"hunter2"', '["hunter2", 1]'));
    expect(wrong.ok).toBe(false);
    expect(JSON.stringify(wrong.problems)).not.toContain("hunter2");
  });

  test("one bad value in [general] is one problem, whatever accounts inherit it", () => {
    const loaded = loadToml(`[general]\nBuffer = "ten"\nIgnoreNicks = "a("\n${accounts}${gateway}`);
    expect(told(loaded)).toEqual(["2:10 error bad-value", "3:15 error bad-value", "8:3 error nothing-to-run"]);
  });
});

describe("gateways", () => {
  test("in and out of one room merge, the first options count, and the api has one channel", () => {
    const text = `${accounts}[[gateway]]
name = "main"
enable = true
in = [{ account = "api.left", channel = "x", options = { key = "a" } }]
out = [{ account = "api.left", channel = "y", options = { key = "b" } }, { account = "api.right" }]
`;
    const loaded = loadToml(text);
    expect(configOf(loaded).gateways[0]?.bridges).toEqual([
      { account: "api.left", channel: "api", direction: "inout", options: { key: "a" } },
      { account: "api.right", channel: "api", direction: "out", options: {} },
    ]);
    expect(told(loaded)).toContain("8:58 warning ignored-option");
  });

  test.each([
    ["game", ["8:44 warning only-channel"]],
    ["api", []],
  ])("the channel %j of an account with one channel: %j", (channel, problems) => {
    const entries = `inout = [{ account = "api.left", channel = "${channel}" }, { account = "api.right" }]`;
    const loaded = loadToml(`${accounts}[[gateway]]\nname = "main"\nenable = true\n${entries}\n`);
    expect(told(loaded)).toEqual(problems);
    expect(configOf(loaded).gateways[0]?.bridges[0]?.channel).toBe("api");
  });

  test("a gateway that is not enabled is checked, not loaded, and cannot fail the start", () => {
    const idle = `[api.idle]\nBuffer = "ten"\n`;
    const loaded = loadToml(
      `${accounts}${idle}${gateway}[[gateway]]\nname = "main"\n[[gateway.in]]\naccount = "apy.left"\n`,
    );
    expect(configOf(loaded).gateways).toHaveLength(1);
    expect([...configOf(loaded).accounts.keys()]).toEqual(["api.left", "api.right"]);
    expect(told(loaded)).toEqual([
      "5:2 warning unused-account",
      "5:2 warning missing-setting",
      "6:10 warning bad-value",
      "12:8 warning duplicate-gateway",
      "14:11 warning unknown-protocol",
    ]);
  });

  test.each([
    ["no gateway is enabled", gateway.replace("enable = true", ""), "5:3 error no-gateway"],
    ["without a name", gateway.replace('name = "main"', ""), "5:3 error gateway-nameless"],
    ["twice the same name", gateway + gateway, "10:8 error duplicate-gateway"],
    [
      "twice the same name, one samechannel",
      gateway + gateway.replace("gateway", "samechannelgateway"),
      "10:8 error duplicate-gateway",
    ],
    ["no bridges", '[[gateway]]\nname = "x"\nenable = true\n', "5:3 error gateway-empty"],
    ["unknown account", gateway.replace("api.left", "api.lef"), "8:22 error unknown-account"],
    ["unknown protocol", gateway.replace("api.left", "apo.left"), "8:22 error unknown-protocol"],
    ["one part", gateway.replace("api.left", "api"), "8:22 error bad-account"],
    ["three parts", gateway.replace("api.left", "api.left.x"), "8:22 error bad-account"],
    ["no account", gateway.replace('account = "api.left"', 'channel = "x"'), "8:10 error account-missing"],
    ["not a table", `gateway = 1\n${accounts}`, "1:11 error bad-value"],
    ["not a list of tables", gateway.replace(/inout.*/u, "inout = [1]"), "8:10 error bad-value"],
    ["enable", gateway.replace("enable = true", 'enable = "yes"'), "7:10 error bad-value"],
    ["options", gateway.replace("}", ', options = "k" }'), "8:45 error bad-value"],
    ["case", `${gateway}NAME = "x"\n`, "9:1 error duplicate-key"],
    [
      "no channels",
      '[[samechannelgateway]]\nname = "s"\nenable = true\naccounts = ["api.left"]\n',
      "8:1 error channel-missing",
    ],
  ])("%s", (_, text, expected) => {
    const loaded = loadToml(text.startsWith("gateway") ? text : accounts + text);
    expect(loaded.ok).toBe(false);
    expect(told(loaded)).toContain(expected);
  });
});

describe("another protocol", () => {
  const paper: Manifest = {
    protocol: "paper",
    title: "Paper",
    schema: { type: "object", properties: { Ink: { type: "string", secret: true } } },
  };
  const rules = { protocols: new Map([...protocols, ["paper", paper]]), capabilitiesOf, checkPattern, findLoops };
  const loadPaper = (text: string, env: Record<string, string> = {}) =>
    loadConfig({ source: { text, format: "toml", name: "p" }, env, cwd: "/", rules });
  const same = (accountNames: string, channels: string) =>
    `[paper.a]\nInk = "1"\n[paper.b]\nInk = "2"\n[paper.c]\nInk = "3"\n[[samechannelgateway]]\nname = "s"\nenable = true\naccounts = ${accountNames}\nchannels = ${channels}\n`;

  test("a samechannelgateway is every account in every channel", () => {
    const config = configOf(loadPaper(same('["paper.a", "paper.b", "paper.c"]', '["one", 2]')));
    expect(config.gateways[0]).toMatchObject({ name: "s", sameChannel: true });
    expect(config.gateways[0]?.bridges.map(({ account, channel }) => `${account} ${channel}`)).toEqual([
      "paper.a one",
      "paper.a 2",
      "paper.b one",
      "paper.b 2",
      "paper.c one",
      "paper.c 2",
    ]);
    expect(configOf(loadPaper(same('"paper.a paper.b"', '"one,two"'))).gateways[0]?.bridges).toHaveLength(4);
  });

  test("a channel must be named, and is kept as written", () => {
    const text = '[paper.a]\nInk = "1"\n[[gateway]]\nname = "g"\nenable = true\nin = [{ account = "paper.a" }]\n';
    expect(told(loadPaper(text))).toEqual(["3:3 error nothing-to-run", "6:19 error channel-missing"]);
    expect(
      configOf(loadPaper(text.replace('paper.a" }', 'paper.a", channel = "#Ä" }'))).gateways[0]?.bridges[0]?.channel,
    ).toBe("#Ä");
  });

  test("an account may live in the environment alone", () => {
    const text = '[[gateway]]\nname = "g"\nenable = true\nin = [{ account = "paper.Env-1", channel = "x" }]\n';
    expect(told(loadPaper(text))).toEqual(["4:19 error unknown-account"]);
    const loaded = loadPaper(text, { RIALTO_PAPER_ENV_1_INK: "black" });
    expect(configOf(loaded).accounts.get("paper.env-1")).toMatchObject({
      name: "paper.Env-1",
      settings: { Ink: "black" },
    });
    expect(told(loadPaper(text, { RIALTO_PAPER_ENV_1_LABEL: "x" }))).toContain("4:19 error missing-setting");
  });
});

describe("addresses", () => {
  test.each([
    ["127.0.0.1:1", "0.0.0.0:1"],
    ["localhost:1", "127.0.0.1:1"],
    [":1", "[::1]:1"],
  ])("%s and %s cannot both be listened on", (left, right) => {
    const text = `[api.left]\nBindAddress = "${left}"\n[api.right]\nBindAddress = "${right}"\n[general]\nToken = "x"\n`;
    const loaded = loadToml(text + gateway);
    expect(told(loaded)).toEqual(["4:15 error address-clash", "7:3 error nothing-to-run"]);
    expect(loaded.problems[0]?.message).toContain("(see line 2) (api.right stays down)");
  });

  test("an account that is not in use listens nowhere", () => {
    expect(told(loadToml(`${accounts}[api.idle]\nBindAddress = "127.0.0.1:1"\n${gateway}`))).toEqual([
      "5:2 warning unused-account",
    ]);
  });
});

describe("what is not there yet", () => {
  const rocketchat =
    '[rocketchat.a]\nServer = "rooms.example"\nToken = "hunter2"\nNoTLS = true\n[rocketchat.b]\nServer = "https://Rooms.Example/"\n';

  test("accounts and their bridges are named once each, and the rest runs", () => {
    const extra = `[[gateway.inout]]\naccount = "rocketchat.a"\nchannel = "x"\n`;
    const loaded = loadToml(
      rocketchat +
        accounts +
        gateway +
        gateway.replace("main", "two").replace(/inout.*\n/u, "") +
        extra +
        extra.replace("rocketchat.a", "api.left"),
    );
    expect(told(loaded)).toEqual([
      "1:2 warning protocol-missing",
      "5:2 warning protocol-missing",
      "15:3 warning gateway-idle",
      "19:11 warning bridge-skipped",
      "23:11 warning only-channel",
    ]);
    expect(configOf(loaded).gateways[1]?.bridges).toHaveLength(1);
  });

  test("nothing left to run is an error", () => {
    const text = `${rocketchat}[[gateway]]\nname = "g"\nenable = true\nin = [{ account = "rocketchat.a", channel = "x" }]\nout = [{ account = "mattermost.plugin", channel = "y" }]\n`;
    expect(told(loadToml(text))).toContain("7:3 error nothing-to-run");
  });

  test("two accounts in one room are a loop", () => {
    const text = `${rocketchat}${accounts}[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "rocketchat.a", channel = "X" }, { account = "rocketchat.b", channel = "x" }, { account = "api.left" }]\n`;
    const loop = loadToml(text).problems.find(({ code }) => code === "loop");
    expect(loop).toMatchObject({ severity: "warning", line: 11 });
    expect(loop?.message).toMatch(/rocketchat\.a and rocketchat\.b .*rocketchat\/rooms\.example\/x.* g/u);
    expect(
      loadToml(text.replace("Rooms.Example", "rooms.example:5222")).problems.some(({ code }) => code === "loop"),
    ).toBe(false);
  });

  test("a setting that is accepted and ignored is named, wherever it is", () => {
    const text = `Buffer = 1\n[general]\nMediaServerUpload = "/x"\nQrOnWhiteTerminal = true\nTokne = "hunter2"\n[tengo]\nInMessage = "x.tengo"\n${accounts}MessageClipped = "x"\nLogFile = "x"\n[api.right.x]\na = 1\n[aip.x]\n${gateway}`;
    const loaded = loadToml(text);
    expect(loaded.ok).toBe(true);
    expect(told(loaded)).toEqual([
      "1:1 warning unknown-table",
      "3:1 warning ignored-setting",
      "4:1 warning unknown-setting",
      "5:1 warning unknown-setting",
      "7:1 warning ignored-setting",
      "12:1 warning ignored-setting",
      "13:1 warning unknown-setting",
      "14:2 warning unknown-setting",
      "16:2 warning unknown-table",
    ]);
    const messages = loaded.problems.map(({ message, remedy }) => `${message}; ${remedy}`).join("\n");
    expect(messages).toMatch(/did you mean Token\?/u);
    expect(messages).toMatch(/did you mean "api"\?/u);
    expect(messages).toMatch(/QrOnWhiteTerminal.*WhatsApp/u);
    expect(messages).toMatch(/LogFile.*\[general\]/u);
    expect(messages).not.toContain("hunter2");
  });
});

test("ten thousand gateways load as ten thousand gateways", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => gateway.replace("main", `g${index}`)).join("");
  expect(configOf(loadToml(accounts + many)).gateways).toHaveLength(10_000);
});
