import { expect, test } from "vitest";
import { array, assert, constantFrom, integer, property, tuple } from "../../test/support/property.ts";
import { type HistoryState, StateRing } from "./state-ring.ts";

test("the worst state of a stretch counts, and what is longer ago than the ring is gone", () => {
  const ring = new StateRing(4);
  for (const state of ["ok", "down", "degraded", "none"] as const) ring.note(10, state);
  ring.note(11, "ok");
  expect(ring.runs(11)).toEqual([
    ["none", 2],
    ["down", 1],
    ["ok", 1],
  ]);
  ring.note(14, "degraded");
  expect(ring.runs(14)).toEqual([
    ["ok", 1],
    ["none", 2],
    ["degraded", 1],
  ]);
});

test("what the clock skips is not known, also when it skips more than the ring holds", () => {
  const ring = new StateRing(4);
  ring.note(5, "down");
  ring.note(1_000_005, "ok");
  expect(ring.runs(1_000_005)).toEqual([
    ["none", 3],
    ["ok", 1],
  ]);
  expect(ring.runs(1_000_007)).toEqual([
    ["none", 1],
    ["ok", 1],
    ["none", 2],
  ]);
});

test("a clock that is set back forgets what would be to come, and keeps what was before", () => {
  const ring = new StateRing(4);
  for (const at of [7, 8, 9, 10]) ring.note(at, at === 8 ? "degraded" : "down");
  ring.note(8, "ok");
  expect(ring.runs(10)).toEqual([
    ["down", 1],
    ["degraded", 1],
    ["none", 2],
  ]);
  ring.note(3, "ok");
  expect(ring.runs(3)).toEqual([
    ["none", 3],
    ["ok", 1],
  ]);
});

const step = tuple(integer({ min: 0, max: 40 }), constantFrom<HistoryState[]>("none", "ok", "degraded", "down"));

test("it is as a map of all stretches would have it, whatever the clock does, and the same when read again", () => {
  assert(
    property(array(step, { maxLength: 60 }), (steps) => {
      const ring = new StateRing(8);
      const order: readonly HistoryState[] = ["none", "ok", "degraded", "down"];
      let model = new Map<number, number>();
      let last = 0;
      for (const [at, state] of steps) {
        ring.note(at, state);
        model = new Map([...model].filter(([each]) => each <= at && each > at - 8));
        model.set(at, Math.max(model.get(at) ?? 0, order.indexOf(state)));
        last = at;
      }
      const again = StateRing.decode(ring.encode(), 8);
      for (let at = 0; at <= 50; at += 1) {
        const expected = order[at > last - 8 ? (model.get(at) ?? 0) : 0];
        expect([ring.at(at), again.at(at)]).toEqual([expected, expected]);
      }
    }),
    { numRuns: 2000 },
  );
});

test("what was kept is read as far as it can be", () => {
  expect(StateRing.decode("7:o2x1", 4).runs(7)).toEqual([
    ["none", 1],
    ["ok", 2],
    ["down", 1],
  ]);
  for (const text of ["", "x", "7", "7:", "-1:o3", "7:z4", "99999999999999:o1"]) {
    expect(StateRing.decode(text, 4).runs(7)).toEqual([["none", 4]]);
  }
  expect(StateRing.decode("7:o9999o9999", 4).runs(7)).toEqual([["ok", 4]]);
});
