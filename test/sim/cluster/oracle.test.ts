import { expect, test } from "vitest";
import { STEP_MS } from "./net.ts";
import { ClusterOracle } from "./oracle.ts";

/** Sessions of one account, one after the other: who has one, and for how long. */
function violationsOf(...turns: readonly (readonly [forMs: number, ...runners: string[]])[]): readonly string[] {
  const oracle = new ClusterOracle();
  let nowMs = 0;
  for (const [forMs, ...runners] of turns) {
    for (const untilMs = nowMs + forMs; nowMs < untilMs; nowMs += STEP_MS) {
      oracle.sessions("net.a", runners, nowMs, false);
    }
  }
  return oracle.violations.map(({ invariant, what }) => `${invariant}: ${what}`);
}

test("two that have a session for long are found, also when a third comes and goes", () => {
  const found = ["no two sessions for long: net.a by n1 and n2 from 0 to 14000 ms"];
  expect(violationsOf([15_000, "n1", "n2"])).toEqual(found);
  expect(violationsOf([5000, "n1", "n2"], [5000, "n1", "n2", "n3"], [5000, "n1", "n2"])).toEqual(found);
});

test("overlaps of different two are not added up", () => {
  expect(violationsOf([9000, "n1", "n2"], [9000, "n1", "n3"], [9000, "n2", "n3"])).toEqual([]);
  expect(violationsOf([9000, "n1", "n2"], [50, "n1"], [9000, "n1", "n2"])).toEqual([]);
});
