import { expect, test } from "vitest";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { LOG_ACCOUNT } from "../log/fence.ts";
import { wishOf } from "./wish.ts";

const BRIDGES = ["inout irc.net #x", "inout api.left api"];

function digest({ irc = {}, api = {}, bridges = BRIDGES } = {}): string {
  const accounts = [
    { ...anAccount("irc.net"), settings: { Server: "irc.example.org:6697", Password: "p", ...irc } },
    { ...anAccount("api.left"), settings: { BindAddress: "127.0.0.1:1", Buffer: 5, Token: "t", ...api } },
  ];
  return wishOf(aConfig([aGateway("main", bridges)], accounts)).config;
}

test("all accounts are wanted, and those with data of their own stay where they are, as does the log", () => {
  const config = aConfig([aGateway("main", [...BRIDGES, "inout web.chat lobby"])]);
  expect(wishOf(config)).toMatchObject({
    accounts: [LOG_ACCOUNT, "irc.net", "api.left", "web.chat"],
    stays: [LOG_ACCOUNT, "web.chat"],
  });
});

test("an account that the configuration keeps down is for other machines, which are told by that", () => {
  const down = { reason: "no Password", remedy: "set one" };
  const of = (it: { reason: string; remedy: string } | null) =>
    wishOf(aConfig([aGateway("main", BRIDGES)], [{ ...anAccount("irc.net"), down: it }, anAccount("api.left")]));
  expect(of(down).accounts).toEqual([LOG_ACCOUNT, "api.left"]);
  expect(of(null).accounts).toEqual([LOG_ACCOUNT, "irc.net", "api.left"]);
  expect(of(down).config).not.toBe(of(null).config);
});

test("what machines may have of their own makes no other configuration, and everything else does", () => {
  expect(digest()).toMatch(/^[\da-f]{16}$/);
  expect(digest({ irc: { Password: "another" }, api: { BindAddress: "127.0.0.1:2", Token: "u" } })).toBe(digest());
  expect(digest({ api: { Buffer: 6 } })).not.toBe(digest());
  expect(digest({ bridges: BRIDGES.slice(1) })).not.toBe(digest());
});
