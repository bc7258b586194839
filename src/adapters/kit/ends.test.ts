import { expect, test } from "vitest";
import { connectFailure, placeName, placeOf, quote } from "./ends.ts";

test.each([
  ["a.example:5222", { host: "a.example", port: 5222 }],
  ["[::1]:6667", { host: "::1", port: 6667 }],
  ["a.example", null],
  [":6667", null],
  ["a.example:0", null],
  ["a.example:65536", null],
  ["a.example:x", null],
])("%s as a place", (text, place) => {
  expect(placeOf(text)).toEqual(place);
  if (place !== null) expect(placeName(place)).toBe(text);
});

test("the words of a server are cut, and have no control characters", () => {
  expect(quote(" a\r\nb\u0007 ")).toBe("a  b");
  expect(quote("x".repeat(300))).toBe(`${"x".repeat(200)}…`);
});

const failure = (code: string, message = "") =>
  connectFailure(
    Object.assign(new Error(message), code === "" ? {} : { code }),
    { host: "a.example", port: 1 },
    { what: "has no TLS", remedy: "do something" },
  );

test.each([
  ["ECONNREFUSED", "lost", "network", "cannot connect to a.example:1: nothing is listening there (ECONNREFUSED)"],
  ["ETIMEDOUT", "lost", "timeout", "cannot connect to a.example:1: no answer (ETIMEDOUT)"],
  ["EODD", "lost", "network", "cannot connect to a.example:1: EODD"],
  ["", "lost", "network", "cannot connect to a.example:1: it is so"],
  ["EPROTO", "config", "config", "a.example:1 has no TLS (EPROTO); do something"],
  [
    "CERT_HAS_EXPIRED",
    "config",
    "config",
    "the certificate of a.example:1 cannot be trusted (CERT_HAS_EXPIRED); the server's admins must fix it, or set SkipTLSVerify = true to accept any certificate",
  ],
])("%s", (code, cause, reason, message) => {
  expect(failure(code, "it is so")).toEqual({ cause, why: { code: reason, message } });
});
