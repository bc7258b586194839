import { expect, test } from "vitest";
import { DiskFloor } from "./floor.ts";

const FLOOR = 1000;

function watch(free: number): { floor: DiskFloor; disk: { free: number; looks: number } } {
  const disk = { free, looks: 0 };
  const floor = new DiskFloor(() => {
    disk.looks++;
    return disk.free;
  }, FLOOR);
  return { floor, disk };
}

test("looks at first, then once a second", () => {
  const { floor, disk } = watch(5000);
  for (const now of [0, 1, 500, 999]) expect(floor.below(now, 10)).toBeNull();
  expect(disk.looks).toBe(1);
  expect(floor.below(1000, 10)).toBeNull();
  expect(disk.looks).toBe(2);
});

test("looks sooner when much is written or after a doubt", () => {
  const { floor, disk } = watch(5000);
  floor.below(0, 0);
  floor.below(1, 4 * 1024 * 1024);
  expect(disk.looks).toBe(2);
  floor.below(2, 0);
  expect(disk.looks).toBe(2);
  floor.doubt();
  floor.below(3, 0);
  expect(disk.looks).toBe(3);
});

test("below the floor it tells what is free, and looks each time until there is room", () => {
  const { floor, disk } = watch(999);
  expect(floor.below(0, 0)).toBe(999);
  disk.free = 10;
  expect(floor.below(1, 0)).toBe(10);
  disk.free = 1000;
  expect(floor.below(2, 0)).toBeNull();
});
