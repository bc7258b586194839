import { expect, test } from "vitest";
import { startTime } from "./start-time.ts";

test("the time since the start is how long the program has run, also after the clock was set", () => {
  const clock = { wall: 1_000_000, mono: 50 };
  const started = startTime({ nowMs: () => clock.wall, monoMs: () => clock.mono });
  const pass = (ms: number): void => {
    clock.wall += ms;
    clock.mono += ms;
  };
  pass(7_000);
  // The two clocks are never read at the same moment.
  clock.mono += 3;
  expect(started()).toBe(1_000_000);
  for (const jump of [172_800_000, -86_400_000 * 3]) {
    clock.wall += jump;
    expect(clock.wall - started()).toBe(7_003);
  }
});
