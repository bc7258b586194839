import { expect, test } from "vitest";
import { adapter } from "./index.ts";
import { apiOf, checkSettings, schema } from "./settings.ts";
import { slackSettings } from "./settings.suite.ts";

const app = { Token: "xoxb-1-2-three", AppToken: "xapp-1-A012345-2-three" };
const hook = "https://hooks.slack.com/services/T0/B0/x";

test.each([
  ["an app", app, []],
  ["nothing", {}, ["error Token is missing", "error AppToken is missing"]],
  ["no token of the app itself", { Token: app.Token }, ["error AppToken is missing"]],
  ["a person's token", { ...app, Token: "xoxp-1-2" }, ["error Token is no bot's token"]],
  ["a legacy token", { ...app, Token: "xoxs-1-2" }, ["error Token is no bot's token"]],
  ["a token of OAuth", { ...app, Token: "xoxa-1-2" }, ["error Token is no bot's token"]],
  ["a token that expires", { ...app, Token: "xoxe.xoxb-1-2" }, ["error Token is one that expires"]],
  [
    "both in the wrong place",
    { Token: app.AppToken, AppToken: app.Token },
    ["error Token is the token for AppToken", "error AppToken is no app's token"],
  ],
  ["a token with a line break", { ...app, Token: "xoxb-1\n" }, ["error Token has spaces"]],
  ["an app's token with a space", { ...app, AppToken: "xapp-1 2" }, ["error AppToken has spaces"]],
  ["a webhook alone", { WebhookURL: hook }, ["warning WebhookURL only sends"]],
  ["a webhook with an app", { ...app, WebhookURL: hook }, ["warning WebhookURL has no effect"]],
  [
    "another server without TLS",
    { ...app, ApiURL: "http://slack.example.org/api/" },
    ["warning ApiURL sends the tokens"],
  ],
  ["a server here", { ...app, ApiURL: "http://127.0.0.1:4000/api/" }, []],
  ["an address that is none", { ...app, ApiURL: "http://a:b/" }, ["error ApiURL is not an address"]],
])("%s", (_, given, expected) => {
  const issues = checkSettings(slackSettings(given));
  expect(issues.length).toBe(expected.length);
  for (const [at, { severity, setting, message }] of issues.entries()) {
    expect(`${severity} ${setting} ${message}`).toContain(expected[at]);
  }
});

test("no value of a secret is in what is said of it", () => {
  const given = { Token: "xoxp-hidden one", AppToken: "hidden two", WebhookURL: "https://hooks.slack.com/hidden" };
  for (const { message } of checkSettings(slackSettings(given))) expect(message).not.toContain("hidden");
});

test.each([
  ["https://slack.com/api/", "https://slack.com/api/"],
  ["https://slack-gov.com/api", "https://slack-gov.com/api/"],
  ["http://127.0.0.1:4000/some//", "http://127.0.0.1:4000/some/"],
])("methods of %s are behind %s", (ApiURL, base) => {
  expect(new RegExp(schema.properties.ApiURL.rule.pattern, "u").test(ApiURL)).toBe(true);
  expect(apiOf({ ApiURL }).href).toBe(base);
});

test.each([
  ["general", true],
  ["フレンド", true],
  ["ID:C024BE91L", true],
  ["ID:G012AC86C", true],
  ["#general", false],
  ["ID:general", false],
  ["two words", false],
])("the channel %j fits: %j", (channel, fits) => {
  expect(new RegExp(adapter.manifest.channel?.pattern ?? "", "u").test(channel)).toBe(fits);
});
