import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Idempotency } from "../contract/capabilities.ts";
import { KEY, NONE } from "./stage.suite.ts";
import { type Fault, World } from "./harness.suite.ts";

/** Lets the last life of the program finish, and checks what a lane promises. */
async function checkPromises(harness: World): Promise<void> {
  if (harness.dead) await harness.start();
  harness.survive();
  harness.stage.log.refuses = null;
  harness.faults.length = 0;
  harness.connect();
  await harness.pass(600_000);
  const { disk, stage, heard, announced, messages } = harness;
  expect(stage.lane.cursor).toBe(stage.log.head);
  expect(stage.cursorOnDisk).toBe(stage.log.head);

  const states = new Map((await stage.receipts()).map(({ seq, state }) => [seq, state]));
  const lost = disk.entries.flatMap(({ seq, payload }) => {
    const [message = 0, parts = 0] = payload.split("/").map(Number);
    const complete = heard.filter(([of]) => of === message).length >= parts;
    const state = states.get(seq) ?? "nothing";
    return complete || ["unconfirmed", "failed"].includes(state) ? [] : [`${payload}: ${state}`];
  });
  expect(lost, "neither sent nor recorded").toEqual([]);

  const runtimes = heard.map(([message, part]) => `${message}.${part}`);
  expect(new Set(runtimes).size, `doubled: ${runtimes.join(" ")}`).toBe(runtimes.length);
  const unconfirmed = disk.entries.filter(({ seq }) => states.get(seq) === "unconfirmed");
  if (harness.idempotency.by === "none") {
    const order = heard.map(([message, part]) => message * 100 + part);
    expect(order, "out of order").toEqual([...order].sort((a, b) => a - b));
    for (const { payload } of unconfirmed)
      expect(announced, "never announced").toContain(Number(payload.split("/")[0]));
    expect(unconfirmed.length).toBeLessThanOrEqual(harness.doubts);
  } else {
    expect(unconfirmed).toEqual([]);
  }
  expect(messages).toBe(disk.entries.length);
}

describe.each<[string, Idempotency, number]>([
  ["none, one at once", NONE, 1],
  ["none, three at once", NONE, 3],
  ["key, one at once", KEY, 1],
  ["key, three at once", KEY, 3],
])("%s", (_, idempotency, inflightMax) => {
  test("a crash at every step: nothing is lost in silence, nothing comes twice", async () => {
    let crashes = 0;
    for (let diesAt = 1; ; diesAt++) {
      const harness = new World(idempotency, inflightMax);
      await harness.start(Infinity);
      const first = harness.steps;
      harness.faults.push("none", "deferred", "none", "unknown, arrived", "none", "unknown, lost");
      harness.killAfter(diesAt);
      for (const runtimes of [1, 3, 1, 2, 1, 2]) harness.say(runtimes);
      harness.connect();
      await harness.pass(10_000);
      const { dead, steps } = harness;
      await checkPromises(harness);
      if (!dead) {
        expect(steps - first).toBeLessThan(diesAt);
        break;
      }
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(20);
  });
});

type Move =
  | { readonly is: "say"; readonly parts: number }
  | { readonly is: "pass"; readonly ms: number }
  | { readonly is: "fault"; readonly fault: Fault }
  | { readonly is: "die"; readonly steps: number }
  | { readonly is: "connect" | "disconnect" | "kill" | "refuse" | "accept" };

const FAULTS: readonly Fault[] = [
  "none",
  "deferred",
  "rejected",
  "unknown, arrived",
  "unknown, lost",
  "throw before",
  "throw after",
];

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant("say" as const), parts: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant("pass" as const), ms: fc.constantFrom(0, 1, 2, 3, 5, 9, 2_000) }),
  },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("fault" as const), fault: fc.constantFrom(...FAULTS) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("die" as const), steps: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constantFrom("connect" as const, "connect" as const, "disconnect" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom("kill" as const, "refuse" as const, "accept" as const) }) },
);

async function apply(harness: World, made: Move): Promise<void> {
  switch (made.is) {
    case "say":
      return harness.say(made.parts);
    case "pass":
      return await harness.pass(made.ms);
    case "fault":
      return void harness.faults.push(made.fault);
    case "die":
      return harness.killAfter(made.steps);
    case "connect":
      return harness.connect();
    case "disconnect":
      return harness.disconnect();
    case "kill":
      return harness.kill();
    case "refuse":
      harness.stage.log.refuses = "disk_full";
      return;
    case "accept":
      harness.stage.log.refuses = null;
      return;
  }
}

test("whatever happens: nothing is lost in silence, and nothing comes twice", async () => {
  const setting = fc.record({
    idempotency: fc.constantFrom(KEY, NONE, NONE),
    inflightMax: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(setting, fc.array(move, { maxLength: 40 }), async ({ idempotency, inflightMax }, moves) => {
      const harness = new World(idempotency, inflightMax);
      await harness.start();
      for (const made of moves) {
        if (harness.dead) await harness.start();
        await apply(harness, made);
      }
      await checkPromises(harness);
    }),
    { numRuns: 300 },
  );
});
