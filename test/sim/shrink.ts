import type { Bugs } from "./bugs.ts";
import type { Step } from "./steps.ts";
import { type Ended, runSeed } from "./story.ts";

/** Most runs that looking for a shorter story may take. */
const RUNS_MAX = 120;

/**
 * The shortest story found that still breaks the same invariant: steps are left out, first many at once, then one by
 * one.
 */
export async function shrink(failed: Ended, bugs: Bugs = {}): Promise<Ended> {
  const { seed } = failed;
  const invariant = failed.violations[0]?.invariant;
  let best = failed;
  let runs = 0;
  for (let size = Math.ceil(failed.steps.length / 2); size >= 1 && runs < RUNS_MAX;) {
    let isShorter = false;
    for (let at = best.steps.length - size; at >= 0 && runs < RUNS_MAX; at -= size) {
      const steps: readonly Step[] = [...best.steps.slice(0, at), ...best.steps.slice(at + size)];
      runs += 1;
      const ended = await runSeed(seed, { steps, bugs });
      if (ended.violations[0]?.invariant !== invariant) continue;
      best = ended;
      isShorter = true;
      at = Math.min(at, best.steps.length);
    }
    if (!isShorter || size > 1) size = size === 1 ? 0 : Math.floor(size / 2);
  }
  return best;
}
