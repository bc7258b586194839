import { describe, expect, test } from "vitest";
import * as property from "../../test/support/property.ts";
import { affinity } from "./assignment.ts";
import { NOBODY, type EpochClaim, type Holder } from "../log/fence.ts";
import { Election, type ElectionInput, ISOLATED_MS } from "./election.ts";
import { BEAT_MS, SILENCE_MS } from "./peers.ts";
import { claimOf, claims, holder, OTHER, OWN, running, ElectionStage } from "./election.suite.ts";

describe("a node that starts", () => {
  test("listens before it claims what nobody holds, and runs it once that is applied", () => {
    const stage = new ElectionStage(["a", "b"]);
    expect(stage.pass(SILENCE_MS)).toEqual([]);
    expect(stage.pass(800)).toEqual([claims("a", 1), claims("b", 1)]);
    expect(stage.apply("a", 1)).toEqual([{ do: "run", account: "a" }]);
    expect(stage.election.runs).toEqual(["a"]);
    expect(stage.pass(2000)).toEqual([]);
  });

  test("takes nothing while another process is heard that has its name", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, { node: "n1", run: "twin" })]]);
    stage.live("n1", { run: "twin" });
    expect(stage.pass(20_000)).toEqual([]);
    stage.others.clear();
    expect(stage.pass(SILENCE_MS + 400)).toEqual([claims("a", 5)]);
  });

  test("takes nothing from another process that has its name, although it has not heard it yet", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, { node: "n1", run: "twin" })]]);
    expect(stage.pass(BEAT_MS)).toEqual([]);
    stage.live("n1", { run: "twin" });
    expect(stage.pass(20_000)).toEqual([]);
  });

  test("takes what it ran before at once, in a new epoch", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, { node: "n1", run: "before" })]]);
    expect(stage.pass(800)).toEqual([claims("a", 5)]);
  });

  test("leaves what others run to them", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, OTHER)]]);
    stage.live("n2");
    expect(stage.pass(9000)).toEqual([]);
  });

  test("takes what somebody ran who is never heard", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, OTHER)]]);
    expect(stage.pass(SILENCE_MS + 800)).toEqual([claims("a", 5)]);
  });

  test("claims nothing without a voice, however long nobody is heard", () => {
    const stage = new ElectionStage(["a"], [["a", holder(4, OTHER)]]);
    stage.isAcked = false;
    expect(stage.pass(60_000)).toEqual([]);
    expect(stage.election.beat(stage.monoMs)).toMatchObject({ hasVoice: false });
  });
});

describe("a node that is silent", () => {
  test.each([
    ["is taken for dead", {}, [claims("a", 2)]],
    ["and comes back in another process, may have its own again first", { back: { run: "new" } }, []],
    ["but not when it takes nothing", { back: { run: "new", takes: false } }, [claims("a", 2)]],
    ["and says only that it has no voice, is dead as well", { back: { hasVoice: false } }, [claims("a", 2)]],
  ])("%s", (_what, { back }: { readonly back?: Parameters<ElectionStage["live"]>[1] }, expected) => {
    const stage = new ElectionStage(["a"], [["a", holder(1, OTHER)]]);
    stage.live("n2");
    expect(stage.pass(5000)).toEqual([]);
    stage.others.delete("n2");
    if (back !== undefined) stage.live("n2", back);
    expect(stage.pass(SILENCE_MS + 400)).toEqual(expected);
  });

  test("counts as such only while our own beats are acknowledged", () => {
    const stage = new ElectionStage(["a"], [["a", holder(1, OTHER)]]);
    stage.live("n2");
    stage.pass(5000);
    stage.others.delete("n2");
    stage.isAcked = false;
    expect(stage.pass(10_000)).toEqual([]);
    stage.isAcked = true;
    expect(stage.pass(2000)).toEqual([]);
    expect(stage.pass(1200)).toEqual([claims("a", 2)]);
  });

  test("leaves what it ran to the next best, if the best does not claim it", () => {
    const nodes = ["n1", "n3", "n4", "n5"];
    const ranks = (of: string) => [...nodes].sort((a, b) => affinity(of, b) - affinity(of, a));
    const second = ["a", "b", "c", "d", "e", "f"].find((of) => ranks(of)[1] === "n1") ?? "";
    const stage = new ElectionStage([second], [[second, holder(1, OTHER)]]);
    for (const node of ["n2", "n3", "n4", "n5"]) stage.live(node);
    stage.pass(5000);
    stage.others.delete("n2");
    expect(stage.pass(SILENCE_MS + 400)).toEqual([]);
    expect(stage.pass(3200)).toEqual([claims(second, 2)]);
  });

  test("is not so while another process has its name, nor afterwards", () => {
    const stage = new ElectionStage(["a", "b"], [["a", holder(1, OTHER)]]);
    const twin = { node: "n2", run: "twin", takes: true, hasVoice: true, config: "" };
    stage.live("n2");
    stage.pass(5000);
    stage.apply("b", 1);
    for (let times = 0; times < 20; times += 1) {
      stage.take({ is: "heard", beat: twin, monoMs: stage.monoMs });
      expect(stage.pass(BEAT_MS)).toEqual([]);
    }
    expect(stage.election.peers.takers("")).toEqual([]);
    expect(stage.pass(20_000)).toEqual([]);
    expect(stage.election.peers.takers("")).toEqual([OTHER]);
  });

  test("but claims what this one has is not robbed of it at once, time and again", () => {
    const stage = new ElectionStage(["a"]);
    let times = 0;
    for (const end = stage.monoMs + 60_000; stage.monoMs < end;) {
      for (const effect of stage.pass(BEAT_MS)) {
        if (effect.do !== "claim") continue;
        times += 1;
        stage.apply("a", effect.claim.epoch);
        stage.apply("a", effect.claim.epoch + 1, OTHER);
      }
    }
    expect(times).toBe(18);
  });

  test("a late word of a process that has ended says nothing", () => {
    const stage = new ElectionStage(["a"], [["a", holder(2, { node: "n2", run: "new" })]]);
    stage.live("n2");
    stage.pass(1000);
    stage.live("n2", { run: "new" });
    stage.pass(1000);
    stage.take({
      is: "heard",
      beat: { node: "n2", run: "r2", takes: true, hasVoice: true, config: "" },
      monoMs: stage.monoMs,
    });
    expect(stage.pass(8000)).toEqual([]);
  });
});

