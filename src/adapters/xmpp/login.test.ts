import { expect, test } from "vitest";
import { chooseMechanism, type Credentials } from "./login.ts";

const US: Credentials = {
  user: "u",
  password: "p",
  anonymous: false,
  mechanism: "",
  noPlain: false,
  plainInClear: false,
};
const ALL = ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256", "ANONYMOUS"];

test.each([
  ["the best", ALL, {}, true, "SCRAM-SHA-256"],
  ["the next best", ["PLAIN", "SCRAM-SHA-1"], {}, true, "SCRAM-SHA-1"],
  ["the password over TLS", ["PLAIN"], {}, true, "PLAIN"],
  ["the password without TLS where it is named", ["PLAIN"], { mechanism: "PLAIN" }, false, "PLAIN"],
  ["the password without TLS where that is allowed", ["PLAIN"], { plainInClear: true }, false, "PLAIN"],
  ["better than that where there is better", ALL, { plainInClear: true }, false, "SCRAM-SHA-256"],
  ["the one that is named", ALL, { mechanism: "SCRAM-SHA-1" }, true, "SCRAM-SHA-1"],
  ["nobody's", ALL, { anonymous: true }, true, "ANONYMOUS"],
])("%s", (_, offered, given, secure, mechanism) => {
  expect(chooseMechanism(offered, { ...US, ...given }, secure)).toEqual({ ok: true, mechanism });
});

test.each([
  ["no password without TLS", ["PLAIN"], {}, false, /use TLS/u],
  ["no password where it is forbidden", ["PLAIN"], { noPlain: true }, true, /remove NoPLAIN/u],
  [
    "no password where it is forbidden and allowed",
    ["PLAIN"],
    { noPlain: true, plainInClear: true },
    false,
    /remove NoPLAIN/u,
  ],
  ["not there", ["PLAIN"], { mechanism: "SCRAM-SHA-1" }, true, /change Mechanism/u],
  ["nothing known", ["EXTERNAL"], {}, true, /none of which Rialto supports/u],
  ["nothing at all", [], {}, true, /no way to log in/u],
  ["nobody may", ["PLAIN"], { anonymous: true }, true, /set Jid and Password/u],
])("not: %s", (_, offered, given, secure, message) => {
  const choice = chooseMechanism(offered, { ...US, ...given }, secure);
  expect(choice.ok ? choice.mechanism : choice.message).toMatch(message);
  expect(choice.ok).toBe(false);
});
