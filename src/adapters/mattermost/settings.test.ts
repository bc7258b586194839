import { expect, test } from "vitest";
import { adapter } from "./index.ts";
import { baseOf, checkSettings, schema } from "./settings.ts";
import { mattermostSettings } from "./settings.suite.ts";

const user = { Server: "chat.example.org", Team: "team", Token: "t" };

test.each([
  ["a bot", user, []],
  ["a user", { ...user, Token: "", Login: "rialto", Password: "p" }, []],
  ["nothing to log in with", { Server: "chat.example.org", Team: "team" }, ["error Token is missing"]],
  ["no server and no team", { Token: "t" }, ["error Server is missing", "error Team is missing"]],
  ["no password", { ...user, Token: "", Login: "rialto" }, ["error Password is missing"]],
  ["both logins", { ...user, Login: "rialto" }, ["warning Login has no effect"]],
  ["no TLS", { ...user, NoTLS: true }, ["warning NoTLS sends the login"]],
  ["no TLS here", { ...user, Server: "127.0.0.1:8065/mm", NoTLS: true }, []],
  ["webhooks with a user", { ...user, WebhookURL: "https://a.example/hooks/x" }, ["warning WebhookURL has no effect"]],
  [
    "webhooks alone",
    { WebhookURL: "https://a.example/hooks/x", WebhookBindAddress: "127.0.0.1:9999", WebhookToken: ["t"] },
    ["warning WebhookURL carries messages alone"],
  ],
  [
    "a webhook to receive",
    { WebhookBindAddress: "127.0.0.1:9999" },
    ["warning WebhookBindAddress only receives", "warning WebhookBindAddress accepts what anybody posts"],
  ],
  ["a webhook to send", { WebhookURL: "https://a.example/hooks/x" }, ["warning WebhookURL only sends"]],
])("%s", (_, given, expected) => {
  const issues = checkSettings(mattermostSettings(given));
  expect(issues.length).toBe(expected.length);
  for (const [at, { severity, setting, message }] of issues.entries()) {
    expect(`${severity} ${setting} ${message}`).toContain(expected[at]);
  }
});

test.each([
  ["chat.example.org", true],
  ["chat.example.org:8065", true],
  ["example.org/chat/", true],
  ["[::1]:8065", true],
  ["https://chat.example.org", false],
  ["user@chat.example.org", false],
  ["chat.example.org?x", false],
])("Server %j fits: %j", (server, fits) => {
  const { rule } = schema.properties.Server;
  expect(new RegExp(rule.pattern, "u").test(server)).toBe(fits);
  if (fits) expect(baseOf({ Server: server, NoTLS: false })).not.toBeNull();
});

test.each([
  ["town-square", true],
  ["ID:abcdefghijklmnopqrstuvwxyz", true],
  ["#town-square", false],
  ["ID:abc", false],
  ["Town Square", false],
])("the channel %j fits: %j", (channel, fits) => {
  expect(new RegExp(adapter.manifest.channel?.pattern ?? "", "u").test(channel)).toBe(fits);
});
