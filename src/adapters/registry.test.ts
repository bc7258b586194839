import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { adapters, protocols } from "./registry.ts";

/** What adapters have in common is none. */
const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && entry.name !== "kit",
);

test("every folder is registered under its own name, and nothing else is", () => {
  expect([...protocols.keys()].sort()).toEqual(folders.map((entry) => entry.name).sort());
});

test.each([...protocols.values()])("$protocol describes every setting", (manifest) => {
  expect(manifest.title).not.toBe("");
  for (const [name, schema] of Object.entries(manifest.schema.properties)) {
    expect({ name, description: schema.description }).toEqual({
      name,
      description: expect.stringMatching(/\.$/u) as string,
    });
  }
});

test.each([...protocols.values()])("what $protocol says of its settings is about settings it has", (manifest) => {
  const names = Object.keys(manifest.schema.properties);
  const named = [manifest.network, manifest.division, manifest.login].filter((name) => name !== undefined);
  expect(names).toEqual(expect.arrayContaining(named));
  expect(manifest.ignored?.filter(({ name }) => names.includes(name)) ?? []).toEqual([]);
  for (const [key, { description }] of Object.entries(manifest.options ?? {})) {
    expect({ key, description }).toEqual({
      key: key.toLowerCase(),
      description: expect.stringMatching(/\.$/u) as string,
    });
  }
});

test.each([
  ["irc", { Server: "irc.example.org:6697", UseTLS: true }, "irc.example.org:6697 (TLS)"],
  ["irc", { Server: "[::1]:6667", UseTLS: false }, "[::1]:6667 (no TLS)"],
  ["xmpp", { Server: "x.example.org:5222" }, "x.example.org:5222 (STARTTLS)"],
  ["xmpp", { Server: "x.example.org:5223", UseDirectTLS: true }, "x.example.org:5223 (TLS)"],
  ["xmpp", { Server: "x.example.org:5222", NoTLS: true }, "x.example.org:5222 (no TLS)"],
  ["matrix", { Server: "https://u:secret@m.example.org/path" }, "m.example.org:443 (TLS)"],
  ["matrix", { Server: "http://[::1]:8008" }, "[::1]:8008 (no TLS)"],
  ["matrix", { Server: "m.example.org" }, null],
  ["mattermost", { Server: "chat.example.org", Token: "t", Login: "" }, "chat.example.org:443 (TLS)"],
  ["mattermost", { Server: "[::1]:8065/mm/", Token: "t", NoTLS: true }, "[::1]:8065/mm (no TLS)"],
  ["mattermost", { Server: "chat.example.org", Token: "", Login: "" }, null],
  ["discord", { ApiURL: "https://discord.com/api/v10" }, "discord.com (TLS)"],
  ["discord", { ApiURL: "http://[::1]:8080/api" }, "[::1]:8080/api (no TLS)"],
  ["slack", { ApiURL: "https://slack.com/api/", Token: "t", WebhookURL: "" }, "slack.com (TLS)"],
  ["slack", { ApiURL: "http://[::1]:8080/api", Token: "t", WebhookURL: "" }, "[::1]:8080/api (no TLS)"],
  ["telegram", { ApiURL: "https://api.telegram.org" }, "api.telegram.org (TLS)"],
  ["telegram", { ApiURL: "http://[::1]:8081/bots" }, "[::1]:8081/bots (no TLS)"],
  ["telegram", { ApiURL: "http://a:b/" }, null],
  ["slack", { ApiURL: "https://slack.com/api/", Token: "", WebhookURL: "https://hooks.invalid/x" }, null],
])("%s says where %j connects to", (protocol, settings, address) => {
  expect(protocols.get(protocol)?.address?.(settings)).toBe(address);
});

test("every network can be loaded, and opens sessions", async () => {
  for (const adapter of adapters.values()) expect(Object.keys(await adapter.load())).toEqual(["open"]);
  expect([...adapters.keys()]).toEqual([...protocols.keys()].filter((name) => name !== "api"));
});

test.each([...protocols.values()])("the patterns of $protocol are whole, and their hints follow a name", (manifest) => {
  const settings = Object.values(manifest.schema.properties).map(({ rule }) => rule);
  const rules = [manifest.channel, ...settings, ...Object.values(manifest.options ?? {}).map(({ rule }) => rule)];
  for (const { pattern, hint } of rules.filter((rule) => rule !== undefined)) {
    expect(() => new RegExp(pattern, "u")).not.toThrow();
    expect(pattern).toMatch(/^\^.*\$$/u);
    expect(hint).toMatch(/^must /u);
  }
});
