import { expect, test } from "vitest";
import { adapter } from "./index.ts";
import { apiOf, checkSettings, hookIn, schema, tokenOf, WEBHOOK_RULE } from "./settings.ts";
import { discordSettings } from "./settings.suite.ts";

const good = { Token: "a.b.c", Server: "Our Town" };

test.each([
  ["a bot", good, []],
  ["a bot, as matterbridge writes it", { ...good, Token: "Bot a.b.c" }, []],
  ["nothing", {}, ["error Token is missing; it is at", "error Server is missing"]],
  ["a person's account", { ...good, Token: "User abc" }, ["error Token is not a bot's"]],
  [
    "a slip of the mouse",
    { ...good, Token: "a.b c" },
    ["error Token has spaces or other characters in it that no token has"],
  ],
  [
    "what stands in the place of one",
    { ...good, Token: "…" },
    ["error Token has spaces or other characters in it that no token has"],
  ],
  ["a server of spaces", { ...good, Server: "  " }, ["error Server is missing"]],
  ["no TLS", { ...good, ApiURL: "http://api.example.org/api" }, ["warning ApiURL sends the token"]],
  ["no TLS here", { ...good, ApiURL: "http://127.0.0.1:8080/api" }, []],
])("%s", (_, given, expected) => {
  const issues = checkSettings(discordSettings(given)).map(
    ({ severity, setting, message }) => `${severity} ${setting} ${message}`,
  );
  expect(issues).toEqual(expected.map((words) => expect.stringContaining(words) as string));
});

test.each([
  ["https://discord.com/api/v10", "https://discord.com/api", "10"],
  ["https://discord.com/api/v10/", "https://discord.com/api", "10"],
  ["https://discord.com/api/", "https://discord.com/api", "10"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080", "10"],
  ["https://chat.example.org/api/v9", "https://chat.example.org/api", "9"],
  ["https://chat.example.org/v1/", "https://chat.example.org", "1"],
  ["https://chat.example.org/v1/api/v9", "https://chat.example.org/v1/api", "9"],
])("the API at %s", (ApiURL, base, version) => {
  expect(apiOf({ ApiURL })).toEqual({ base, version });
  expect(new RegExp(schema.properties.ApiURL.rule.pattern, "u").test(ApiURL)).toBe(true);
});

test.each([
  ["abc", "abc"],
  ["Bot abc", "abc"],
  [" Bot  abc ", "abc"],
])("the token %j", (Token, expected) => {
  expect(tokenOf({ Token })).toBe(expected);
});

test.each([
  ["https://discord.com/api/webhooks/123456789012345678/ab_C-9", { id: "123456789012345678", token: "ab_C-9" }],
  ["https://canary.discord.com/api/v10/webhooks/123456789012345678/a/", { id: "123456789012345678", token: "a" }],
  ["https://discord.com/api/webhooks/123456789012345678", null],
  ["https://example.org/hooks/abc", null],
])("the webhook %j", (url, expected) => {
  expect(hookIn(url)).toEqual(expected);
  expect(new RegExp(WEBHOOK_RULE.pattern, "u").test(url)).toBe(expected !== null);
});

test.each([
  ["general", true],
  ["Harbour/general", true],
  ["ID:123456789012345678", true],
  ["my channel", true],
  ["#general", false],
  ["ID:123", false],
  ["a\nb", false],
  ["", false],
])("the channel %j fits: %j", (channel, fits) => {
  expect(new RegExp(adapter.manifest.channel?.pattern ?? "", "u").test(channel)).toBe(fits);
});

test.each([
  [{}, "discord.com (TLS)"],
  [{ ApiURL: "http://127.0.0.1:8080/api/v10" }, "127.0.0.1:8080/api/v10 (no TLS)"],
])("where %j connects to", (given, expected) => {
  expect(adapter.manifest.address?.(discordSettings({ ...good, ...given }))).toBe(expected);
});
