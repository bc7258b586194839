import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { createGate, createPulse } from "./gate.ts";
import { connected, deferred, KEY, outletOf, part } from "./stage.suite.ts";

/** A clock that somebody sets; its timers do not mind. */
class SetClock extends FakeClock {
  offsetMs = 0;
  override nowMs(): number {
    return super.nowMs() + this.offsetMs;
  }
}

describe("a gate", () => {
  test("is closed until the latest moment it was given", async () => {
    const clock = new FakeClock(1_000);
    const gate = createGate(clock);
    expect(gate.untilMs).toBe(0);
    gate.hold(5_000);
    gate.hold(3_000);
    expect(gate.untilMs).toBe(5_000);
    await clock.advance(1_000);
    expect(gate.untilMs).toBe(5_000);
  });

  test("does not stay closed for hours when the clock is set back", async () => {
    const clock = new SetClock();
    const stage = await connected({ clock });
    await stage.say("1");
    await stage.end(1, deferred(1_000));
    clock.offsetMs = -7_200_000;
    await clock.advance(999);
    expect(stage.calls).toHaveLength(1);
    await clock.advance(1);
    expect(stage.calls).toHaveLength(2);
  });
});

describe("a handler that is silent for ten minutes", () => {
  const outletWith = (clock: FakeClock) => {
    const pulse = createPulse(clock);
    const outlet = { ...outletOf(() => new Promise(() => undefined)), pulse };
    return { pulse, outlet };
  };

  test("does not hang while other channels of its session go on: they may be before it in a queue", async () => {
    const stage = await connected({ idempotency: KEY });
    const { pulse, outlet } = outletWith(stage.clock);
    await stage.connect(outlet);
    await stage.say("1");
    for (let turn = 0; turn < 11; turn++) {
      await stage.clock.advance(599_999);
      pulse.beat();
    }
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(599_999);
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.stalls).toHaveLength(1);
  });

  test("hangs after two hours, whatever the others do", async () => {
    const stage = await connected({ idempotency: KEY });
    const { pulse, outlet } = outletWith(stage.clock);
    await stage.connect(outlet);
    await stage.say("1");
    for (let turn = 0; turn < 23; turn++) {
      await stage.clock.advance(300_000);
      pulse.beat();
    }
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(300_000);
    expect(stage.stalls).toHaveLength(1);
  });

  test("what it tells counts for the others; that it begins does not", async () => {
    const stage = await connected({ idempotency: KEY });
    const pulse = createPulse(stage.clock);
    await stage.connect({ ...stage.outlet(), pulse });
    const began = stage.clock.nowMs();
    await stage.clock.advance(1_000);
    await stage.say("1");
    expect(pulse.lastMs).toBe(began);
    stage.call(1).attempt.sent(part(1), []);
    expect(pulse.lastMs).toBe(began + 1_000);
    await stage.clock.advance(1_000);
    await stage.end(1, deferred(1_000));
    expect(pulse.lastMs).toBe(began + 2_000);
  });
});
