import { expect, test } from "vitest";
import { codeOf, outcomeOf } from "./outcomes.ts";

test.each([
  ["network", 0, "network"],
  ["timeout", 0, "timeout"],
  ["aborted", 0, "stopping"],
  ["certificate", 0, "network"],
  ["too_large", 0, "too_large"],
  ["unreadable", 200, "remote_error"],
  ["refused", 302, "remote_error"],
  ["refused", 400, "bad_content"],
  ["refused", 401, "auth"],
  ["refused", 403, "forbidden"],
  ["refused", 404, "not_found"],
  ["refused", 408, "timeout"],
  ["refused", 413, "too_large"],
  ["refused", 429, "rate_limited"],
  ["refused", 503, "remote_error"],
] as const)("%s %i is %s", (why, status, code) => {
  expect(codeOf({ why, status })).toBe(code);
});

test.each([
  ["rate_limited", true, 700, { is: "deferred", retryInMs: 700, scope: "session" }],
  ["rate_limited", false, null, { is: "deferred", retryInMs: 5_000, scope: "session" }],
  ["timeout", false, null, { is: "unknown" }],
  ["remote_error", false, null, { is: "unknown" }],
  ["network", true, null, { is: "deferred", retryInMs: 1_000, scope: "session" }],
  ["auth", true, null, { is: "deferred", scope: "session" }],
  ["remote_error", true, null, { is: "deferred", scope: "session" }],
  ["forbidden", true, null, { is: "rejected" }],
] as const)("%s, certain %s", (code, certain, retryInMs, outcome) => {
  const why = { code, message: "so it is" };
  expect(outcomeOf({ why, certain, retryInMs })).toMatchObject({ why, ...outcome });
});
