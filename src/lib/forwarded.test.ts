import { expect, test } from "vitest";
import { clientAddress, UNKNOWN_ADDRESS } from "./forwarded.ts";

const PROXIES = new Set(["127.0.0.1", "10.0.0.7", "2001:db8::7"]);

test.each([
  ["8.8.4.4", "8.8.4.4"],
  [" 8.8.4.4\t", "8.8.4.4"],
  ["8.8.4.4:1234", "8.8.4.4"],
  ['"8.8.4.4"', "8.8.4.4"],
  ['"8.8.4.4:1234"', "8.8.4.4"],
  ["08.8.4.4", "8.8.4.4"],
  ["008.008.004.004:80", "8.8.4.4"],
  ["10.0.0.70", "10.0.0.70"],
  ["8.8.4.4,", "8.8.4.4"],
  ["8.8.4.4, ,,", "8.8.4.4"],
  ["::1", "::1"],
  ["[::1]", "::1"],
  ["[::1]:80", "::1"],
  ['"[2001:DB8:0::1]:4711"', "2001:db8::1"],
  ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["[fe80::1%25eth0]:80", "fe80::1"],
  ["::ffff:8.8.4.4", "8.8.4.4"],
  ["::ffff:808:404", "8.8.4.4"],
  ["[::ffff:8.8.4.4]:80", "8.8.4.4"],
  // What a client has made up stands on the left.
  ["1.1.1.1, 8.8.4.4", "8.8.4.4"],
  ["127.0.0.1, 8.8.4.4:5, 10.0.0.7", "8.8.4.4"],
  ["8.8.4.4, 10.0.0.7:443, [2001:db8::7]:443", "8.8.4.4"],
  ["8.8.4.4, ::ffff:10.0.0.7", "8.8.4.4"],
  // Nobody but proxies.
  ["", "127.0.0.1"],
  [",", "127.0.0.1"],
  ["10.0.0.7", "127.0.0.1"],
])("X-Forwarded-For: %j from a proxy is %s", (header, address) => {
  expect(clientAddress("127.0.0.1", header, PROXIES)).toBe(address);
  expect(clientAddress("::ffff:127.0.0.1", header, PROXIES)).toBe(address);
  expect(clientAddress("192.0.2.1", header, PROXIES)).toBe("192.0.2.1");
});

test.each([
  "unknown",
  "_hidden",
  "_SEVKISEK:80",
  "for=8.8.4.4",
  "8.8.4",
  "8.8.4.256",
  "8.8.4.4:",
  "8.8.4.4 8.8.8.8",
  "8.8.4.4/24",
  "[8.8.4.4",
  "::g",
  "localhost",
  "8.8.4.4; DROP",
])("X-Forwarded-For: %j is the address of nobody, and so of no proxy", (entry) => {
  for (const header of [entry, `1.1.1.1, ${entry}`, `${entry}, 10.0.0.7`]) {
    expect(clientAddress("127.0.0.1", header, PROXIES)).toBe(UNKNOWN_ADDRESS);
  }
});

test("without the header, the proxy itself asks", () => {
  expect(clientAddress("127.0.0.1", null, PROXIES)).toBe("127.0.0.1");
});
