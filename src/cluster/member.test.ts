import { expect, onTestFinished, test, vi } from "vitest";
import { LogError } from "../log/errors.ts";
import { type EpochClaim, type Fence, type Holder, NOBODY, type Runner } from "../log/fence.ts";
import { ClusterMember } from "./member.ts";

const OWN = { node: "n1", run: "r1" };

/** A node alone on servers that have whatever it says at once. */
function aMember(
  accounts: readonly string[],
  others: readonly unknown[] = [],
  quiesced: () => Promise<void> = () => Promise.resolve(),
) {
  vi.useFakeTimers();
  const held = new Map<string, Holder>();
  const listeners = new Set<(claim: EpochClaim) => void>();
  const raised: (readonly EpochClaim[])[] = [];
  const did: string[] = [];
  const state = { isAway: false, isStuck: false, isUnheard: false };
  const fence: Fence = {
    own: OWN,
    held,
    current: (account) => held.get(account) ?? NOBODY,
    raise: (claims) => {
      raised.push(claims);
      if (state.isAway) return Promise.reject(new LogError("unreachable", "nobody answers"));
      for (const { account, ...holder } of claims) held.set(account, holder);
      for (const claim of claims) for (const told of listeners) told(claim);
      return Promise.resolve(claims);
    },
    changed: (told) => {
      listeners.add(told);
      return () => listeners.delete(told);
    },
  };
  let hear: (word: string) => void = () => undefined;
  const member = new ClusterMember({
    fence,
    wire: {
      say: (_node, word) => {
        for (const each of [word, ...others.map((other) => JSON.stringify(other)), "no beat", "{}"]) hear(each);
        return Promise.resolve(!state.isUnheard);
      },
      listen: (told) => {
        hear = told;
        return () => (hear = () => undefined);
      },
    },
    runner: {
      run: (account) => did.push(`run ${account}`),
      stop: (account) => did.push(`stop ${account}`),
      quiesce: (account) => {
        did.push(`quiesce ${account}`);
        return quiesced();
      },
    },
    isStuck: () => state.isStuck,
    monoMs: () => Date.now(),
    nowMs: () => 5,
    wish: { accounts, stays: [], config: "c" },
    onTwin: () => did.push("twin"),
    caughtUp: () => {
      did.push("asks");
      return Promise.resolve(!state.isAway);
    },
  });
  onTestFinished(() => {
    member.close();
    vi.useRealTimers();
  });
  /** A claim that somebody has made is applied. */
  const hold = (account: string, by: Runner): void => {
    const claim = { account, epoch: fence.current(account).epoch + 1, ...by };
    held.set(account, claim);
    for (const told of listeners) told(claim);
  };
  return { member, raised, did, state, listeners, held: hold };
}

