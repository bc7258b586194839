import { expect, test } from "vitest";
import { Taken } from "./taken.ts";

test("the position is the highest that any connection has taken, and stays when that ends in order", () => {
  const taken = new Taken(3);
  const one = taken.open(0);
  const two = taken.open(0);
  expect(taken.took(one, 5)).toBe(true);
  expect(taken.took(two, 4)).toBe(false);
  expect(taken.position).toBe(5);
  expect(taken.close(one, false, 0)).toBe(false);
  expect(taken.close(two, false, 0)).toBe(false);
  expect(taken.position).toBe(5);
});

test("a reset gives back what was written within the last second, not what was before", () => {
  const taken = new Taken(0);
  const reading = taken.open(0);
  for (const [atMs, item] of [
    [0, 0],
    [5_000, 1],
    [5_500, 2],
    [5_900, 3],
  ] as const) {
    taken.wrote(reading, item, atMs);
    taken.took(reading, item + 1);
  }
  expect(taken.close(reading, true, 6_300)).toBe(true);
  expect(taken.position).toBe(2);
});

test("what was written a second ago is read for certain", () => {
  const taken = new Taken(0);
  const reading = taken.open(0);
  taken.wrote(reading, 0, 0);
  taken.took(reading, 4);
  expect(taken.close(reading, true, 1_200)).toBe(false);
  expect(taken.position).toBe(4);
});

test("writes close to each other are kept as one", () => {
  const taken = new Taken(0);
  const reading = taken.open(0);
  for (let item = 0; item < 1000; item += 1) taken.wrote(reading, item, item);
  expect(reading.lately.length).toBeLessThan(12);
});

test.each([
  { isReset: true, taken: 3 },
  { isReset: true, taken: 0 },
  { isReset: false, taken: 0 },
])(
  "the first item of a backlog is read when the connection ends: $isReset, $taken taken",
  ({ isReset, taken: upTo }) => {
    const taken = new Taken(0);
    const reading = taken.open(0);
    reading.sure = 1;
    taken.wrote(reading, 0, 0);
    taken.took(reading, upTo);
    taken.close(reading, isReset, 10);
    expect(taken.position).toBe(1);
  },
);

test("what another open connection has taken is not given back", () => {
  const taken = new Taken(0);
  const one = taken.open(0);
  const two = taken.open(0);
  for (const reading of [one, two]) taken.wrote(reading, 0, 0);
  taken.took(one, 4);
  taken.took(two, 3);
  expect(taken.close(one, true, 10)).toBe(true);
  expect(taken.position).toBe(3);
  expect(taken.close(two, true, 10)).toBe(true);
  expect(taken.position).toBe(0);
});

test("a connection that has ended takes nothing more", () => {
  const taken = new Taken(0);
  const reading = taken.open(0);
  taken.close(reading, false, 0);
  expect(taken.took(reading, 4)).toBe(false);
  expect(taken.position).toBe(0);
});

test("after a reset, the disk is told of a connection in its first second when its first item, or all, is read for certain", () => {
  const taken = new Taken(2);
  const broken = taken.open(0);
  taken.wrote(broken, 2, 0);
  taken.took(broken, 9);
  expect(taken.settled(0)).toBe(9);
  taken.close(broken, true, 0);
  const reading = taken.open(0);
  reading.sure = 3;
  taken.took(reading, 9);
  expect([taken.position, taken.settled(999), taken.settled(1_000)]).toEqual([9, 3, 9]);
  taken.close(reading, false, 999);
  expect(taken.settled(999)).toBe(9);
});

test("a minute after the last reset it is told of all that was taken", () => {
  const taken = new Taken(0);
  const broken = taken.open(0);
  taken.wrote(broken, 0, 0);
  taken.took(broken, 2);
  taken.close(broken, true, 0);
  taken.took(taken.open(60_000), 5);
  expect([taken.settled(59_999), taken.settled(60_000)]).toEqual([0, 5]);
});
