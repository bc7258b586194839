import { expect, test } from "vitest";
import { Throttle } from "./throttle.ts";

test("one of a kind passes per window, the others are counted", () => {
  let now = 0;
  const throttle = new Throttle({ windowMs: 100, perWindowMax: 10, nowMs: () => now });
  expect(throttle.pass("a")).toEqual({ passes: true, suppressed: 0 });
  expect(throttle.pass("a").passes).toBe(false);
  expect(throttle.pass("b").passes).toBe(true);
  now = 99;
  expect(throttle.pass("a")).toEqual({ passes: false, suppressed: 2 });
  now = 100;
  expect(throttle.pass("a")).toEqual({ passes: true, suppressed: 2 });
});

test("ever new kinds do not get through without end", () => {
  let now = 0;
  const throttle = new Throttle({ windowMs: 100, perWindowMax: 3, nowMs: () => now });
  const passed = (): number =>
    Array.from({ length: 50 }, (_, i) => throttle.pass(`${now}/${i}`)).filter(({ passes }) => passes).length;
  expect(passed()).toBe(3);
  expect(passed()).toBe(0);
  now = 100;
  expect(passed()).toBe(3);
});

test("the memory of kinds is bounded", () => {
  const throttle = new Throttle({ windowMs: 100, perWindowMax: 2000, nowMs: () => 0 });
  for (let i = 0; i < 1001; i += 1) throttle.pass(String(i));
  expect(throttle.pass("0").passes).toBe(true);
  expect(throttle.pass("1000").passes).toBe(false);
});
