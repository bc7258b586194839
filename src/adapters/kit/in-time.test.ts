import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { inTime, pause } from "./in-time.ts";

test("what is done in time counts, and what comes too late does not", async () => {
  const clock = new FakeClock();
  const otherwise = (why: string): string => why;
  expect(await inTime(Promise.resolve("done"), { clock, ms: 10 }, otherwise)).toBe("done");
  const work = Promise.withResolvers<string>();
  const late = inTime(work.promise, { clock, ms: 10 }, otherwise);
  const aborted = new AbortController();
  const given = inTime(work.promise, { clock, ms: 10, signal: aborted.signal }, otherwise);
  aborted.abort();
  await clock.advance(10);
  work.reject(new Error("nobody hears it"));
  expect([await late, await given]).toEqual(["late", "aborted"]);
  await expect(inTime(work.promise, { clock, ms: 10 }, otherwise)).rejects.toThrow("nobody");
  expect(await inTime(new Promise(() => undefined), { clock, ms: 10, signal: AbortSignal.abort() }, otherwise)).toBe(
    "aborted",
  );
  expect(clock.waiting).toBe(0);
});

test("a pause ends early when something is over", async () => {
  const clock = new FakeClock();
  await pause(10, clock, Promise.resolve());
  const whole = pause(10, clock, new Promise(() => undefined));
  await clock.advance(10);
  await whole;
  expect(clock.waiting).toBe(0);
});
