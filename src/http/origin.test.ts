import { expect, test } from "vitest";
import { isForeign } from "./origin.ts";

test.for([
  [undefined, "127.0.0.1:4242", false],
  [undefined, undefined, false],
  ["http://127.0.0.1:4242", "127.0.0.1:4242", false],
  ["http://Bridge.example", "bridge.example", false],
  ["https://bridge.example", "bridge.example", false],
  ["http://bridge.example", "bridge.example:80", false],
  ["http://[::1]:4242", "[::1]:4242", false],
  ["http://127.0.0.1:8000", "127.0.0.1:4242", true],
  ["http://evil.example", "127.0.0.1:4242", true],
  ["http://evil.example", undefined, true],
  ["null", "127.0.0.1:4242", true],
  ["null", "null", true],
  ["", "", true],
  ["file://", "127.0.0.1:4242", true],
  ["ftp://127.0.0.1:4242", "127.0.0.1:4242", true],
  ["app://127.0.0.1:4242", "127.0.0.1:4242", true],
  ["https://bridge.example", "bridge.example:443", false],
  ["https://bridge.example", "bridge.example:80", false],
  ["http://bridge.example", "bridge.example:443", true],
] as const)("Origin %s at Host %s: foreign is %s", ([origin, host, foreign]) => {
  expect(isForeign(origin, host)).toBe(foreign);
});

test.for([
  ["https://bridge.example", "bridge.example", false],
  ["https://bridge.example", "127.0.0.1:4290", false],
  ["http://bridge.example", "bridge.example", true],
  ["http://bridge.example", "bridge.example:443", true],
  ["http://127.0.0.1:4290", "127.0.0.1:4290", false],
  ["http://evil.example", "bridge.example", true],
  ["https://bridge.example:8443", "bridge.example", true],
] as const)("behind https://bridge.example, Origin %s at Host %s: foreign is %s", ([origin, host, foreign]) => {
  expect(isForeign(origin, host, { publicOrigin: "https://bridge.example" })).toBe(foreign);
});

test.for([
  ["http://127.0.0.1:4290", "127.0.0.1:4290", false],
  ["https://127.0.0.1:4290", "127.0.0.1:4290", true],
  ["https://localhost", "localhost:443", true],
  ["https://bridge.example", "bridge.example", true],
  [undefined, "127.0.0.1:4290", false],
] as const)("without TLS in front, Origin %s at Host %s: foreign is %s", ([origin, host, foreign]) => {
  expect(isForeign(origin, host, { mayHaveTls: false })).toBe(foreign);
});

test("the public origin counts, whoever sends it", () => {
  const own = { publicOrigin: "https://bridge.example", mayHaveTls: false };
  expect(isForeign("https://bridge.example", "bridge.example", own)).toBe(false);
});
