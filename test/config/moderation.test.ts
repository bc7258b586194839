import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import type { Loaded } from "../../src/config/load.ts";

/** Accounts as in the tables below; each gateway is its bridges, such as `site/lobby`. */
function loadGateways(gateways: Readonly<Record<string, readonly string[]>>, more = ""): Loaded {
  const entries = Object.entries(gateways).map(([name, bridges]) => {
    const inout = bridges.map((bridge) => {
      const [account = "", channel = ""] = bridge.split("/");
      return `{ account = "${ACCOUNTS[account] ?? account}", channel = "${channel}" }`;
    });
    return `[[gateway]]\nname = "${name}"\nenable = true\ninout = [${inout.join(", ")}]\n`;
  });
  const text = `[web.site]\nBindAddress = "127.0.0.1:4380"\nModeration = "Staff"\n[irc.net]\nServer = "irc.example:6667"
Nick = "relay"\n[web.other]\nBindAddress = "127.0.0.1:4381"\nModeration = "staff"\n[api.game]\nBindAddress = "127.0.0.1:4242"\n${entries.join("")}${more}`;
  return load({ text, format: "toml", name: "web.toml" }, { env: {}, cwd: "/somewhere" });
}

const ACCOUNTS: Readonly<Record<string, string>> = {
  site: "web.site",
  other: "web.other",
  irc: "irc.net",
  api: "api.game",
};
/** That an account is in no gateway here is not what these tests are about. */
const told = (loaded: Loaded) =>
  loaded.problems.map(({ severity, code }) => `${severity} ${code}`).filter((one) => one !== "warning unused-account");

test("a room for moderators in a gateway of its own is good, also with a program that reads both", () => {
  const loaded = loadGateways({
    lobby: ["site/lobby", "irc/#lobby", "api/api"],
    staff: ["site/staff", "irc/#staff", "api/api"],
  });
  expect(told(loaded)).toEqual([]);
});

test.each([
  [
    "in the gateway of guests",
    { lobby: ["site/lobby", "irc/#lobby", "site/staff"] },
    "lobby of web.site, which guests can read",
  ],
  [
    "with a room that guests can read",
    { lobby: ["site/lobby", "irc/#lobby"], staff: ["site/STAFF", "irc/#staff", "irc/#lobby"] },
    "#lobby of irc.net, which guests can read",
  ],
  [
    "to guests of another account",
    { staff: ["site/staff", "irc/#staff", "other/lobby"] },
    "lobby of web.other, which guests can read",
  ],
  [
    "by a room that guests of another account read",
    { lobby: ["other/lobby", "irc/#lobby"], staff: ["site/staff", "irc/#Lobby"] },
    "#lobby of irc.net, which guests can read",
  ],
])("what is held would get out %s: the account stays down", (_where, gateways, words) => {
  const loaded = loadGateways(gateways);
  const problem = loaded.problems.find(({ code }) => code === "open-moderation");
  expect(problem?.message).toContain(words);
  expect(loaded.ok && loaded.config.accounts.get("web.site")?.down).not.toBeNull();
});

test.each([
  ["in one gateway", { staff: ["site/staff", "irc/#staff", "other/staff"] }],
  ["by a room that both have", { one: ["site/staff", "irc/#staff"], two: ["other/staff", "irc/#staff"] }],
])("moderators of two accounts %s: a number would decide in both, so one stays down", (_where, gateways) => {
  const loaded = loadGateways(gateways);
  expect(told(loaded)).toContain("error shared-moderation");
  expect(loaded.ok && [...loaded.config.accounts.values()].filter(({ down }) => down !== null)).toHaveLength(1);
});

test("two accounts with moderators of their own are good, also with a program that hears all", () => {
  const gateways = {
    lobby: ["site/lobby", "irc/#lobby", "other/lobby"],
    one: ["site/staff", "irc/#staff", "api/api"],
    two: ["other/staff", "irc/#others", "api/api"],
  };
  expect(told(loadGateways(gateways))).toEqual([]);
});

test("rooms of one samechannelgateway are not linked with each other", () => {
  const more = `[[samechannelgateway]]\nname = "all"\nenable = true\naccounts = ["web.site", "api.game"]\nchannels = ["lobby", "staff"]\n`;
  expect(told(loadGateways({}, more))).toEqual([]);
});

test("that guests can join no room is told", () => {
  expect(told(loadGateways({ lobby: ["site/staff", "irc/#lobby"] }))).toEqual(["warning no-guests"]);
});

test("a room that no gateway has, or reads, is told", () => {
  const lobby = ["site/lobby", "irc/#lobby"];
  expect(told(loadGateways({ lobby }))).toEqual(["warning idle-moderation"]);
  const more = `[[gateway]]\nname = "staff"\nenable = true\nin = [{ account = "irc.net", channel = "#staff" }]
out = [{ account = "web.site", channel = "staff" }]\n`;
  expect(told(loadGateways({ lobby }, more))).toEqual(["warning idle-moderation"]);
});
