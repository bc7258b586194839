import { expect, test } from "vitest";
import { Random } from "./random.ts";
import { report, runTarget } from "./runner.ts";
import type { Target } from "./target.ts";
import { TARGETS } from "./targets/all.ts";

/** Each of their inputs is many requests, and costs fifty times as much as those of the others. */
const DEAR: ReadonlySet<string> = new Set(["slack", "telegram", "web"]);

// A sample, the same on each run; `npm run fuzz` goes on for as long as one likes, judges time and growth, and has the
// whole program as well.
test.each(TARGETS.map((target) => [target.name, target] as const))("%s", async (name, target) => {
  const count = DEAR.has(name) ? 25 : 100;
  const ran = await runTarget(target, { seed: 1, count });
  expect(report(target, 1, ran)).toBe("");
  expect(ran.inputs).toBe(count);
});

test("the same seed gives the same inputs", () => {
  for (const target of TARGETS) {
    const shown = [1, 1, 2].map((seed) => [3, 4, 5].map((turn) => target.make(new Random(seed, turn)).show()).join());
    expect(shown[0]).toBe(shown[1]);
    expect(shown[0]).not.toBe(shown[2]);
  }
});

const failing = (run: () => void | Promise<void>): Target => ({
  name: "x",
  make: () => ({ run, show: () => "the input" }),
});

test.each([
  ["what is thrown", () => fail()],
  ["what rejects", () => Promise.reject(new Error("wrong"))],
  [
    "what is left unhandled",
    () => {
      void Promise.reject(new Error("wrong"));
      return Promise.resolve();
    },
  ],
] as const)("%s is a failure, shown once with its input", async (_, run) => {
  const handlers = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  const target = failing(run);
  const ran = await runTarget(target, { seed: 9, count: 3 });
  for (const handler of handlers) process.on("unhandledRejection", handler);
  expect(report(target, 9, ran)).toContain("npm run fuzz -- x --seed 9 --at 0\n");
  expect(report(target, 9, ran)).toContain("wrong");
  expect(ran.failures).toHaveLength(1);
});

function fail(): void {
  throw new Error("wrong");
}
