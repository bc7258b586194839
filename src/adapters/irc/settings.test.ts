import { expect, test } from "vitest";
import { checkSettings, schema } from "./settings.ts";
import type { IrcSettings } from "./settings.ts";

const defaults = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);
const given = { ...defaults, Server: "irc.example:6667", Nick: "relay" } as IrcSettings;

const account = { NickServNick: "relay", NickServPassword: "hunter2" };

test.each<[Partial<IrcSettings>, readonly string[]]>([
  [{}, []],
  [{ UseSASL: true, ...account }, []],
  [{ UseSASL: true, UseTLS: true, TLSClientCertificate: "/a.pem" }, []],
  [account, []],
  [{ NickServNick: "NickServ" }, []],
  [{ Server: "irc.example:6697", UseTLS: true }, []],
  [{ Bind: "192.0.2.7" }, []],
  [{ Bind: "2001:db8::7" }, []],
  [{ UseSASL: true }, ["error UseSASL"]],
  [{ UseSASL: true, NickServNick: "relay" }, ["error UseSASL"]],
  [{ UseSASL: true, NickServPassword: "hunter2" }, ["error UseSASL"]],
  [{ UseSASL: true, RequireSASL: true, ...account }, []],
  [{ RequireSASL: true, ...account }, ["error RequireSASL"]],
  [{ NickServPassword: "hunter2" }, ["warning NickServPassword"]],
  [{ TLSClientCertificate: "/a.pem" }, ["warning TLSClientCertificate"]],
  [{ Server: "irc.example:6697" }, ["warning Server"]],
  [{ Bind: "eth0" }, ["error Bind"]],
  [{ Charset: "" }, []],
  [{ Charset: "Autodetect" }, []],
  [{ Charset: "windows-1251" }, []],
  [{ Charset: "klingon" }, ["error Charset"]],
  [{ Charset: "utf-16" }, ["error Charset"]],
])("%j", (settings, expected) => {
  const issues = checkSettings({ ...given, ...settings });
  expect(issues.map(({ severity, setting }) => `${severity} ${setting}`)).toEqual(expected);
  expect(JSON.stringify(issues)).not.toContain("hunter2");
});
