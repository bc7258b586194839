import { expect, test } from "vitest";
import { Descriptors, type Shortage } from "./descriptors.ts";

function stage(limit: number) {
  const clock = { ms: 1_000 };
  const told: Shortage[] = [];
  const onShort = (shortage: Shortage): void => void told.push(shortage);
  return { clock, told, descriptors: new Descriptors({ limit, reserved: 10, nowMs: () => clock.ms, onShort }) };
}

test("what is reserved is left, and what is given back can be taken again", () => {
  const { descriptors, told } = stage(15);
  expect([descriptors.take(3), descriptors.take(3), descriptors.take(2), descriptors.take(1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  descriptors.give(3);
  expect(descriptors.take(3)).toBe(true);
  expect(told).toHaveLength(1);
});

test("a shortage is told of once a minute, and ends a minute after it was last felt", () => {
  const { descriptors, told, clock } = stage(10);
  expect(descriptors.shortage).toBeNull();
  for (let at = 0; at < 5; at += 1) expect(descriptors.take(1)).toBe(false);
  expect(told).toEqual([{ limit: 10, sinceMs: 1_000, refused: 1 }]);
  clock.ms += 59_999;
  descriptors.failed();
  expect(told).toHaveLength(1);
  clock.ms += 1;
  descriptors.failed();
  expect(told[1]).toEqual({ limit: 10, sinceMs: 1_000, refused: 7 });
  clock.ms += 59_999;
  expect(descriptors.shortage).toEqual({ limit: 10, sinceMs: 1_000, refused: 7 });
  clock.ms += 1;
  expect(descriptors.shortage).toBeNull();
  descriptors.failed();
  expect(descriptors.shortage).toEqual({ limit: 10, sinceMs: 121_000, refused: 1 });
});

test("before one is refused, others are asked to close what they can", () => {
  const { descriptors } = stage(11);
  expect(descriptors.take(1)).toBe(true);
  descriptors.relief.add(() => descriptors.give(1));
  expect([descriptors.take(1), descriptors.take(1)]).toEqual([false, true]);
});

test("where the system says no number there is no limit", () => {
  expect(stage(Infinity).descriptors.take(1e9)).toBe(true);
});
