import { describe, expect, test } from "vitest";
import { load } from "../cli/load.ts";
import type { SettingsSchema } from "../contract/manifest.ts";
import type { Config } from "./config.ts";
import { changeOf, type ConfigDiff, diffConfig, effectiveConfig, isUnchanged } from "./diff.ts";
import { generalSchema } from "./schema.ts";

interface Parts {
  readonly general?: string;
  readonly left?: string;
  readonly net?: string;
  /** Of the account `api.more`; not written when absent. */
  readonly more?: string;
  readonly gateways?: string;
}

const bridge = (account: string, channel: string, way = "inout", rest = ""): string =>
  `[[gateway.${way}]]\naccount = "${account}"\nchannel = "${channel}"\n${rest}`;
const gateway = (name: string, ...bridges: readonly string[]): string =>
  `[[gateway]]\nname = "${name}"\nenable = true\n${bridges.join("\n")}\n`;
const MAIN = gateway("main", bridge("api.left", "api"), bridge("irc.Net", "#room"));

function configOf({ general = "", left = "", net = "", more, gateways = MAIN }: Parts): Config {
  const text = [
    `[general]\n${general}`,
    `[api.left]\nBindAddress = "127.0.0.1:4242"\n${left}`,
    `[irc.Net]\nServer = "127.0.0.1:6667"\nNick = "rialto"\n${net}`,
    more === undefined ? "" : `[api.more]\nBindAddress = "127.0.0.1:4243"\n${more}`,
    gateways,
  ].join("\n");
  const loaded = load({ text, format: "toml", name: "t" }, { env: {}, cwd: "/" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const NOTHING: ConfigDiff = {
  accounts: { added: [], removed: [], changed: [], restyled: [] },
  gateways: { added: [], removed: [], changed: [] },
  general: [],
  needsRestart: [],
};
const accounts = (part: Partial<ConfigDiff["accounts"]>) => ({ accounts: { ...NOTHING.accounts, ...part } });
const gateways = (part: Partial<ConfigDiff["gateways"]>) => ({ gateways: { ...NOTHING.gateways, ...part } });

const withMore = gateway("main", bridge("api.left", "api"), bridge("irc.Net", "#room"), bridge("api.more", "api"));

describe("what another configuration changes", () => {
  test.each<[string, Parts, Parts, Partial<ConfigDiff>]>([
    ["nothing", {}, {}, {}],
    [
      "comments and the order of keys",
      { left: "Buffer = 5\nToken = 'abcd'" },
      { left: "# so\nToken = 'abcd'\nBuffer = 5" },
      {},
    ],
    ["a default that is written down", {}, { left: "Buffer = 10" }, {}],
    ["a setting of a protocol", {}, { net: "MessageDelay = 5" }, accounts({ changed: ["irc.Net"] })],
    ["a token", { left: "Token = 'abcd'" }, { left: "Token = 'efgh'" }, accounts({ changed: ["api.left"] })],
    ["how names look", {}, { net: 'RemoteNickFormat = "{NICK}: "' }, accounts({ restyled: ["irc.Net"] })],
    ["how names look, for all", {}, { general: 'Label = "x"' }, accounts({ restyled: ["api.left", "irc.Net"] })],
    ["an account that no gateway uses", {}, { more: "" }, {}],
    [
      "an account that comes into a gateway",
      {},
      { more: "", gateways: withMore },
      { ...accounts({ added: ["api.more"] }), ...gateways({ changed: ["main"] }) },
    ],
    [
      "an account that goes",
      { more: "", gateways: withMore },
      {},
      { ...accounts({ removed: ["api.more"] }), ...gateways({ changed: ["main"] }) },
    ],
    [
      "a channel",
      {},
      { gateways: gateway("main", bridge("api.left", "api"), bridge("irc.Net", "#other")) },
      gateways({ changed: ["main"] }),
    ],
    [
      "a direction",
      {},
      { gateways: gateway("main", bridge("api.left", "api"), bridge("irc.Net", "#room", "in")) },
      gateways({ changed: ["main"] }),
    ],
    [
      "the key of a channel",
      {},
      {
        gateways: gateway(
          "main",
          bridge("api.left", "api"),
          bridge("irc.Net", "#room", "inout", 'options = { key = "abcd" }'),
        ),
      },
      gateways({ changed: ["main"] }),
    ],
    ["a new gateway", {}, { gateways: MAIN + MAIN.replace("main", "two") }, gateways({ added: ["two"] })],
    ["a gateway that goes", { gateways: MAIN + MAIN.replace("main", "two") }, {}, gateways({ removed: ["two"] })],
    [
      "a gateway that is turned off",
      { gateways: MAIN + MAIN.replace("main", "two") },
      { gateways: MAIN + MAIN.replace("main", "two").replace("true", "false") },
      gateways({ removed: ["two"] }),
    ],
    ["a setting of the program", {}, { general: 'MaxAge = "1h"' }, { general: ["MaxAge"] }],
    [
      "settings that need a restart",
      {},
      { general: 'DataPath = "other"\nRetentionDays = 3' },
      { needsRestart: ["DataPath", "RetentionDays"] },
    ],
  ])("%s", (_name, old, next, expected) => {
    const diff = diffConfig(configOf(old), configOf(next));
    expect(diff).toEqual({ ...NOTHING, ...expected });
    const { needsRestart: _, ...moving } = expected;
    expect(isUnchanged(diff)).toBe(Object.keys(moving).length === 0);
  });

  test("an account under another spelling is opened again, and one that is the same is left alone", () => {
    const account = configOf({}).accounts.get("irc.net");
    if (account === undefined) throw new Error("no account");
    expect(changeOf(account, { ...account })).toBe("none");
    expect(changeOf(account, { ...account, name: "irc.NET" })).toBe("reopen");
    expect(changeOf(undefined, account)).toBe("reopen");
  });
});

/** Another value that the setting may have. */
const OTHER: Readonly<Record<string, string>> = {
  path: '"/elsewhere"',
  "bind-address": '"127.0.0.1:4299"',
  duration: '"25h"',
};

/** Not every text will do for them. */
const OF_A_FORM: ReadonlySet<string> = new Set(["Log", "Node"]);

describe("every setting of [general]", () => {
  const { properties }: SettingsSchema = generalSchema;
  test.each(Object.entries(properties))("%s counts at once, or is named as needing a restart", (name, schema) => {
    const other = schema.enum?.find((value) => value !== schema.default);
    const written =
      (schema.format === undefined ? undefined : OTHER[schema.format]) ??
      (other === undefined ? undefined : JSON.stringify(other)) ??
      (schema.type === "array" && schema.examples !== undefined ? JSON.stringify(schema.examples) : undefined) ??
      (OF_A_FORM.has(name) ? JSON.stringify(schema.examples?.[0]) : undefined) ??
      { integer: "2000000", boolean: String(schema.default !== true), string: '"http://other"', array: '["other"]' }[
        schema.type ?? ""
      ] ??
      "";
    // Of numbers, one that all ranges hold.
    const value =
      schema.type === "integer" && schema.maximum !== undefined && OTHER[schema.format ?? ""] === undefined
        ? "3"
        : written;
    const old = configOf({});
    const next = configOf({ general: `${name} = ${name === "OutageNotice" ? '"90s"' : value}` });
    const diff = diffConfig(old, next);
    const { general } = effectiveConfig(old, next);
    const { values: _old, ...before } = old.general;
    const { values: _new, ...after } = general;
    expect(diff.general.concat(diff.needsRestart)).toEqual([name]);
    if (schema.restart === true) {
      expect(diff.needsRestart).toEqual([name]);
      expect(after).toEqual(before);
      // It is named again the next time.
      expect(diffConfig({ ...next, general }, next).needsRestart).toEqual([name]);
    } else {
      expect(after).not.toEqual(before);
      expect(diffConfig({ ...next, general }, next)).toEqual(NOTHING);
    }
  });
});
