import { describe, expect, test } from "vitest";
import { eventually } from "../support/wait.ts";
import type { Network, Side } from "./network.ts";
import { Town } from "./town.ts";

/** Why Rialto cannot do all of its work there. */
interface Refusal<S> {
  readonly what: string;
  readonly mode?: string;
  readonly broken: (side: S) => void;
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
    test.each(refusals)("$what: said in the log and by `status`, with the remedy", async (refusal) => {
      const { mode = network.modes[0], broken, says, mend, goesOn = false } = refusal;
      const town = await Town.found(network, { mode });
      broken(town.side);
      await town.begin();
      await town.until(() => says.test(town.rialto.output()), `${says} in the log`);
      await eventually(
        async () => await town.status(),
        (text) => says.test(text),
        () => `${says} in the status`,
      );
      expect(town.rialto.output()).not.toContain(town.side.secret);
      // The API's own bridge runs on.
      expect(await town.post("news")).not.toBe("");
      mend?.(town.side);
      if (goesOn || mend !== undefined) await town.fence("after");
    });
  });
}
