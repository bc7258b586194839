import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";

const ACCOUNTS: Readonly<Record<string, string>> = {
  irc: 'Server = "irc.example:6667"\nNick = "relay"',
  xmpp: 'Server = "x.example:5222"\nJid = "a@x.example"\nPassword = "p"\nMuc = "c.x.example"\nNick = "relay"',
  matrix: 'Server = "https://m.example"\nLogin = "a"\nPassword = "p"',
  mattermost: 'Server = "m.example"\nTeam = "t"\nToken = "abcdefghijklmnopqrstuvwxyz"',
  telegram: 'Token = "123456789:AAF-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
  api: 'BindAddress = "127.0.0.1:1"',
};
const CHANNELS: Readonly<Record<string, string>> = {
  irc: "#x",
  xmpp: "x",
  matrix: "#x:m.example",
  mattermost: "x",
  telegram: "-5",
};

/** What is said of these lines in an account of this protocol, and in `[general]`. */
function saidOf(protocol: string, lines: string, general = "", others = "") {
  const channel = CHANNELS[protocol];
  const entry = channel === undefined ? "" : `, channel = "${channel}"`;
  const text = `[general]
${general}
[${protocol}.a]
${ACCOUNTS[protocol] ?? ""}
${lines}
[api.other]
BindAddress = "127.0.0.1:2"
${others}
[[gateway]]
name = "g"
enable = true
inout = [{ account = "${protocol}.a"${entry} }, { account = "api.other" }]
`;
  const loaded = load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
  return loaded.problems.flatMap(({ code, message }) => (code === "idle-setting" ? [message] : []));
}

const PROGRAMS = "has no effect: programs get what happens, and not words about it";
const PICTURES = "has no effect: messages there show no pictures of senders";
const EDITS = "has no effect: messages there cannot be edited";

test.each([
  ["api", 'EditFallback = "whole"', `EditFallback of api.a ${PROGRAMS}`],
  ["api", 'EditFallback = "none"', `EditFallback of api.a ${PROGRAMS}`],
  ["api", 'DeleteFallback = "note"', `DeleteFallback of api.a ${PROGRAMS}`],
  ["api", 'ReactionFallback = "line"', `ReactionFallback of api.a ${PROGRAMS}`],
  ["api", 'AllowMention = ["everyone"]', `AllowMention of api.a ${PROGRAMS}`],
  ["api", "ShowOutages = true", `ShowOutages of api.a ${PROGRAMS}`],
  ["api", "ShowFailures = true", `ShowFailures of api.a ${PROGRAMS}`],
  ["api", "NoSendJoinPart = true", "NoSendJoinPart of api.a has no effect: nothing there says that people come or go"],
  ["irc", 'IconURL = "https://i.example/{NICK}"', `IconURL of irc.a ${PICTURES}`],
  ["xmpp", 'IconURL = "https://i.example/{NICK}"', `IconURL of xmpp.a ${PICTURES}`],
  ["telegram", 'IconURL = "https://i.example/{NICK}"', `IconURL of telegram.a ${PICTURES}`],
  ["irc", "EditDisable = true", `EditDisable of irc.a ${EDITS}`],
  ["irc", 'EditSuffix = " (edited)"', `EditSuffix of irc.a ${EDITS}`],
  [
    "irc",
    'AllowMention = ["roles"]',
    'AllowMention of irc.a contains "roles", which has no effect: no message from elsewhere mentions a role',
  ],
  ["irc", "SkipTLSVerify = true", "SkipTLSVerify of irc.a has no effect without UseTLS"],
  ["irc", 'NickServNick = "NickServ"', "NickServNick of irc.a has no effect without NickServPassword or UseSASL"],
  ["irc", 'NickServUsername = "relay"', "NickServUsername of irc.a has no effect without NickServPassword"],
  ["irc", 'RelayFallbackNick = "relay"', "RelayFallbackNick of irc.a has no effect without UseRelayMsg"],
  ["irc", "UseRelayFallback = true", "UseRelayFallback of irc.a has no effect without UseRelayMsg"],
  ["matrix", 'GhostPrefix = "x_"', "GhostPrefix of matrix.a has no effect without ASToken"],
  ["mattermost", 'WebhookToken = ["x"]', "WebhookToken of mattermost.a has no effect without WebhookBindAddress"],
  ["mattermost", 'Password = "x"', "Password of mattermost.a has no effect with Token"],
  ["xmpp", "Anonymous = true", "Password of xmpp.a has no effect with Anonymous"],
  ["irc", 'Label = "x"', "Label of irc.a has no effect: no RemoteNickFormat contains {LABEL}"],
])("%s: %s", (protocol, lines, said) => {
  expect(saidOf(protocol, lines)).toEqual([said]);
});

test.each([
  ["api", "ShowOutages = false\nAllowMention = []\nNoSendJoinPart = false\nEditDisable = true"],
  ["api", 'IconURL = "https://i.example/{NICK}"\nQuoteDisable = true\nPreserveThreading = false\nSyncTopic = true'],
  ["mattermost", 'IconURL = "https://i.example/{NICK}"\nEditSuffix = " (edited)"\nNoSendJoinPart = true'],
  ["irc", 'UseTLS = true\nSkipTLSVerify = true\nNickServNick = "NickServ"\nNickServPassword = "x"'],
  ["irc", 'SkipTLSVerify = false\nEditDisable = false\nEditSuffix = ""'],
  ["irc", 'UseRelayMsg = true\nRelayFallbackNick = "relay"'],
])("%s: %s has an effect, or asks for nothing", (protocol, lines) => {
  expect(saidOf(protocol, lines)).toEqual([]);
});

test("a setting of [general] is named where no account can use it", () => {
  expect(saidOf("irc", "", 'SearchIndex = "words"\nEditSuffix = "*"\nMediaExpiry = "2h"')).toEqual([
    "SearchIndex of [general] has no effect without Search",
    "MediaExpiry of [general] has no effect without MediaBindAddress",
  ]);
  expect(saidOf("api", "", "ShowOutages = true")).toEqual([`ShowOutages of [general] ${PROGRAMS}`]);
  expect(saidOf("irc", "", "ShowOutages = true")).toEqual([]);
  expect(saidOf("irc", 'Label = "x"', "", 'RemoteNickFormat = "{LABEL}{NICK}"')).toEqual([]);
});
