import { expect, test } from "vitest";
import { readAddress } from "./ids.ts";
import { adapter } from "./index.ts";
import { apiOf, checkSettings, isHere, isTelegramItself, schema } from "./settings.ts";
import { telegramSettings } from "./settings.suite.ts";

const Token = "123456789:AAF-openbarley_openbarley";
const none = (): boolean => false;

test.each([
  ["a bot", { Token }, []],
  ["nothing", {}, ["error Token is missing; write /newbot to @BotFather"]],
  ["a token with what stands before it in addresses", { Token: `bot${Token}` }, ["error Token begins with the number"]],
  ["a token without its number", { Token: "AAF-openbarley" }, ["error Token is no bot's token"]],
  ["a token with a space", { Token: `${Token} ` }, ["error Token is no bot's token"]],
  ["two ways to name people", { Token, UseFirstName: true, UseFullName: true }, ["warning UseFirstName has no effect"]],
  ["another server without TLS", { Token, ApiURL: "http://bots.example.org" }, ["warning ApiURL sends the token"]],
  ["stickers as PNG without what draws them", { Token, MediaConvertWebPToPNG: true }, ["npm install -g sharp"]],
  ["moving stickers as PNG", { Token, MediaConvertTgs: "webp" }, ["npm install -g canvaskit-wasm"]],
  ["a server here", { Token, ApiURL: "http://127.0.0.1:8081" }, []],
  ["an address that is none", { Token, ApiURL: "http://a:b/" }, ["error ApiURL is not an address"]],
])("%s", (_, given, expected) => {
  const issues = checkSettings(telegramSettings(given), none, none);
  expect(issues.length).toBe(expected.length);
  for (const [at, { severity, setting, message }] of issues.entries()) {
    expect(`${severity} ${setting} ${message}`).toContain(expected[at]);
  }
});

test("stickers as PNG with what draws them", () => {
  const given = telegramSettings({ Token, MediaConvertWebPToPNG: true, MediaConvertTgs: "png" });
  const there = (): boolean => true;
  expect(checkSettings(given, there, there)).toEqual([]);
});

test("no value of a secret is in what is said of it", () => {
  for (const { message } of checkSettings(telegramSettings({ Token: "hidden one" }), none, none)) {
    expect(message).not.toContain("hidden");
  }
});

test.each([
  ["https://api.telegram.org", "https://api.telegram.org/", true, false],
  ["https://api.telegram.org/", "https://api.telegram.org/", true, false],
  ["http://127.0.0.1:8081/some//", "http://127.0.0.1:8081/some", false, true],
  ["http://localhost:8081", "http://localhost:8081/", false, true],
  ["https://bots.example.org/api", "https://bots.example.org/api", false, false],
])("the Bot API at %s", (ApiURL, base, itself, here) => {
  expect(new RegExp(schema.properties.ApiURL.rule.pattern, "u").test(ApiURL)).toBe(true);
  expect(apiOf({ ApiURL }).href).toBe(base);
  expect([isTelegramItself({ ApiURL }), isHere({ ApiURL })]).toEqual([itself, here]);
});

test.each([
  ["-1001234567890", { chat: -1001234567890, topic: null }],
  ["-1001234567890/5", { chat: -1001234567890, topic: 5 }],
  ["-1001234567890/1", { chat: -1001234567890, topic: null }],
  ["-123456", { chat: -123456, topic: null }],
  ["123456", { chat: 123456, topic: null }],
  ["--333333333333", null],
  ["-100123/", null],
  ["-100123/x", null],
  ["@channel", null],
  ["0", null],
  ["", null],
])("the channel %j", (channel, address) => {
  expect(readAddress(channel)).toEqual(address);
  expect(new RegExp(adapter.manifest.channel?.pattern ?? "", "u").test(channel)).toBe(address !== null);
});
