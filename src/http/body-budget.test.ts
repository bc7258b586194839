import { describe, expect, test } from "vitest";
import { BodyBudget, type BodyLimits, type HeldBody } from "./body-budget.ts";

/** In units of one byte, so that the sums can be read. */
const LIMITS: BodyLimits = { bytes: 640, reservedBytes: 160, smallBytes: 10, paceBytes: 5, paceMs: 10_000 };

function stage() {
  const clock = { ms: 0 };
  const budget = new BodyBudget(LIMITS, () => clock.ms);
  const dropped: string[] = [];
  const hold = (name: string, announced = 0): HeldBody => budget.hold(announced, () => void dropped.push(name));
  const large = (name: string, bytes: number): HeldBody => {
    const body = hold(name, 1000);
    expect(body.grow(bytes)).toBe(true);
    return body;
  };
  return { clock, budget, dropped, hold, large };
}

test("large bodies leave the reserve to small ones, and what is released is free again", () => {
  const { budget, hold, large } = stage();
  const first = large("a", 240);
  large("b", 240);
  const third = hold("c", 1000);
  expect(third.grow(1)).toBe(false);
  const small = Array.from({ length: 17 }, (_, at) => hold(`s${at}`, 9));
  expect(small.map((body) => body.grow(9)).indexOf(false)).toBe(-1);
  expect(budget.bytes).toBe(480 + 153);
  expect(hold("s", 9).grow(8)).toBe(false);
  first.release();
  first.release();
  expect(third.grow(240)).toBe(true);
  for (const body of small) body.release();
  expect(budget.bytes).toBe(480);
});

test("small bodies may use all, and large ones what is left", () => {
  const { budget, hold } = stage();
  for (let at = 0; at < 70; at += 1) expect(hold(`s${at}`, 9).grow(9)).toBe(true);
  expect(budget.bytes).toBe(630);
  expect(hold("lone", 1000).grow(20)).toBe(true);
  expect(hold("second", 1000).grow(1)).toBe(false);
});

test("a body that says no length is small until it is not", () => {
  const { hold, large } = stage();
  large("a", 240);
  large("b", 240);
  const body = hold("c");
  expect(body.grow(9)).toBe(true);
  expect(body.grow(1)).toBe(false);
});

test("a large body that is alone may have any size, and others have the reserve meanwhile", () => {
  const { hold, large } = stage();
  const lone = large("a", 600);
  expect(lone.grow(5000)).toBe(true);
  expect(hold("b", 1000).grow(1)).toBe(false);
  for (let at = 0; at < 17; at += 1) expect(hold(`s${at}`, 9).grow(9)).toBe(true);
  expect(hold("s", 9).grow(9)).toBe(false);
});

describe("when there is no room", () => {
  test("the slowest goes first, and only as many as must", () => {
    const { clock, dropped, hold, large } = stage();
    large("slow", 200);
    clock.ms = 1;
    large("slower still, but later", 200);
    clock.ms = 9_999;
    const quick = large("quick", 80);
    expect(hold("early", 1000).grow(10)).toBe(false);
    clock.ms = 10_001;
    expect(hold("next", 1000).grow(150)).toBe(true);
    expect(dropped).toEqual(["slow"]);
    expect(quick.grow(200)).toBe(true);
    expect(dropped).toEqual(["slow", "slower still, but later"]);
    expect(hold("last", 1000).grow(300)).toBe(false);
  });

  test("what moves enough stays, and what moves a little does not", () => {
    const { clock, dropped, hold, large } = stage();
    const steady = large("steady", 200);
    const trickle = large("trickle", 200);
    for (clock.ms = 2_000; clock.ms <= 20_000; clock.ms += 2_000) {
      expect(steady.grow(1) && (clock.ms % 10_000 !== 0 || trickle.grow(1))).toBe(true);
    }
    expect(hold("next", 1000).grow(200)).toBe(true);
    expect(dropped).toEqual(["trickle"]);
  });

  test("a slow one that asks for more itself is refused", () => {
    const { clock, dropped, large } = stage();
    const slow = large("slow", 240);
    large("other", 240);
    clock.ms = 10_000;
    expect(slow.grow(1)).toBe(false);
    expect(dropped).toEqual([]);
  });

  test("a slow small one does not go for a large one that it is not in the way of", () => {
    const { clock, dropped, hold, large } = stage();
    const small = hold("small", 9);
    expect(small.grow(9)).toBe(true);
    clock.ms = 10_000;
    large("a", 240);
    large("b", 240);
    expect(hold("c", 1000).grow(1)).toBe(false);
    for (let at = 0; at < 16; at += 1) expect(hold(`s${at}`, 9).grow(9)).toBe(true);
    expect(dropped).toEqual([]);
    expect(hold("s", 9).grow(9)).toBe(true);
    expect(dropped).toEqual(["small"]);
  });
});