describe("a node that runs an account", () => {
  test("stops it at once when another's epoch is applied", () => {
    const stage = running(["a"], "n2");
    expect(stage.apply("a", 2, OTHER)).toEqual([{ do: "stop", account: "a" }]);
    expect(stage.apply("a", 2)).toEqual([]);
  });

  test("stops it when it has had no voice for 12 s, and claims it anew when it has one again", () => {
    const stage = running(["a"], "n2");
    stage.isAcked = false;
    expect(stage.pass(ISOLATED_MS - BEAT_MS)).toEqual([]);
    expect(stage.pass(BEAT_MS)).toEqual([{ do: "stop", account: "a" }]);
    stage.isAcked = true;
    expect(stage.pass(BEAT_MS)).toEqual([claims("a", 2)]);
    expect(stage.apply("a", 2)).toEqual([{ do: "run", account: "a" }]);
  });

  test("does not run it again when another had it meanwhile", () => {
    const stage = running(["a"], "n2");
    stage.isAcked = false;
    stage.pass(ISOLATED_MS);
    stage.isAcked = true;
    expect(stage.pass(BEAT_MS)).toEqual([claims("a", 2)]);
    expect(stage.apply("a", 2, OTHER)).toEqual([]);
    expect(stage.apply("a", 2)).toEqual([]);
    expect(stage.pass(5000)).toEqual([]);
  });

  test("stops it when it is stuck, is silent to the others, and claims it anew when it is not stuck any more", () => {
    const stage = running(["a"], "n2");
    const { gaps } = stage.election;
    stage.isStuck = true;
    expect(stage.pass(BEAT_MS)).toEqual([{ do: "stop", account: "a" }]);
    expect(stage.election.beat(stage.monoMs)).toMatchObject({ hasVoice: false });
    expect(stage.election.hasVoice(stage.monoMs)).toBe(false);
    stage.others.clear();
    expect(stage.pass(20_000)).toEqual([]);
    // What it had claimed before it was stuck comes first when it goes on.
    expect(stage.apply("a", 2)).toEqual([]);
    stage.isStuck = false;
    expect(stage.pass(BEAT_MS)).toEqual([claims("a", 3)]);
    expect(stage.election.beat(stage.monoMs)).toMatchObject({ hasVoice: true });
    expect(stage.election.gaps).toBe(gaps + 1);
    expect(stage.apply("a", 3)).toEqual([{ do: "run", account: "a" }]);
  });

  test("has left without handing anything over when it is stuck", () => {
    const stage = running(["a"], "n2");
    stage.take({ is: "leaves" });
    stage.isStuck = true;
    expect(stage.pass(BEAT_MS)).toEqual([{ do: "stop", account: "a" }]);
    expect(stage.election.hasLeft).toBe(true);
  });

  test("that is no longer wanted, stops it", () => {
    const stage = running(["a", "b"]);
    expect(stage.take({ is: "wanted", accounts: ["b"] })).toEqual([{ do: "stop", account: "a" }]);
  });

  test("moves one a second to a node that has fewer, once that has lived for 10 s", () => {
    const stage = running(["a", "b", "c", "d"]);
    stage.pass(10_000);
    stage.live("n2");
    expect(stage.pass(9000)).toEqual([]);
    const [effect, ...more] = stage.pass(2000);
    expect(more).toEqual([]);
    if (effect?.do !== "quiesce") throw new Error(`expected a move, got ${JSON.stringify(effect)}`);
    const { account } = effect;
    expect(stage.take({ is: "quiesced", account, monoMs: stage.monoMs })).toEqual([claims(account, 2, OTHER)]);
    expect(stage.apply(account, 2, OTHER)).toEqual([]);
    expect(stage.pass(800)).toEqual([]);
    expect(stage.pass(800)).toMatchObject([{ do: "quiesce" }]);
  });

  test("that stays with its node, moves nowhere, and counts for no balance", () => {
    const stage = running(["a", "b", "c", "d"]);
    stage.take({ is: "wanted", accounts: ["a", "b", "c", "d"], stays: ["a", "b", "c"] });
    stage.pass(10_000);
    stage.live("n2");
    expect(stage.pass(20_000)).toEqual([]);
    stage.take({ is: "wanted", accounts: ["a", "b", "c", "d"], stays: ["a"] });
    expect(stage.pass(2000)).toMatchObject([{ do: "quiesce" }]);
  });

  test.each([
    ["that belongs to another, goes home once that has lived for 10 s", "n2", {}, [{ do: "quiesce", account: "a" }]],
    ["that belongs to one that is not there, stays", "n3", {}, []],
    ["that belongs here, stays", "n1", {}, []],
    ["goes home to none that takes nothing", "n2", { takes: false }, []],
    ["goes home to none that may not want it, by its configuration", "n2", { config: "another" }, []],
  ] as const)("%s", (_what, home, beat, expected) => {
    const stage = running(["a", "b"]);
    stage.take({ is: "wanted", accounts: ["a", "b"], stays: ["a"] });
    stage.take({ is: "homes", homes: new Map([["a", home]]) });
    stage.pass(10_000);
    stage.live("n2", beat);
    expect(stage.pass(10_000)).toEqual([]);
    expect(stage.pass(1000)).toEqual(expected);
    if (expected.length === 0) return;
    expect(stage.take({ is: "quiesced", account: "a", monoMs: stage.monoMs })).toEqual([claims("a", 2, OTHER)]);
    expect(stage.apply("a", 2, OTHER)).toEqual([]);
    expect(stage.pass(20_000)).toEqual([]);
  });

  test("goes to no node that may not want it, by its configuration", () => {
    const stage = running(["a", "b", "c", "d"]);
    stage.pass(10_000);
    stage.live("n2", { config: "another" });
    expect(stage.pass(20_000)).toEqual([]);
    stage.take({ is: "leaves" });
    expect(stage.take({ is: "quiesced", account: "a", monoMs: stage.monoMs })).toEqual([]);
  });

  test("keeps it when the node that it was moved to has died meanwhile", () => {
    const stage = running(["a", "b"]);
    stage.pass(10_000);
    stage.live("n2");
    const [effect] = stage.pass(12_000);
    if (effect?.do !== "quiesce") throw new Error(`expected a move, got ${JSON.stringify(effect)}`);
    const { account } = effect;
    stage.others.clear();
    stage.pass(SILENCE_MS + 400);
    expect(stage.take({ is: "quiesced", account, monoMs: stage.monoMs })).toEqual([claims(account, 2)]);
    expect(stage.apply(account, 2)).toEqual([{ do: "run", account }]);
  });

  test("hands it over when it leaves, once it has ended, and again if that is not applied", () => {
    const stage = running(["a", "b"], "n2");
    expect(stage.take({ is: "leaves" })).toEqual(["a", "b"].map((account) => ({ do: "quiesce", account })));
    expect(stage.election.beat(stage.monoMs)).toMatchObject({ takes: false });
    for (const account of ["a", "b"]) {
      const effects = stage.take({ is: "quiesced", account, monoMs: stage.monoMs });
      expect(effects).toEqual([claims(account, 2, OTHER)]);
    }
    stage.apply("a", 2, OTHER);
    expect(stage.pass(3200)).toEqual([claims("b", 2, OTHER)]);
    expect(stage.election.hasLeft).toBe(false);
    stage.apply("b", 2, OTHER);
    expect(stage.election.hasLeft).toBe(true);
    // What it had claimed before goes on as well.
    expect(stage.apply("b", 3)).toEqual([claims("b", 4, OTHER)]);
  });

  test("has left as soon as it has ended, when there is nobody else", () => {
    const stage = running(["a"]);
    stage.take({ is: "leaves" });
    expect(stage.take({ is: "quiesced", account: "a", monoMs: stage.monoMs })).toEqual([]);
    expect(stage.election.hasLeft).toBe(true);
  });
});