test("a node alone claims all in one message, runs it, and says so", async () => {
  const { member, raised, did } = aMember(["a", "b"]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(raised).toMatchObject([
    [
      { account: "a", epoch: 1 },
      { account: "b", epoch: 1 },
    ],
  ]);
  expect(did).toEqual(["run a", "run b"]);
  member.want({ accounts: ["b", "c"], stays: [], config: "c" });
  expect(did.slice(2)).toEqual(["stop a"]);
  expect(member.view).toEqual({
    own: "n1",
    hasVoice: true,
    nodes: [{ name: "n1", accounts: 1, isAlike: true }],
    accounts: [
      { account: "b", node: "n1", epoch: 1, sinceMs: 5 },
      { account: "c", node: null, epoch: 0, sinceMs: null },
    ],
  });
});

test("a claim that does not come through is made again", async () => {
  const { raised, did, state } = aMember(["a"]);
  state.isAway = true;
  await vi.advanceTimersByTimeAsync(4000);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(4000);
  expect(raised).toHaveLength(2);
  expect(did).toEqual(["run a"]);
});

test("who leaves ends what it runs, hands it over, and is told when that is done", async () => {
  const other = { node: "n2", run: "r2", takes: true, hasVoice: true, config: "c" };
  const { member, raised, did, listeners } = aMember(["a", "b", "c", "d"], [other]);
  await vi.advanceTimersByTimeAsync(4000);
  const own = did.length;
  await member.leave();
  expect(did.slice(own)).toEqual(did.slice(0, own).map((each) => each.replace("run", "quiesce")));
  expect(raised.flat().filter(({ node }) => node === "n2")).toHaveLength(own);
  expect(member.view.nodes.map(({ name, isAlike }) => [name, isAlike])).toEqual([
    ["n1", true],
    ["n2", true],
  ]);
  member.close();
  expect(listeners.size).toBe(0);
});

test("a node that leaves does not wait for servers that no longer answer", async () => {
  const other = { node: "n2", run: "r2", takes: true, hasVoice: true, config: "c" };
  const { member, state } = aMember(["a"], [other], () => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(4000);
  let hasLeft = false;
  void member.leave().then(() => (hasLeft = true));
  await vi.advanceTimersByTimeAsync(3000);
  expect(hasLeft).toBe(false);
  state.isUnheard = true;
  await vi.advanceTimersByTimeAsync(3000);
  expect(hasLeft).toBe(true);
});

test("it is sure of what it runs only while it is acknowledged, and when all was applied since a silence", async () => {
  const { member, did, state } = aMember(["a"]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(member.isSure).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(true);
  expect(did).toEqual(["run a", "asks"]);
  // A process that stood still: its timers come late, and the clock has gone on.
  vi.setSystemTime(Date.now() + 5000);
  expect(member.isSure).toBe(false);
  state.isAway = true;
  await vi.advanceTimersByTimeAsync(400);
  expect([member.hasVoice, member.isSure]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(false);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(true);
});

test("one that was stuck is sure again only when all was applied since", async () => {
  const { member, did, state } = aMember(["a"]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(member.isSure).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(true);
  state.isStuck = true;
  await vi.advanceTimersByTimeAsync(100);
  expect([member.hasVoice, member.isSure]).toEqual([false, false]);
  expect(did.slice(2)).toEqual(["stop a"]);
  state.isStuck = false;
  await vi.advanceTimersByTimeAsync(100);
  expect([member.hasVoice, member.isSure]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(0);
  expect(member.isSure).toBe(true);
  expect(did.slice(3)).toEqual(["run a", "asks"]);
});

test("a node with another configuration is shown as such, and is given nothing", async () => {
  const other = { node: "n2", run: "r2", takes: true, hasVoice: true, config: "another" };
  const { member, did } = aMember(["a", "b"], [other]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(did).toEqual(["run a", "run b"]);
  expect(member.view.nodes.map(({ name, isAlike }) => [name, isAlike])).toEqual([
    ["n1", true],
    ["n2", false],
  ]);
});

test("what was handed over, lost and has come back is not given away by the first end of it", async () => {
  const other = { node: "n2", run: "r2", takes: true, hasVoice: true, config: "c" };
  const ends: (() => void)[] = [];
  const accounts = ["a", "b", "c", "d"];
  const { raised, did, held } = aMember(accounts, [other], () => new Promise((resolve) => ends.push(resolve)));
  for (const account of accounts) held(account, OWN);
  // One is to be moved, as this node runs all of them.
  await vi.advanceTimersByTimeAsync(15_000);
  const moved = did.find((each) => each.startsWith("quiesce ")) ?? "";
  const account = moved.slice("quiesce ".length);
  held(account, { node: "n2", run: "r2" });
  held(account, OWN);
  await vi.advanceTimersByTimeAsync(5000);
  expect(did.filter((each) => each === moved)).toHaveLength(2);
  const before = raised.length;
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(raised).toHaveLength(before);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(raised.slice(before)).toMatchObject([[{ account, node: "n2" }]]);
});
