import { describe, test } from "vitest";
import { acting } from "./cases/acting.ts";
import { answering } from "./cases/answering.ts";
import type { Case } from "./cases/case.ts";
import { changing } from "./cases/changing.ts";
import { files } from "./cases/files.ts";
import { history } from "./cases/history.ts";
import { joining } from "./cases/joining.ts";
import { losing } from "./cases/losing.ts";
import { opening } from "./cases/opening.ts";
import { now } from "./cases/now.ts";
import { parts } from "./cases/parts.ts";
import { posting } from "./cases/posting.ts";
import { receiving } from "./cases/receiving.ts";
import { stopping } from "./cases/stopping.ts";
import { topics } from "./cases/topics.ts";
import type { Fixture } from "./fixture.ts";
import { Stage } from "./stage.ts";

/** Everything an adapter promises, in the order in which it is best mended. */
const groups = {
  opening,
  joining,
  receiving,
  posting,
  "posts in parts": parts,
  changing,
  topics,
  answering,
  "what people do": acting,
  "what is only true now": now,
  files,
  losing,
  history,
  stopping,
} satisfies Readonly<Record<string, readonly Case[]>>;

export type Group = keyof typeof groups;

/** The cases that this network's capabilities and its harness allow, by group. */
export function casesFor({ adapter: { capabilities }, features }: Fixture): ReadonlyMap<string, readonly Case[]> {
  const chosen = Object.entries<readonly Case[]>(groups).map(
    ([group, cases]) =>
      [group, cases.filter((one) => one.when === undefined || one.when(capabilities, features))] as const,
  );
  return new Map(chosen.filter(([, cases]) => cases.length > 0));
}

/** Runs one case on a harness of its own, which is disposed of whatever happens. Rejects with what broke. */
export async function runCase(one: Case, fixture: Fixture): Promise<void> {
  const harness = await fixture.start();
  const stage = new Stage(fixture, harness);
  try {
    await one.run(stage);
    stage.expectSoundProgress();
  } finally {
    await stage.end();
    await harness.dispose();
  }
}

/**
 * The suite that every adapter passes: `describeAdapter("protocol on server", ground)` in its `contract.test.ts`.
 * `leftOut`: groups that another ground of the same adapter proves for this one as well.
 */
export function describeAdapter(name: string, fixture: Fixture, leftOut: readonly Group[] = []): void {
  const without = new Set<string>(leftOut);
  describe(`the contract, kept by ${name}`, () => {
    for (const [group, cases] of casesFor(fixture)) {
      if (without.has(group)) continue;
      describe(group, () => {
        for (const one of cases) test(one.name, async () => await runCase(one, fixture));
      });
    }
  });
}
