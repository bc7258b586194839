import { describe, expect } from "vitest";
import { eventually } from "../support/wait.ts";
import { SharedHome } from "./home.ts";
import type { Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

/** Why Rialto cannot do all of its work there. */
interface Refusal<S> {
  readonly what: string;
  readonly mode?: string;
  readonly broken: (side: S) => void;
  /** It shows at the first post. */
  readonly posts?: boolean;
  /** What both the log and `rialto status` say, with the remedy. */
  readonly says: RegExp;
  /** Takes the obstacle away, where Rialto then goes on by itself. */
  readonly mend?: (side: S) => void;
  /** People are heard all the same. */
  readonly goesOn?: boolean;
}

/** What operators are told, and that everything else goes on. */
export function describeRefusals<S extends Side>(network: Network<S>, refusals: readonly Refusal<S>[]): void {
  describe(`${network.protocol}, refusals`, () => {
    const home = new SharedHome(network, false);
    for (const refusal of refusals) {
      const { what, mode = network.modes[0], broken: before } = refusal;
      home.test(
        `${what}: said in the log and by \`status\`, with the remedy`,
        async (town) => await meet(town, refusal),
        { mode, before },
      );
    }
  });
}

async function meet<S extends Side>(
  town: Town<S>,
  { says, mend, posts = false, goesOn = false }: Refusal<S>,
): Promise<void> {
  if (posts) await town.post("the first");
  await town.until(() => says.test(town.printed()), `${says} in the log`);
  await eventually(
    async () => await town.status(),
    (text) => says.test(text),
    () => `${says} in the status`,
  );
  expect(town.printed()).not.toContain(town.side.secret);
  // The API's own bridge runs on.
  expect(await town.post("news")).not.toBe("");
  mend?.(town.side);
  if (goesOn || mend !== undefined) await town.fence("after");
}
