import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { SlackLimits } from "./limits.ts";

const never = new AbortController().signal;
const KIND = "conversations.history";

test("what is not forbidden is asked at once", async () => {
  const limits = new SlackLimits(new FakeClock());
  expect([limits.leftMs(KIND), await limits.inTurn(KIND, 0, never, () => Promise.resolve("asked"))]).toEqual([
    0,
    "asked",
  ]);
});

test("a ban counts for its kind, and passes", async () => {
  const clock = new FakeClock();
  const limits = new SlackLimits(clock);
  expect(limits.forbid(KIND, 30_000)).toBe(30_000);
  await clock.advance(10_000);
  expect([limits.leftMs(KIND), limits.leftMs("another")]).toEqual([20_000, 0]);
  await clock.advance(20_000);
  expect(limits.leftMs(KIND)).toBe(0);
});

test("one that does not say for how long is some seconds; nobody is shut out for days", () => {
  const limits = new SlackLimits(new FakeClock());
  expect([limits.forbid(KIND, null), limits.forbid(KIND, 0), limits.forbid(KIND, 1e12)]).toEqual([
    5_000, 50, 3_600_000,
  ]);
});

test("those who wait ask one after the other, and together again once one was answered", async () => {
  const clock = new FakeClock();
  const limits = new SlackLimits(clock);
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  const ask = async (at: number): Promise<number | null> =>
    await limits.inTurn(KIND, 60_000, never, async () => {
      asked.push(at);
      await new Promise<void>((resolve) => answers.push(resolve));
      return at;
    });
  limits.forbid(KIND, 1_000);
  const all = Promise.all([ask(1), ask(2), ask(3)]);
  await clock.advance(999);
  expect(asked).toEqual([]);
  await clock.advance(1);
  expect(asked).toEqual([1]);
  // The first one is refused again.
  limits.forbid(KIND, 2_000);
  answers.shift()?.();
  await clock.advance(1_999);
  expect(asked).toEqual([1]);
  await clock.advance(1);
  expect(asked).toEqual([1, 2]);
  answers.shift()?.();
  await clock.advance(0);
  expect(asked).toEqual([1, 2, 3]);
  answers.shift()?.();
  expect(await all).toEqual([1, 2, 3]);
  expect(clock.waiting).toBe(0);
});

test.each([
  ["a ban that is longer", 5_000, never],
  ["a wait that is over", 20_000, AbortSignal.abort()],
])("nobody asks after %s than he waits", async (_, waitMs, signal) => {
  const limits = new SlackLimits(new FakeClock());
  limits.forbid(KIND, 10_000);
  expect(await limits.inTurn(KIND, waitMs, signal, () => Promise.resolve("asked"))).toBeNull();
});

test("who is told to stop asks nothing more", async () => {
  const clock = new FakeClock();
  const limits = new SlackLimits(clock);
  const stop = new AbortController();
  limits.forbid(KIND, 10_000);
  const waiting = limits.inTurn(KIND, 60_000, stop.signal, () => Promise.resolve("asked"));
  stop.abort();
  expect(await waiting).toBeNull();
  expect(clock.waiting).toBe(0);
});

test("bans that have passed are forgotten", async () => {
  const clock = new FakeClock();
  const limits = new SlackLimits(clock);
  for (let at = 0; at < 2_000; at += 1) limits.forbid(`post C${at}`, 1_000);
  await clock.advance(1_000);
  limits.forbid("post one more", 1_000);
  expect([limits.leftMs("post one more"), limits.leftMs("post C0")]).toEqual([1_000, 0]);
});
