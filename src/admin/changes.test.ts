import { expect, test } from "vitest";
import { array, assert, constantFrom, integer, property, record, uniqueArray } from "../../test/support/property.ts";
import { applyChange, changesBetween } from "./changes.ts";
import { aStatus, aView, NOW } from "./samples.suite.ts";
import type { StatusView } from "./views.ts";

const view = record({
  nowMs: integer(),
  ok: constantFrom(true, false),
  gateways: array(constantFrom("g", "h"), { maxLength: 3 }),
  head: integer({ min: 0, max: 2 }),
  freeBytes: integer(),
  accounts: uniqueArray(
    record({ key: constantFrom("a", "b", "c", "d"), accepted: integer({ min: 0, max: 1 }) }).map(aStatus),
    { selector: ({ key }) => key, maxLength: 4 },
  ),
}).map(({ head, freeBytes, ...rest }): StatusView => aView({ ...rest, log: { ...aView().log, head, freeBytes } }));

/** Without what is always otherwise. */
const steady = ({ log, ...rest }: StatusView) => ({ ...rest, nowMs: 0, loop: null, log: { ...log, freeBytes: null } });

test("a change makes the one status of the other, and nothing is told when they are the same", () => {
  assert(
    property(view, view, (before, after) => {
      const change = changesBetween(before, after);
      if (change === null) expect(steady(before)).toEqual(steady(after));
      else {
        const sent = JSON.parse(JSON.stringify(change)) as typeof change;
        expect(applyChange(before, sent)).toEqual(after);
        expect(steady(before)).not.toEqual(steady(after));
      }
    }),
    { numRuns: 2000 },
  );
});

test("what always drifts is no change by itself, but is told with one", () => {
  const before = aView();
  const later = aView({ nowMs: NOW + 1000, loop: { p50: 9, p99: 9, max: 9 }, log: { ...before.log, freeBytes: 1 } });
  expect(changesBetween(before, later)).toBeNull();
  const { nowMs, loop, log } = later;
  const change = changesBetween(before, { ...later, gateways: ["g", "new"] });
  expect(change).toEqual({ changed: { gateways: ["g", "new"], nowMs, loop, log }, accounts: [], order: null });
});

test("of accounts only those are told that are otherwise, and the order when one has come or gone", () => {
  const [one, two] = [aStatus({ key: "one" }), aStatus({ key: "two" })];
  const before = aView({ accounts: [one, two] });
  const heard = { ...two, heardMs: NOW };
  expect(changesBetween(before, aView({ accounts: [one, heard] }))).toMatchObject({ accounts: [heard], order: null });
  expect(changesBetween(before, aView({ accounts: [two] }))).toMatchObject({ accounts: [], order: ["two"] });
});
