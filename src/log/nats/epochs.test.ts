import { expect, test } from "vitest";
import type { EpochClaim } from "../fence.ts";
import { Epochs } from "./epochs.ts";

const OWN = { node: "n1", run: "r1" };
const claim = (account: string): EpochClaim => ({ account, epoch: 1, ...OWN });

test("a claim that is given up is not published again, and what was decided before counts", async () => {
  const given = new AbortController();
  const wanted: (() => boolean)[] = [];
  const epochs = new Epochs(OWN, [], (number, claims, { isWanted }) => {
    wanted.push(isWanted);
    // The second message is stored, and this node cannot apply it.
    if (number === 1) epochs.applied(claims, number);
    return Promise.resolve(null);
  });
  const claims = Array.from({ length: 300 }, (_, index) => claim(`net.${index}`));
  const raised = epochs.raise(claims, given.signal);
  await new Promise(setImmediate);
  expect(wanted.map((isWanted) => isWanted())).toEqual([false, true]);
  given.abort();
  expect(await raised).toHaveLength(256);
  expect(wanted[1]?.()).toBe(false);
  expect(await epochs.raise([claim("net.x")], given.signal)).toEqual([]);
  expect(wanted).toHaveLength(2);
});
