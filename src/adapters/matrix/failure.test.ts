import { describe, expect, test } from "vitest";
import { outcomeOf } from "../kit/outcomes.ts";
import { refused, unreachable } from "./failure.ts";
import { endOf } from "./login.ts";

const BASE = "https://matrix.example.org";

const answer = (status: number, errcode: string, more: object = {}, retryAfter?: string) =>
  refused(status, { errcode, error: "so it is", ...more }, retryAfter);

describe("what an answer means for an op", () => {
  test.each([
    [
      answer(429, "M_LIMIT_EXCEEDED", { retry_after_ms: 1_500 }),
      { is: "deferred", retryInMs: 1_500, scope: "session" },
    ],
    [answer(429, "M_LIMIT_EXCEEDED", {}, "7"), { is: "deferred", retryInMs: 7_000, scope: "session" }],
    [answer(429, "", {}), { is: "deferred", retryInMs: 5_000, scope: "session" }],
    [answer(429, "M_LIMIT_EXCEEDED", { retry_after_ms: 1e12 }), { is: "deferred", retryInMs: 3_600_000 }],
    [answer(429, "M_LIMIT_EXCEEDED", { retry_after_ms: -5 }), { is: "deferred", retryInMs: 50 }],
    [answer(413, "M_TOO_LARGE"), { is: "rejected", why: { code: "too_large" } }],
    [
      answer(403, "M_FORBIDDEN"),
      { is: "rejected", why: { code: "forbidden", message: "the homeserver answers M_FORBIDDEN: so it is" } },
    ],
    [answer(401, "M_UNKNOWN_TOKEN"), { is: "deferred", scope: "session" }],
    [answer(400, "M_BAD_JSON"), { is: "rejected", why: { code: "bad_content" } }],
    [answer(500, "M_UNKNOWN"), { is: "unknown", why: { code: "remote_error" } }],
    [answer(502, ""), { is: "unknown" }],
    // A proxy's, before the homeserver.
    [answer(401, ""), { is: "deferred", scope: "session", why: { code: "remote_error" } }],
    [answer(408, ""), { is: "unknown", why: { code: "bad_content" } }],
    [answer(302, ""), { is: "deferred", scope: "session" }],
    [
      unreachable({ is: "failed", why: "network", message: "nothing is listening there", certain: true }, BASE),
      { is: "deferred", scope: "session" },
    ],
    [unreachable({ is: "failed", why: "network", message: "broken off", certain: false }, BASE), { is: "unknown" }],
    [
      unreachable({ is: "failed", why: "timeout", message: "late", certain: false }, BASE),
      { is: "unknown", why: { code: "timeout" } },
    ],
    [answer(403, "M_RESOURCE_LIMIT_EXCEEDED"), { is: "deferred", scope: "session", why: { code: "remote_error" } }],
  ])("%o", (failure, outcome) => {
    expect(outcomeOf(failure)).toMatchObject(outcome);
  });
});

describe("what an answer means for the session", () => {
  test.each([
    [answer(403, "M_FORBIDDEN"), "password", true, "auth"],
    [answer(403, "M_USER_DEACTIVATED"), "password", true, "auth"],
    [answer(401, "M_UNKNOWN_TOKEN"), "token", false, "auth"],
    [answer(401, "M_UNKNOWN_TOKEN"), "appservice", true, "auth"],
    // The next login gets another token.
    [answer(401, "M_UNKNOWN_TOKEN"), "password", false, "lost"],
    [answer(400, "M_UNKNOWN"), "password", true, "config"],
    [answer(429, "M_LIMIT_EXCEEDED"), "password", true, "lost"],
    [answer(502, ""), "token", false, "lost"],
    [
      unreachable({ is: "failed", why: "certificate", message: "expired", certain: true }, BASE),
      "token",
      true,
      "config",
    ],
    [unreachable({ is: "failed", why: "network", message: "gone", certain: true }, BASE), "token", true, "lost"],
  ] as const)("%o by %s, logging in: %s", (failure, way, isLogin, cause) => {
    expect(endOf(failure, way, isLogin).cause).toBe(cause);
  });
});

test("what a server says is quoted without what breaks lines, and cut", () => {
  expect(refused(400, { error: `a\nb${"x".repeat(500)}` }, undefined).why.message).toMatch(
    /^the homeserver answers HTTP 400: a bx{197}…$/u,
  );
});

const PAGES = { info_uri: "https://a.example/why", increase_uri: "https://a.example/more" };
const DRAFT = Object.fromEntries(Object.entries(PAGES).map(([name, url]) => [`org.matrix.msc4335.${name}`, url]));
const USED_UP = "Rialto's user has used up a limit of its account:";

test.each([
  [403, "M_USER_LIMIT_EXCEEDED", PAGES, `${USED_UP} raise it at https://a.example/more, or read https://a.example/why`],
  [400, "M_USER_LIMIT_EXCEEDED", {}, `${USED_UP} ask the homeserver's admins to raise it`],
  [403, "M_USER_LIMIT_EXCEEDED", { info_uri: "javascript:x y" }, "ask the homeserver's admins to raise it"],
  [403, "ORG.MATRIX.MSC4335_USER_LIMIT_EXCEEDED", DRAFT, "raise it at https://a.example/more"],
  [400, "M_SAFETY", {}, "its safety rules refuse the message"],
])("the refusal %d %s is final, and names what to do: %o", (status, errcode, more, remedy) => {
  const failure = answer(status, errcode, more);
  expect(outcomeOf(failure)).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  expect(failure.why.message).toContain(`the homeserver answers ${errcode}: so it is; `);
  expect(failure.why.message).toContain(remedy);
});

test.each([
  ["M_USER_SUSPENDED", 403, "Rialto's user is suspended: the homeserver's admins can lift that"],
  ["M_USER_LOCKED", 401, "Rialto's user is locked: the homeserver's admins can unlock it"],
])("%s ends a session, and names what to do", (errcode, status, remedy) => {
  expect(endOf(answer(status, errcode), "password")).toEqual({
    cause: "auth",
    why: { code: "forbidden", message: `the homeserver answers ${errcode}: so it is; ${remedy}` },
  });
});
