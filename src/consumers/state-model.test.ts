import { test } from "vitest";
import * as fc from "../../test/support/property.ts";
import { act, Model, rules } from "./state-model.suite.ts";

test("what was acknowledged never comes again, and all else comes, whatever happens", () => {
  fc.assert(
    fc.property(rules, fc.array(act, { maxLength: 60, size: "max" }), (given, acts) => {
      const model = new Model(given);
      for (const one of acts) model.act(one);
      model.drain();
    }),
    { numRuns: 2000 },
  );
});
