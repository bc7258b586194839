import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { isFlood, Pace } from "./pace.ts";
import { Pacer } from "./pacer.ts";

const DELAY = 1300;

function pacer(delayMs: number) {
  const clock = new FakeClock();
  const pace = new Pace(delayMs, clock);
  return { clock, pace, pacer: new Pacer(pace, clock) };
}

test.each([
  // What was said since the welcome, and how long the first message waits then.
  [0, 0],
  [3, 0],
  [4, 0],
  [5, DELAY],
  [7, 3 * DELAY],
  [10, 6 * DELAY],
  [100, 6 * DELAY],
])("after %i other lines a message waits %i ms", (lines, waitMs) => {
  const { pacer: it } = pacer(DELAY);
  for (let said = 0; said < 10; said += 1) it.charge();
  it.welcomed();
  for (let said = 0; said < lines; said += 1) it.charge();
  expect(it.waitMs()).toBe(waitMs);
});

test("says why a message does not leave at once", () => {
  const { pace, pacer: it } = pacer(DELAY);
  expect(it.why).toBeNull();
  it.spend();
  expect(it.why).toEqual({ code: "rate_limited", message: "Rialto sends one line every 1.3 s (MessageDelay)" });
  pace.punished();
  it.spend();
  const message = "Rialto sends one line every 2.6 s (slower than MessageDelay after flooding)";
  expect(it.why).toEqual({ code: "rate_limited", message });
});

test("one message leaves per MessageDelay, however long it was quiet before", async () => {
  const { clock, pacer: it } = pacer(DELAY);
  await clock.advance(60_000);
  for (let sent = 0; sent < 100; sent += 1) {
    expect(it.waitMs()).toBe(0);
    it.spend();
    expect(it.waitMs()).toBe(DELAY);
    await clock.advance(DELAY);
  }
});

test("without a MessageDelay nothing waits", () => {
  const { pacer: it } = pacer(0);
  for (let sent = 0; sent < 100; sent += 1) it.spend();
  expect([it.paced, it.waitMs()]).toEqual([false, 0]);
});

test.each([
  [0, [1300, 2600, 5200, 10_000, 10_000]],
  [1300, [2600, 5200, 10_000, 10_000]],
  [20_000, [20_000, 20_000]],
])("floods make the pace of %i ms slower: %j", (delayMs, delays) => {
  const { pace, pacer: it } = pacer(delayMs);
  for (const expected of delays) {
    pace.punished();
    expect(pace.delayMs).toBe(expected);
    it.spend();
    expect(it.waitMs()).toBe(expected);
  }
});

test("half an hour after the last flood the pace is as set", async () => {
  const { clock, pace } = pacer(DELAY);
  pace.punished();
  await clock.advance(29 * 60_000);
  pace.punished();
  await clock.advance(30 * 60_000 - 1);
  expect([pace.delayMs, pace.slowForMs]).toEqual([4 * DELAY, 1]);
  await clock.advance(1);
  expect([pace.delayMs, pace.slowForMs]).toEqual([DELAY, 0]);
  pace.punished();
  expect(pace.delayMs).toBe(2 * DELAY);
});

test.each([
  ["Closing Link: 127.0.0.1 (Excess Flood)", true],
  ["Closing link: (rialto@127.0.0.1) [Excess Flood]", true],
  ["Closing Link: rialto[127.0.0.1] (Excess Flood)", true],
  ["Closing link: (rialto@127.0.0.1) [RecvQ exceeded]", true],
  ["Closing Link: 127.0.0.1 (Max RecvQ exceeded)", true],
  ["Closing Link: 127.0.0.1 (Excessive flooding)", true],
  ["Closing connection: Flooding", true],
  ["Closing Link: 127.0.0.1 (Ping timeout: 120 seconds)", false],
  ["Closing Link: 127.0.0.1 (Killed (root (bye)))", false],
  ["Closing Link: 127.0.0.1 (SendQ exceeded)", false],
])("%j is the end of a flood: %s", (said, expected) => {
  expect(isFlood(said)).toBe(expected);
});
