import { describe, expect, test } from "vitest";
import { authorityOf, isOwnHost, type OwnNames } from "./own-host.ts";

const names = (bound: string, allowed: readonly string[] = []): OwnNames => ({
  bound,
  allowed,
  machine: "Box.lan.example",
});

describe("everywhere", () => {
  test.for(["127.0.0.1", "", "bridge.lan", "192.0.2.7"])("bound to %j", (bound) => {
    const own = (host: string): boolean => isOwnHost(host, names(bound, ["allowed.example"]));
    const yes = [
      "127.0.0.1:4242",
      "10.1.2.3",
      "[::1]:4242",
      "[::ffff:127.0.0.1]",
      "localhost",
      "LOCALHOST.:4242",
      "a.b.localhost:1",
      "allowed.example",
      "Allowed.Example.:443",
    ];
    const no = [
      "evil.example",
      "evil.example:4242",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "notlocalhost.example",
      "sub.allowed.example",
      "allowed.example.evil.example",
      "evil.example@127.0.0.1",
      "127.0.0.1@evil.example",
      "",
      ":4242",
      ".",
      "127.1.example",
      "[evil.example]",
    ];
    expect(yes.filter((host) => !own(host))).toEqual([]);
    expect(no.filter(own)).toEqual([]);
  });
});

test.for([
  ["box", "127.0.0.1", false],
  ["box", "::1", false],
  ["box", "localhost", false],
  ["box", "", true],
  ["box:4242", "0.0.0.0", true],
  ["box.lan.example", "192.0.2.7", true],
  ["box.lan.example", "127.0.0.1", false],
  ["2130706433", "127.0.0.1", false],
  ["bridge.lan", "bridge.lan", true],
  ["Bridge.LAN.:4242", "bridge.lan", true],
  ["other.lan", "bridge.lan", false],
] as const)("%s, bound to %j: own is %s", ([host, bound, own]) => {
  expect(isOwnHost(host, names(bound))).toBe(own);
});

test.for([
  ["/api/messages", "a", "a"],
  ["http://b:1/api/messages", "a", "b:1"],
  ["HTTPS://b?x", "a", "b"],
  ["http://u@127.0.0.1/", "a", "u@127.0.0.1"],
  ["//b/api/messages", "a", "a"],
  ["*", "a", "a"],
  ["/", undefined, undefined],
] as const)("target %s with Host %j asks %j", ([url, host, authority]) => {
  expect(authorityOf({ url, headers: host === undefined ? {} : { host } })).toBe(authority);
});
