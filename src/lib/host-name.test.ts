import { expect, test } from "vitest";
import { hostName } from "./host-name.ts";

test.for([
  ["127.0.0.1", "127.0.0.1"],
  ["127.0.0.1:4242", "127.0.0.1"],
  ["[::1]:4242", "::1"],
  ["[FE80::1%eth0]", "fe80::1%eth0"],
  ["[::ffff:127.0.0.1]", "::ffff:127.0.0.1"],
  ["Bridge.Example:80", "bridge.example"],
  ["bridge.example.", "bridge.example"],
  ["bridge.example.:80", "bridge.example"],
  ["localhost:", "localhost"],
  ["my_service", "my_service"],
  ["Bücher.example", "xn--bcher-kva.example"],
  ["2130706433", "2130706433"],
  ["", null],
  [":80", null],
  ["::1", null],
  ["[::1", null],
  ["[evil.example]", null],
  ["user@127.0.0.1", null],
  ["evil.example@127.0.0.1:80", null],
  ["127.0.0.1/evil", null],
  ["127.0.0.1?x", null],
  ["127.0.0.1#x", null],
  ["127.0.0.1\\evil", null],
  ["127.0.0.1 evil", null],
  ["127.0.0.1, evil.example", null],
  ["127.0.0.1:80:90", null],
  ["http://127.0.0.1", null],
] as const)("%j is the host %j", ([authority, host]) => {
  expect(hostName(authority)).toBe(host);
});
