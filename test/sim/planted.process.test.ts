import { expect, test } from "vitest";
import { PLANTED } from "./planted.ts";
import { runSeed } from "./story.ts";

/** Most seeds that are tried when none of those that are known meets the bug any more. */
const SEEDS = 300;

test.each(PLANTED)("found: $bug", { timeout: 240_000 }, async ({ bugs, invariant, seeds }) => {
  const broken = new Set<string>();
  const others = Array.from({ length: SEEDS }, (_, at) => at + 1);
  for (const seed of new Set([...seeds, ...others])) {
    const { violations } = await runSeed(seed, { bugs });
    for (const violation of violations) broken.add(violation.invariant);
    if (broken.has(invariant)) break;
  }
  expect([...broken]).toContain(invariant);
});
