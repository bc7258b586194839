import { expect, test } from "vitest";
import { isPublic, isReachable } from "./public-address.ts";

test.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["10.0.0.1", true],
  ["192.168.1.1", true],
  ["fd00::1", true],
  ["8.8.8.8", true],
  ["169.254.169.254", false],
  ["::ffff:169.254.169.254", false],
  ["::ffff:a9fe:a9fe", false],
  ["64:ff9b::a9fe:a9fe", false],
  ["100.100.100.200", false],
  ["fd00:ec2::254", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["224.0.0.1", false],
  ["ff02::1", false],
  ["255.255.255.255", false],
  ["localhost", false],
])("with private addresses allowed, %s: %s", (address, reachable) => {
  expect(isReachable(address)).toBe(reachable);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "192.0.1.1",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2a00::1",
  "64:ff9b::808:808",
])("%s is public", (address) => {
  expect(isPublic(address)).toBe(true);
});

test.each([
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.9",
  "224.0.0.1",
  "239.1.1.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "fc00::1",
  "fd00::1",
  "ff02::1",
  "2001:db8::1",
  "2001::1",
  "2002:7f00:1::",
  "3fff::1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::",
  "64:ff9b:1::1",
  "100::1",
  "",
  "localhost",
  "127.1",
  "0x7f.1",
  "1.2.3.4.5",
])("%s is not", (address) => {
  expect(isPublic(address)).toBe(false);
});
