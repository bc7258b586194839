import { describe, expect, test } from "vitest";
import { CLUSTER_PLANTED } from "./planted.ts";
import { runClusterSeed } from "./story.ts";

/** A small sample, with one of 100 nodes; `npm run sim -- --cluster` runs as many as you like. */
const SEEDS = [...Array.from({ length: 30 }, (_, at) => at + 1), 250];

test.each(SEEDS)("seed %i", { timeout: 120_000 }, (seed) => {
  const { violations, what, faults } = runClusterSeed(seed);
  expect([what, faults, violations]).toEqual([what, faults, []]);
});

test("a seed is the same story every time", { timeout: 120_000 }, () => {
  expect(runClusterSeed(7)).toEqual(runClusterSeed(7));
});

describe.each(CLUSTER_PLANTED)("the oracle finds it when $bug", ({ bugs, seeds, invariant }) => {
  test("in one of a few seeds", { timeout: 120_000 }, () => {
    const found = seeds.flatMap((seed) => runClusterSeed(seed, bugs).violations.map((each) => each.invariant));
    expect(found).toContain(invariant);
  });
});
