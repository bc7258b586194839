import { expect, test } from "vitest";
import { Chance } from "../chance.ts";
import { Net } from "./net.ts";
import { SimNode } from "./node.ts";
import { ClusterOracle } from "./oracle.ts";

const FINE = { delayMs: 50, late: 0, unsure: 0, twice: 0 };
const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

/** A node alone: it runs an account, is about to end it, and is killed and started before it has. */
function restarted(seed: number): readonly boolean[] {
  const net = new Net(new Chance(seed), FINE);
  const world = { net, chance: new Chance(seed), oracle: new ClusterOracle(), bugs: {}, tell: () => undefined };
  const node = new SimNode("n0", ["net.a"], world);
  const go = (): boolean => {
    net.step();
    node.step();
    return node.sessions.has("net.a");
  };
  node.start();
  for (let steps = 0; steps < 200 && !go(); steps += 1);
  node.leave();
  node.kill();
  node.start();
  return Array.from({ length: 200 }, go);
}

test.each(SEEDS)("what a dead process was about to end is not ended in the next one of its node (seed %i)", (seed) => {
  const runs = restarted(seed);
  const first = runs.indexOf(true);
  expect([first >= 0, runs.slice(first).includes(false)]).toEqual([true, false]);
});
