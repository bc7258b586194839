import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Logins } from "./logins.ts";

const MINUTE_MS = 60_000;

function open() {
  const clock = new FakeClock();
  return { logins: new Logins(clock, randomBytes), clock };
}

test("a link counts once", () => {
  const { logins, clock } = open();
  const { secret, expiresMs } = logins.make();
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(expiresMs).toBe(clock.nowMs() + 10 * MINUTE_MS);
  expect(logins.redeem(secret)).toEqual({ is: "right" });
  expect(logins.redeem(secret)).toEqual({ is: "wrong" });
});

test("a link counts for ten minutes, whatever the calendar is set to", async () => {
  const { logins, clock } = open();
  const [one, two] = [logins.make(), logins.make()];
  clock.jump(-86_400_000);
  await clock.advance(10 * MINUTE_MS - 1);
  expect(logins.redeem(one.secret)).toEqual({ is: "right" });
  await clock.advance(1);
  expect(logins.redeem(two.secret)).toEqual({ is: "wrong" });
});

test("of more than sixteen links, the oldest counts no more", () => {
  const { logins } = open();
  const made = Array.from({ length: 17 }, () => logins.make());
  expect(made.map(({ secret }) => logins.redeem(secret).is)).toEqual(["wrong", ...Array<string>(16).fill("right")]);
});

test("after twenty wrong ones guessing is told to wait, and who has a link comes in all the same", async () => {
  const { logins, clock } = open();
  const { secret } = logins.make();
  for (let guess = 0; guess < 20; guess++) expect(logins.redeem(`${secret}${guess}`)).toEqual({ is: "wrong" });
  await clock.advance(15_000);
  expect(logins.redeem("again")).toEqual({ is: "too-many", retryAfterS: 45 });
  expect(logins.redeem(secret)).toEqual({ is: "right" });
  await clock.advance(45_000);
  expect(logins.redeem("later")).toEqual({ is: "wrong" });
});
