import { expect, test } from "vitest";
import { affinity, moveOf, takersOf } from "./assignment.ts";

const NODES = ["n1", "n2", "n3"];
const accounts = (count: number): string[] => Array.from({ length: count }, (_, at) => `net.a${at}`);
const idle = (...nodes: readonly string[]) => new Map(nodes.map((node) => [node, 0]));
const firsts = (count: number, loads: ReadonlyMap<string, number>): Map<string, string | undefined> => {
  const orphans = accounts(count).map((account) => ({ account, last: "" }));
  return new Map([...takersOf(orphans, loads)].map(([account, [first]]) => [account, first]));
};
const loadsOf = (taken: ReadonlyMap<string, string | undefined>): number[] =>
  NODES.map((name) => [...taken.values()].filter((node) => node === name).length);

test("an account prefers the same node wherever that is computed, and all nodes are preferred as often", () => {
  const counts = idle(...NODES);
  for (const account of accounts(3000)) {
    const [best = ""] = [...NODES].sort((a, b) => affinity(account, b) - affinity(account, a));
    counts.set(best, (counts.get(best) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(100);
  expect(affinity("net.a", "n1")).toBe(650_332_704);
});

test("nobody gets more than its share, and who runs something already gets less", () => {
  expect(loadsOf(firsts(21, idle(...NODES)))).toEqual([7, 7, 7]);
  const uneven = new Map([...idle(...NODES), ["n1", 5] as const]);
  expect(loadsOf(firsts(10, uneven))).toEqual([0, 5, 5]);
  expect(loadsOf(firsts(4, idle("n2")))).toEqual([0, 4, 0]);
  expect(firsts(2, idle())).toEqual(new Map(accounts(2).map((account) => [account, undefined])));
});

test("a node that is gone changes nothing for the accounts of others", () => {
  const before = firsts(30, idle(...NODES));
  const orphans = [...before].filter(([, node]) => node === "n3").map(([account]) => ({ account, last: "n3" }));
  const left = takersOf(orphans, new Map([...idle("n1", "n2")].map(([node]) => [node, 10])));
  const taken = new Map([...left].map(([account, [first]]) => [account, first]));
  expect(loadsOf(taken)).toEqual([5, 5, 0]);
});

test("who ran it and is back is asked first, however much it runs", () => {
  const loads = new Map([...idle(...NODES), ["n1", 9] as const]);
  expect(takersOf([{ account: "net.a", last: "n1" }], loads).get("net.a")?.[0]).toBe("n1");
});

test.each([
  ["nobody else", { n1: 4 }, [], null],
  ["even", { n1: 2, n2: 1 }, ["n2"], null],
  ["uneven", { n1: 3, n2: 1 }, ["n2"], ["n1", "n2"]],
  ["from the fullest to the emptiest", { n1: 3, n2: 5, n3: 1 }, ["n1", "n3"], ["n2", "n3"]],
  ["of as many, by name", { n1: 3, n2: 3, n3: 0, n4: 0 }, ["n4", "n3"], ["n1", "n3"]],
])("of accounts that are spread %s", (_what, counts, targets, expected) => {
  const runs = Object.entries(counts).map(([node, count]) => [node, accounts(count)] as const);
  const move = moveOf(
    new Map(runs),
    targets.map((node) => ({ node, run: "r" })),
  );
  expect(move && [move.from, move.to.node]).toEqual(expected);
});
