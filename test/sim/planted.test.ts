import { expect, test } from "vitest";
import { PLANTED } from "./planted.ts";
import { runSeed } from "./story.ts";

/** Most seeds that it may take to meet a bug. */
const SEEDS = 200;

test.each(PLANTED)("found: $bug", { timeout: 240_000 }, async ({ bugs, invariant }) => {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS && !broken.has(invariant); seed += 1) {
    const { violations } = await runSeed(seed, { bugs });
    for (const violation of violations) broken.add(violation.invariant);
  }
  expect([...broken]).toContain(invariant);
});
