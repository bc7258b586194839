import { describe, expect, test } from "vitest";
import { worsen } from "./broken.ts";
import { casesFor, describeAdapter, runCase } from "./describe-adapter.ts";
import { fakeFixture } from "./fake-fixture.ts";
import { changes } from "./mistakes/changes.ts";
import { inbound } from "./mistakes/inbound.ts";
import { keeping } from "./mistakes/keeping.ts";
import { living } from "./mistakes/living.ts";
import { momentary } from "./mistakes/momentary.ts";
import { outbound } from "./mistakes/outbound.ts";

for (const idempotency of ["none", "echo", "key"] as const) {
  describeAdapter(`the fake network, idempotency by ${idempotency}`, fakeFixture({ idempotency }));
}
describeAdapter(
  "the fake network, rich, one line at a time",
  fakeFixture({ ops: "native", window: 1, inflightMax: 3 }),
);
describeAdapter("the fake network, short lines", fakeFixture({ limits: { textMax: 70 } }));
describeAdapter("the fake network, slow", fakeFixture({ latencyMs: 2 }));

describe("the suite finds an adapter that", () => {
  test.each([...inbound, ...outbound, ...changes, ...keeping, ...living, ...momentary])(
    "$name",
    async ({ foundBy, says, traits, parts }) => {
      const fixture = fakeFixture(traits, 400);
      const found = [...casesFor(fixture).values()].flat().find(({ name }) => name === foundBy);
      if (found === undefined) throw new Error(`there is no case "${foundBy}" for this network`);
      await runCase(found, fixture);
      await expect(runCase(found, { ...fixture, adapter: worsen(fixture.adapter, parts) })).rejects.toThrow(says);
    },
  );
});
