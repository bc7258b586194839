import { expect, test } from "vitest";
import { addressesClash, parseAddress, parseRemote } from "./address.ts";
import type { Address } from "./address.ts";

test.each([
  ["127.0.0.1:4242", "127.0.0.1", 4242],
  [":4242", "", 4242],
  ["[::1]:4242", "::1", 4242],
  ["localhost:0", "localhost", 0],
  ["chat.example.org:80", "chat.example.org", 80],
])("%s is an address", (text, host, port) => {
  expect(parseAddress(text)).toEqual({ host, port });
});

test.each([
  ["", "no port"],
  ["4242", "no port"],
  ["127.0.0.1", "no port"],
  ["127.0.0.1:", "port must be"],
  ["127.0.0.1:http", "port must be"],
  [":65536", "port must be"],
  ["::1:4242", "brackets"],
  ["[x]:1", "IPv6"],
  ["http://127.0.0.1:4242", "without scheme"],
  ["a/b:1", "without scheme"],
  ["*:4242", "star"],
  ["a b:1", "star"],
  ["é:1", "without scheme"],
])("%s is refused: %s", (text, reason) => {
  expect(parseAddress(text)).toEqual({ error: expect.stringContaining(reason) as string });
});

test.each([
  ["chat.example.org:6697", { host: "chat.example.org", port: 6697 }],
  ["[2001:db8::7]:6667", { host: "2001:db8::7", port: 6667 }],
  ["chat.example.org", { error: "it has no port; write host:port" }],
  [":6667", { error: expect.stringContaining("host must be") as string }],
  ["chat.example.org:0", { error: expect.stringContaining("from 1 to") as string }],
  ["2001:db8::7", { error: expect.stringContaining("brackets") as string }],
  ["me:secret@chat.example.org:6667", { error: expect.stringMatching(/^[^@]*$/u) as string }],
  ["x://chat.example.org:6667", { error: expect.stringContaining("scheme") as string }],
])("%s to connect to", (text, expected) => {
  expect(parseRemote(text)).toEqual(expected);
});

test.each([
  ["127.0.0.1:1", "127.0.0.1:1", true],
  ["127.0.0.1:1", "127.0.0.1:2", false],
  ["127.0.0.1:1", "127.0.0.2:1", false],
  ["127.0.0.1:0", "127.0.0.1:0", false],
  ["0.0.0.0:1", "127.0.0.1:1", true],
  [":1", "[::1]:1", true],
  ["[::]:1", "10.0.0.1:1", true],
  ["0.0.0.0:1", "[::1]:1", false],
  ["0.0.0.0:1", "localhost:1", true],
  ["localhost:1", "127.0.0.1:1", true],
  ["localhost:1", "[::1]:1", true],
  ["localhost:1", "LOCALHOST:1", true],
  ["[0:0:0:0:0:0:0:1]:1", "[::1]:1", true],
  ["a.example:1", "b.example:1", false],
])("%s and %s clash: %s", (left, right, expected) => {
  const [a, b] = [parseAddress(left) as Address, parseAddress(right) as Address];
  expect(addressesClash(a, b)).toBe(expected);
  expect(addressesClash(b, a)).toBe(expected);
});