const ACCOUNTS = ["a", "b", "c"];
const account = property.constantFrom(...ACCOUNTS);
const runner = property.constantFrom(OWN, OTHER, { node: "n2", run: "new" }, { node: "n3", run: "r3" });
type Given = ElectionInput | { readonly is: "passes"; readonly ms: number } | { readonly is: "own claim" };
const inputs: property.Arbitrary<Given> = property.oneof(
  { weight: 6, arbitrary: property.record({ is: property.constant("passes" as const), ms: property.nat(3000) }) },
  {
    weight: 4,
    arbitrary: property.boolean().map((isStuck) => ({ is: "tick" as const, monoMs: 0, isStuck })),
  },
  { weight: 4, arbitrary: property.constant({ is: "acked" as const, sentMs: 0 }) },
  { weight: 4, arbitrary: property.constant({ is: "own claim" as const }) },
  {
    weight: 4,
    arbitrary: property.tuple(runner, property.boolean(), property.boolean()).map(([by, takes, hasVoice]) => ({
      is: "heard" as const,
      beat: { ...by, takes, hasVoice, config: "" },
      monoMs: 0,
    })),
  },
  {
    weight: 2,
    arbitrary: property
      .tuple(account, property.integer({ min: 1, max: 9 }), runner)
      .map(([of, epoch, by]) => ({ is: "applied" as const, claim: claimOf(of, epoch, by), monoMs: 0 })),
  },
  { weight: 2, arbitrary: account.map((of) => ({ is: "quiesced" as const, account: of, monoMs: 0 })) },
  property.subarray(ACCOUNTS).map((accounts) => ({ is: "wanted" as const, accounts })),
  property.constant({ is: "leaves" as const }),
);

