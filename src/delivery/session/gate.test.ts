import { describe, expect, test } from "vitest";
import type { FakeClock } from "../../../test/support/fake-clock.ts";
import { createGate, createActivity } from "./gate.ts";
import { connected, deferred, delivered, KEY, outletOf, part } from "../stage.suite.ts";

describe("a gate", () => {
  test("is closed until the latest moment it was given", () => {
    const gate = createGate();
    expect(gate.untilMs).toBe(0);
    gate.hold(5_000);
    gate.hold(3_000);
    expect(gate.untilMs).toBe(5_000);
  });

  test.each([
    ["ahead", 7_200_000],
    ["back", -7_200_000],
  ])("is closed for as long as it was to be when the clock is set %s", async (_, ms) => {
    const stage = await connected();
    const { clock } = stage;
    await stage.say("1");
    await stage.end(1, deferred(1_000));
    clock.jump(ms);
    await stage.say("2");
    await clock.advance(999);
    expect(stage.calls).toHaveLength(1);
    await clock.advance(1);
    expect(stage.calls).toHaveLength(2);
  });
});

describe("a handler while the clock is set", () => {
  test("does not hang because of it: what it says in the end counts", async () => {
    const stage = await connected();
    await stage.say("1");
    stage.clock.jump(3 * 3_600_000);
    await stage.clock.advance(60_000);
    expect(stage.stalls).toEqual([]);
    await stage.end(1, delivered);
    expect(await stage.receipts()).toEqual([]);
  });

  test("hangs after ten minutes all the same when it is set back", async () => {
    const stage = await connected();
    await stage.say("1");
    stage.clock.jump(-3 * 3_600_000);
    await stage.clock.advance(599_999);
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.stalls).toHaveLength(1);
  });

  test.each([
    ["ahead", 3_600_000],
    ["back", -3_600_000],
  ])("has ten seconds to end when its session is gone, also when it is set %s", async (_, ms) => {
    const stage = await connected();
    await stage.say("1");
    stage.lane.disconnect({ code: "network", message: "gone" });
    stage.clock.jump(ms);
    await stage.connect();
    await stage.say("2");
    await stage.clock.advance(9_999);
    expect(stage.texts).toEqual(["1"]);
    // And what is given up then waits for its next try.
    await stage.clock.advance(60_000);
    expect(stage.texts.length).toBeGreaterThan(1);
  });
});

describe("a handler that is silent for ten minutes", () => {
  const outletWith = (clock: FakeClock) => {
    const activity = createActivity(clock);
    const sink = { ...outletOf(() => new Promise(() => undefined)), activity };
    return { activity, sink };
  };

  test("does not hang while other channels of its session go on: they may be before it in a queue", async () => {
    const stage = await connected({ idempotency: KEY });
    const { activity, sink } = outletWith(stage.clock);
    await stage.connect(sink);
    await stage.say("1");
    for (let turn = 0; turn < 11; turn++) {
      await stage.clock.advance(599_999);
      activity.beat();
    }
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(599_999);
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.stalls).toHaveLength(1);
  });

  test("hangs after two hours, whatever the others do", async () => {
    const stage = await connected({ idempotency: KEY });
    const { activity, sink } = outletWith(stage.clock);
    await stage.connect(sink);
    await stage.say("1");
    for (let turn = 0; turn < 23; turn++) {
      await stage.clock.advance(300_000);
      activity.beat();
    }
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(300_000);
    expect(stage.stalls).toHaveLength(1);
  });

  test("what it tells counts for the others; that it begins does not", async () => {
    const stage = await connected({ idempotency: KEY });
    const activity = createActivity(stage.clock);
    await stage.connect({ ...stage.sink(), activity });
    const began = stage.clock.monoMs();
    await stage.clock.advance(1_000);
    await stage.say("1");
    expect(activity.lastMs).toBe(began);
    stage.call(1).attempt.sent(part(1), []);
    expect(activity.lastMs).toBe(began + 1_000);
    await stage.clock.advance(1_000);
    await stage.end(1, deferred(1_000));
    expect(activity.lastMs).toBe(began + 2_000);
  });
});
