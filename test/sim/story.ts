import type { Bugs } from "./bugs.ts";
import { Chance } from "./chance.ts";
import type { CountsData } from "./counts.ts";
import { judge } from "./judge.ts";
import { realTurn, takeOver } from "./machine.ts";
import { settingOf } from "./setting.ts";
import { type Step, storyOf } from "./steps.ts";
import { tell } from "./tell.ts";
import type { Violation } from "./oracle.ts";
import { SimHarness } from "./harness.ts";

export interface Ended {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly violations: readonly Violation[];
  readonly counts: CountsData;
}

/** The steps that this seed takes. */
export function stepsOf(seed: number): readonly Step[] {
  const chance = new Chance(seed);
  return storyOf(settingOf(chance.fork()), chance.fork());
}

/**
 * Runs a seed from its beginning to its verdict; with `steps`, other ones than its own. Never rejects for what the
 * program does.
 */
export async function runSeed(
  seed: number,
  { steps = stepsOf(seed), bugs = {} }: { readonly steps?: readonly Step[]; readonly bugs?: Bugs } = {},
): Promise<Ended> {
  const chance = new Chance(seed);
  const setting = settingOf(chance.fork());
  chance.fork();
  const harness = new SimHarness(setting, chance.fork(), bugs);
  const giveBack = takeOver(harness.loop);
  try {
    for (const step of steps) {
      await tell(harness, step);
      if (harness.oracle.violations.length > 0) break;
    }
    if (harness.oracle.violations.length === 0) await judge(harness);
  } catch (error) {
    harness.oracle.fail("no throw", error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    harness.end();
    await harness.loop.flush();
    giveBack();
  }
  await realTurn();
  return { seed, steps, violations: harness.oracle.violations, counts: harness.counts.data };
}
