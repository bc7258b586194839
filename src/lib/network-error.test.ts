import { expect, test } from "vitest";
import { errorCode, isBadCertificate, isNoTls, systemWords } from "./network-error.ts";

test.each([
  [Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  [new AggregateError([Object.assign(new Error("x"), { code: "ETIMEDOUT" }), new Error("y")]), "ETIMEDOUT"],
  [new Error("x"), ""],
  [{ code: 7 }, ""],
  [null, ""],
])("the code of %s", (error, code) => {
  expect(errorCode(error)).toBe(code);
});

test.each([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", true, false],
  ["ERR_TLS_CERT_ALTNAME_INVALID", true, false],
  ["CRL_HAS_EXPIRED", true, false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false, true],
  ["EPROTO", false, true],
  ["ECONNRESET", false, false],
])("%s: a certificate %s, no TLS %s", (code, certificate, noTls) => {
  expect([isBadCertificate(code), isNoTls(code)]).toEqual([certificate, noTls]);
});

test("what the system says, for people", () => {
  expect([systemWords("ENOTFOUND"), systemWords("EWHATEVER")]).toEqual([
    "there is no such host; check Server",
    undefined,
  ]);
});
