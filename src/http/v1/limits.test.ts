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
  expect(limits.post(caller)).toEqual(["RateLimit-Policy", '"posts";q=2;w=60', "RateLimit", '"posts";r=1;t=60']);
  now += 20_500;
  expect(limits.post(caller)[3]).toBe('"posts";r=0;t=40');
  expect(refusal(() => limits.post(caller))).toMatchObject({
    code: "rate_limited",
    headers: { "Retry-After": "40", RateLimit: '"posts";r=0;t=40', "RateLimit-Policy": '"posts";q=2;w=60' },
  });
  // Another one has its own.
  expect(refusal(() => limits.post(access({ postsPerMinute: 2 })))).toBeNull();
  now += 39_499;
  expect(refusal(() => limits.post(caller))).not.toBeNull();
  now += 1;
  expect(limits.post(caller)[3]).toBe('"posts";r=1;t=60');
});

test("no chat reaches the default", () => {
  const limits = new RateLimits(() => 0);
  expect(limits.post(access({}))[1]).toBe('"posts";q=60000;w=60');
  expect(limits.post(access({ by: "open", token: null }))[1]).toBe('"posts";q=6000000;w=60');
});

test("reads cost what they look at and what they answer, and wait when nothing is left", () => {
  let now = 0;
  const limits = new RateLimits(() => now, { postsPerMinute: 1, readsPerMinute: 20 });
  const caller = access({});
  limits.read(caller, 1);
  expect(limits.answered(caller, 100)).toEqual([
    "RateLimit-Policy",
    '"reads";q=20;w=60',
    "RateLimit",
    '"reads";r=19;t=60',
  ]);
  limits.read(caller, 10);
  expect(limits.answered(caller, 40_000)[3]).toBe('"reads";r=7;t=60');
  limits.read(caller, 1);
  expect(limits.answered(caller, 1_000_000)[3]).toBe('"reads";r=0;t=60');
  now = 1000;
  const refused = { code: "rate_limited", headers: { "Retry-After": "59", RateLimit: '"reads";r=0;t=59' } };
  expect(refusal(() => limits.read(caller, 1))).toMatchObject(refused);
  // What a caller says is counted apart.
  expect(refusal(() => limits.post(caller))).toBeNull();
  now = 60_000;
  expect(refusal(() => limits.read(caller, 1))).toBeNull();
  expect(limits.answered(caller, 0)[3]).toBe('"reads";r=19;t=60');
});
