import { expect, test } from "vitest";
import { chooseDestination } from "./resend-choice.ts";
import type { Destination } from "./views.ts";

const at = (gateway: string, account: string, channel: string, state: Destination["state"]) => ({
  gateway,
  account,
  channel,
  state,
});
const ALL = [
  at("town", "irc.Net", "#a", "failed"),
  at("town", "irc.Net", "#b", "expired"),
  at("town", "matrix.net", "#a/b:x", "sent"),
  at("town", "slack.net", "general", "failed"),
  at("other", "slack.net", "general", "sent"),
  at("town", "xmpp.net", "den", "failed"),
  at("other", "xmpp.net", "den", "failed"),
];
const choose = (destination: string, gateway: string | null = null, all = ALL) => {
  const chosen = chooseDestination(all, { destination, gateway });
  return typeof chosen === "string" ? chosen : ALL.indexOf(chosen);
};

test.each([
  ["irc.net/#b", null, 1],
  ["matrix.net", null, 2],
  ["matrix.net/#a/b:x", null, 2],
  ["slack.net", null, 3],
  ["slack.net", "other", 4],
  ["xmpp.net/den", "other", 6],
])("%s in %s", (destination, gateway, index) => {
  expect(choose(destination, gateway)).toBe(index);
});

test.each([
  ["irc.net", null, /several of these, irc\.Net\/#a \(town\), irc\.Net\/#b \(town\): write ACCOUNT\/CHANNEL$/u],
  ["xmpp.net", null, /write the gateway as well$/u],
  ["irc.net/#c", null, /does not go to irc\.net\/#c, but to irc\.Net\/#a \(town\), /u],
  ["slack.net", "third", /does not go to slack\.net/u],
])("%s in %s is none", (destination, gateway, words) => {
  expect(choose(destination, gateway)).toMatch(words);
});

test("a message that goes nowhere", () => {
  expect(choose("irc.net", null, [])).toBe("it goes nowhere");
});
