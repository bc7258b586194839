import { describe, expect, test } from "vitest";
import { checkSettings, schema, type XmppSettings } from "./settings.ts";
import { xmppSettings } from "./settings.suite.ts";

const usual = xmppSettings({ Server: "jabber.example.org:5222", Jid: "bot@example.org" });

function issues(given: Partial<XmppSettings>): readonly string[] {
  return checkSettings({ ...usual, ...given }).map(({ severity, setting }) => `${severity} ${setting}`);
}

test.each([
  ["as usual", {}, []],
  ["no account", { Jid: "" }, ["error Jid"]],
  ["only a domain", { Jid: "example.org" }, ["error Jid"]],
  ["only a domain, for nobody", { Jid: "example.org", Anonymous: true, Password: "" }, []],
  ["no password", { Password: "" }, ["error Password"]],
  ["PLAIN and not", { NoPLAIN: true, Mechanism: "PLAIN" }, ["error NoPLAIN"]],
  ["nobody by name", { Anonymous: true, Mechanism: "PLAIN" }, ["error Mechanism"]],
  ["somebody without a name", { Mechanism: "ANONYMOUS" }, ["error Mechanism"]],
  ["no TLS far away", { NoStartTLS: true }, ["warning NoStartTLS"]],
  ["no TLS at home", { NoStartTLS: true, Server: "127.0.0.1:5222" }, []],
  ["two ways of TLS", { NoStartTLS: true, UseDirectTLS: true }, ["warning NoStartTLS"]],
  ["nothing to verify", { NoStartTLS: true, SkipTLSVerify: true, Server: "[::1]:5222" }, ["warning SkipTLSVerify"]],
  ["matterbridge's sample", { NoTLS: true, Server: "jabber.example.com:5222" }, ["warning NoTLS"]],
  [
    "the same with what stands beside it there",
    { NoTLS: true, SkipTLSVerify: true },
    ["warning NoTLS", "warning SkipTLSVerify"],
  ],
  ["matterbridge's sample at home", { NoTLS: true, Server: "localhost:5222" }, []],
  ["NoTLS and direct TLS", { NoTLS: true, UseDirectTLS: true }, ["warning NoTLS"]],
  ["the port for direct TLS", { Server: "jabber.example.org:5223" }, ["warning Server"]],
])("%s", (_, given, wanted) => {
  expect(issues(given)).toEqual(wanted);
});

describe("how settings look", () => {
  const fits = (name: "Jid" | "Muc" | "Nick" | "Mechanism", text: string): boolean =>
    new RegExp(schema.properties[name].rule.pattern, "u").test(text);

  test.each([
    ["Jid", "bot@example.org", true],
    ["Jid", "bot@example.org/Rialto 1", true],
    ["Jid", "a b@example.org", false],
    ["Muc", "rooms.example.org", true],
    ["Muc", "town@rooms.example.org", false],
    ["Nick", "Rialto bridge", true],
    ["Nick", "   ", false],
    ["Nick", "a\nb", false],
    ["Mechanism", "SCRAM-SHA-1", true],
    ["Mechanism", "scram-sha-1", false],
  ] as const)("%s = %j: %s", (name, text, wanted) => {
    expect(fits(name, text)).toBe(wanted);
  });
});
