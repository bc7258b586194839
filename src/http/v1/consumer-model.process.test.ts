import { test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import { act, Run } from "./consumer-model.suite.ts";
import { v1Stage } from "./stage.suite.ts";

test("over HTTP, programs that die lose nothing, get what is free in order, and settle only what they had", async () => {
  const stage = await v1Stage();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 30, size: "max" }), async (ordered, acts) => {
      const run = new Run(stage, `c${(runs += 1)}`, ordered);
      await run.begin();
      for (const one of acts) await run.act(one);
      await run.drain();
    }),
    { numRuns: 400 },
  );
});
