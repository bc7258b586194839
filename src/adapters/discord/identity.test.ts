import { describe, expect, test } from "vitest";
import { hookName, namesAdvice, speaksByHook, wantsLocalAvatar } from "./identity.ts";

const MANAGE = 1n << 29n;
const HOOK = { id: "1", token: "t" };

describe("a name of a webhook", () => {
  test.each([
    ["Bob", "Bob"],
    ["[irc] <Bob> ", "[irc] <Bob>"],
    ["Discord Clyde", "D\u200aiscord C\u200alyde"],
    ["everyone", "e\u200averyone"],
    ["HERE", "H\u200aERE"],
    ["groundsphere", "groundsphere"],
    ["a\nb\u202ec", "a bc"],
    ["\u200b \u2800", ""],
  ])("%j is %j", (given, expected) => {
    expect(hookName(given)).toBe(expected);
  });

  test("has 1 to 80 units, and splits no character", () => {
    const name = hookName("\u{1f600}".repeat(80));
    expect(name.length).toBe(80);
    expect(name.isWellFormed()).toBe(true);
    for (const bad of ["clyde", "discord", "discordclydediscord"].flatMap((one) => [one, one.toUpperCase()]))
      expect(hookName(bad)).not.toMatch(/clyde|discord/i);
  });
});

test.each([
  ["a configured webhook, whatever the bot may", { rights: 0n, webhook: HOOK }, false, true],
  ["the right to webhooks", { rights: MANAGE, webhook: null }, true, true],
  ["the right to webhooks, which are not wanted", { rights: MANAGE, webhook: null }, false, false],
  ["no right", { rights: 0n, webhook: null }, true, false],
])("webhooks speak with %s", (_, room, AutoWebhooks, expected) => {
  expect(speaksByHook(room, { AutoWebhooks })).toBe(expected);
});

test("the status names the rooms in which names come before the text, and what helps", () => {
  const rooms = ["a", "b", "c", "d", "e", "f", "g"].map((name) => ({ name, rights: 0n, webhook: null }));
  const advice = namesAdvice(rooms, { AutoWebhooks: true });
  expect(advice?.message).toMatch(/#a, #b, #c, #d, #e and 2 more .*Manage Webhooks.*AutoWebhooks = false/);
  expect(namesAdvice(rooms, { AutoWebhooks: false })).toBeNull();
  expect(namesAdvice([{ name: "a", rights: MANAGE, webhook: null }], { AutoWebhooks: true })).toBeNull();
});

test("pictures of the server are for the accounts and protocols that the setting names", () => {
  const author = { id: "b", name: "Bob", shown: "Bob", avatar: null, account: "irc.libera" };
  expect(wantsLocalAvatar(author, { UseLocalAvatar: ["IRC"] })).toBe(true);
  expect(wantsLocalAvatar(author, { UseLocalAvatar: ["irc.Libera"] })).toBe(true);
  expect(wantsLocalAvatar(author, { UseLocalAvatar: ["irc.other", "xmpp"] })).toBe(false);
});
