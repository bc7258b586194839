import { expect, test } from "vitest";
import { remoteUser } from "./remote-user.ts";

const PROXIES = new Set(["10.0.0.7", "::1"]);

test.each<[peer: string | undefined, rawHeaders: readonly string[], user: string | null]>([
  ["10.0.0.7", ["Host", "x", "Remote-User", "ann"], "ann"],
  ["::ffff:10.0.0.7", ["REMOTE-USER", " ann "], "ann"],
  ["::1", ["remote-user", Buffer.from("ännchen", "utf8").toString("latin1")], "ännchen"],
  ["10.0.0.7", ["Remote-User", "an\u0085n"], "an\uFFFDn"],
  ["10.0.0.8", ["Remote-User", "ann"], null],
  ["127.0.0.1", ["Remote-User", "ann", "X-Forwarded-For", "10.0.0.7"], null],
  [undefined, ["Remote-User", "ann"], null],
  ["10.0.0.7", ["Host", "x"], null],
  ["10.0.0.7", ["Host", "Remote-User", "X", "ann"], null],
  ["10.0.0.7", ["Remote-User", ""], null],
  ["10.0.0.7", ["Remote-User", "   "], null],
  ["10.0.0.7", ["Remote-User", "mallory", "Remote-User", "ann"], null],
  ["10.0.0.7", ["Remote_User", "ann"], null],
  ["10.0.0.7", ["X-Remote-User", "ann"], null],
  ["10.0.0.7", ["Remote-User", "a".repeat(201)], null],
])("from %s, %j is %j", (peer, rawHeaders, user) => {
  const socket = { remoteAddress: peer };
  const knock = { method: "GET", url: "/", path: "/", search: "", headers: {}, rawHeaders: [...rawHeaders], socket };
  expect(remoteUser(knock, PROXIES)).toBe(user);
  expect(remoteUser(knock, new Set())).toBeNull();
});
