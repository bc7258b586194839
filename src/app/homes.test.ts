import { expect, onTestFinished, test, vi } from "vitest";
import { LogError } from "../log/errors.ts";
import { type EpochClaim, type Holder, NOBODY, type Runner } from "../log/fence.ts";
import type { Mark } from "../log/log.ts";
import { forgetHomes, homeOf, Homes } from "./homes.ts";

const HOUR_MS = 60 * 60 * 1000;
const N1 = { node: "n1", run: "r1" };
const N2 = { node: "n2", run: "r2" };

test.each([
  ["is where it runs first", null, false, { node: "n2", awayMs: null }],
  ["stays where it is", { node: "n2", awayMs: null }, false, { node: "n2", awayMs: null }],
  ["is another that lives", { node: "n1", awayMs: null }, true, { node: "n1", awayMs: null }],
  ["is away from now on", { node: "n1", awayMs: null }, false, { node: "n1", awayMs: 48 * HOUR_MS }],
  ["is back", { node: "n1", awayMs: HOUR_MS }, true, { node: "n1", awayMs: null }],
  ["is kept for a day", { node: "n1", awayMs: 24 * HOUR_MS + 1 }, false, { node: "n1", awayMs: 24 * HOUR_MS + 1 }],
  ["has moved after a day", { node: "n1", awayMs: 24 * HOUR_MS }, false, { node: "n2", awayMs: null }],
] as const)("a home %s", (_what, known, isBack, expected) => {
  expect(homeOf(known, { own: "n2", lives: () => isBack, nowMs: 48 * HOUR_MS })).toEqual(expected);
});

/** Nodes over one log, and what each is told. */
function aCluster() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const marks = new Map<string, string>();
  /** Whose these are, so that who has lost an account moves no home. */
  const owners = new Set<string | undefined>();
  const held = new Map<string, Holder>();
  const listeners = new Set<(claim: EpochClaim) => void>();
  const live = new Set(["n1", "n2"]);
  const state = { isAway: false };
  const log = {
    marks: () => Promise.resolve(new Map(marks)),
    mark: (put: readonly Mark[], how?: { readonly account?: string }) => {
      if (state.isAway) return Promise.reject(new LogError("unreachable", "nobody answers"));
      for (const { name, value } of put) marks.set(name, value);
      owners.add(how?.account);
      return Promise.resolve();
    },
    unmark: (names: readonly string[]) => {
      for (const name of names) marks.delete(name);
      return Promise.resolve();
    },
  };
  const node = (own: Runner): (readonly (readonly [string, string])[])[] => {
    const told: (readonly (readonly [string, string])[])[] = [];
    const homes = new Homes({
      log,
      fence: {
        own,
        current: (account) => held.get(account) ?? NOBODY,
        changed: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      accounts: () => ["web.a"],
      lives: (name) => live.has(name),
      told: (found) => told.push([...found]),
      nowMs: () => Date.now(),
    });
    onTestFinished(() => homes.close());
    return told;
  };
  const hold = async (account: string, by: Runner): Promise<void> => {
    const claim = { account, epoch: (held.get(account)?.epoch ?? 0) + 1, ...by };
    held.set(account, claim);
    for (const listener of listeners) listener(claim);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { marks, owners, log, live, state, node, hold };
}

test("who takes over is told where the account belongs, and keeps it after a day without that node", async () => {
  const { owners, live, node, hold } = aCluster();
  const [first, second] = [node(N1), node(N2)];
  await hold("web.a", N1);
  expect(first).toEqual([[["web.a", "n1"]]]);
  live.delete("n1");
  await hold("irc.b", N2);
  expect(second).toEqual([]);
  await hold("web.a", N2);
  expect(second).toEqual([[["web.a", "n1"]]]);
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
  expect(second.at(-1)).toEqual([["web.a", "n2"]]);
  live.add("n1");
  await hold("web.a", N1);
  expect(first.at(-1)).toEqual([["web.a", "n2"]]);
  expect([...owners]).toEqual(["web.a"]);
});

test("what the log does not take is tried again", async () => {
  const { marks, state, node, hold } = aCluster();
  const told = node(N1);
  state.isAway = true;
  await hold("web.a", N1);
  expect([told, marks.size]).toEqual([[], 0]);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([[["web.a", "n1"]]]);
});

test("the home of an account that is gone is forgotten", async () => {
  const { marks, log, node, hold } = aCluster();
  node(N1);
  await hold("web.a", N1);
  await forgetHomes(log, new Set(["web.a"]));
  expect([...marks.keys()]).toEqual(["home/web.a"]);
  await forgetHomes(log, new Set());
  expect(marks.size).toBe(0);
});