test("whatever comes: it runs only what it holds, once, and claims only what is new", () => {
  property.assert(
    property.property(property.array(inputs, { maxLength: 120 }), (given) => {
      const election = new Election(OWN, []);
      const held = new Map<string, Holder>();
      const runs = new Set<string>();
      const asked: EpochClaim[] = [];
      let monoMs = 0;
      let [hasLeft, wanted] = [false, new Set<string>()];
      for (const each of given) {
        if (each.is === "passes") {
          monoMs += each.ms;
          continue;
        }
        const claim = each.is === "own claim" ? asked.shift() : undefined;
        if (each.is === "own claim" && claim === undefined) continue;
        const own = claim && { is: "applied" as const, claim, monoMs };
        const input = own ?? (each.is === "own claim" ? null : { ...each, ...("monoMs" in each && { monoMs }) });
        if (input === null) continue;
        const now = input.is === "acked" ? { ...input, sentMs: monoMs } : input;
        if (now.is === "leaves") hasLeft = true;
        if (now.is === "wanted") wanted = new Set(now.accounts);
        if (now.is === "applied" && now.claim.epoch > (held.get(now.claim.account)?.epoch ?? 0)) {
          const { account: of, ...by } = now.claim;
          held.set(of, by);
        }
        for (const effect of election.take(now)) {
          const of = effect.do === "claim" ? effect.claim.account : effect.account;
          const current = held.get(of) ?? NOBODY;
          if (effect.do === "claim") {
            asked.push(effect.claim);
            expect(effect.claim.epoch).toBe(current.epoch + 1);
            expect(runs.has(of)).toBe(false);
            if (hasLeft) expect(effect.claim.run).not.toBe(OWN.run);
          } else if (effect.do === "run") {
            expect([runs.has(of), current.run, hasLeft, wanted.has(of)]).toEqual([false, OWN.run, false, true]);
            runs.add(of);
          } else runs.delete(of);
        }
        expect(new Set(election.runs)).toEqual(runs);
        for (const of of runs) expect(held.get(of)?.run).toBe(OWN.run);
      }
    }),
    { numRuns: 3000 },
  );
});
