import { expect, test } from "vitest";
import type { Access } from "../../access/access.ts";
import { RateLimits } from "./limits.ts";
import { ProblemError } from "./problems.ts";

const access = (fields: Partial<Access>): Access => ({
  account: "api.game",
  scopes: new Set(["write"]),
  gateways: null,
  by: "token",
  token: "abcdefgh",
  name: "",
  ended: new AbortController().signal,
  ...fields,
});

function refusal(act: () => unknown): ProblemError | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

test("a token may say so much in a minute, and then waits for the next one", () => {
  let now = 5_000;
  const limits = new RateLimits(() => now);
  const caller = access({ postsPerMinute: 2 });
  expect(limits.take(caller)).toEqual(["RateLimit-Policy", '"posts";q=2;w=60', "RateLimit", '"posts";r=1;t=60']);
  now += 20_500;
  expect(limits.take(caller)[3]).toBe('"posts";r=0;t=40');
  expect(refusal(() => limits.take(caller))).toMatchObject({
    code: "rate_limited",
    headers: { "Retry-After": "40", RateLimit: '"posts";r=0;t=40', "RateLimit-Policy": '"posts";q=2;w=60' },
  });
  // Another one has its own.
  expect(refusal(() => limits.take(access({ postsPerMinute: 2 })))).toBeNull();
  now += 39_499;
  expect(refusal(() => limits.take(caller))).not.toBeNull();
  now += 1;
  expect(limits.take(caller)[3]).toBe('"posts";r=1;t=60');
});

test("no chat reaches the default", () => {
  const limits = new RateLimits(() => 0);
  expect(limits.take(access({}))[1]).toBe('"posts";q=60000;w=60');
  expect(limits.take(access({ by: "open", token: null }))[1]).toBe('"posts";q=6000000;w=60');
});
