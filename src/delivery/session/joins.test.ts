import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Joined } from "../../contract/session.ts";
import { HealthTracker } from "./health.ts";
import { createGate, createActivity } from "./gate.ts";
import { Joins } from "./joins.ts";
import { UNSETTLED } from "../names.ts";
import { HealthReporter } from "../health-reporter.ts";
import { MemoryLane, MemoryLogger, NETWORK_DOWN, refOf, ScriptedSession } from "../scripted.suite.ts";
import type { ChannelStatus } from "../status.ts";

const KICKED: Reason = { code: "forbidden", message: "kicked" };
const STOP: Reason = { code: "stopping", message: "over" };

let clock: FakeClock;
let memory: MemoryLogger;
let session: ScriptedSession;
let lanes: Map<string, MemoryLane>;
let chance: number;
let settledCalls: number;
let missedCalls: number;
let joins: Joins;

beforeEach(() => {
  clock = new FakeClock();
  memory = new MemoryLogger();
  session = new ScriptedSession();
  lanes = new Map(["#a", "#b"].map((name) => [name, new MemoryLane()]));
  chance = 0.5;
  settledCalls = 0;
  missedCalls = 0;
  joins = new Joins({
    channels: ["#a", "#b"].map((name) => ({
      request: { name, options: {} },
      lanes: [lanes.get(name)!],
      report: new HealthReporter(memory.logger, {}, () => clock.nowMs()),
    })),
    conditionOf: () => new HealthTracker<ChannelStatus["state"]>(clock, (state) => state === "joined", "offline"),
    heard: () => undefined,
    missed: () => {
      missedCalls += 1;
    },
    gate: createGate(),
    activity: createActivity(clock),
    clock,
    random: () => chance,
    settled: () => {
      settledCalls += 1;
    },
  });
});

const told = (name: string): readonly string[] => lanes.get(name)!.told;

/** Each join waits for its answer, by name. */
function held(): Map<string, PromiseWithResolvers<Joined>> {
  const answers = new Map<string, PromiseWithResolvers<Joined>>();
  session.answer = ({ name }) => {
    const answer = Promise.withResolvers<Joined>();
    answers.set(name, answer);
    return answer.promise;
  };
  return answers;
}

const refused = (message: string, retryInMs: number | null): Joined => ({
  ok: false,
  why: { code: "forbidden", message },
  retryInMs,
});

test("channels are joined one after the other, and their lanes connected", async () => {
  const answers = held();
  joins.start(session);
  await settled();
  expect(session.asked).toEqual(["#a"]);
  expect(told("#a")).toEqual([]);
  const limits = { fileBytesMax: 1_000 };
  answers.get("#a")!.resolve({ ok: true, ref: refOf("#a"), without: ["react"], limits });
  await settled();
  expect(session.asked).toEqual(["#a", "#b"]);
  expect(told("#a")).toEqual(["+ref:#a"]);
  expect(lanes.get("#a")!.sink).toMatchObject({ handlers: session.handlers, without: ["react"], limits });
  expect(memory.shown("channel")).toEqual(["info joined #a"]);
});

describe("names", () => {
  test("a channel that is not known yet may be one of those that were not tried", async () => {
    const answers = held();
    expect(joins.nameOf(refOf("#a"))).toBeUndefined();
    joins.start(session);
    await settled();
    answers.get("#a")!.resolve({ ok: true, ref: refOf("#a"), without: [] });
    await settled();
    expect(joins.nameOf(refOf("#a"))).toBe("#a");
    expect(joins.nameOf(refOf("#b"))).toBeUndefined();
    answers.get("#b")!.resolve(refused("banned", null));
    await settled();
    expect(settledCalls).toBe(2);
    expect(joins.nameOf(refOf("#b"))).toBeNull();
  });

  test("stay known after the channel and the session are gone", async () => {
    joins.start(session);
    await settled();
    joins.lost(refOf("#a"), KICKED, 0);
    joins.end(STOP);
    expect(joins.nameOf(refOf("#a"))).toBe("#a");
  });

  test("what an end leaves open is never settled, so that the next session brings it again", async () => {
    held();
    joins.start(session);
    await settled();
    joins.end(STOP);
    joins.end(STOP);
    expect(joins.nameOf(refOf("#a"))).toBe(UNSETTLED);
    expect(settledCalls).toBe(2);
  });

  test("a channel may be one whose join was not answered; when it is, what was said in it has to be asked for again", async () => {
    const answers = held();
    joins.start(session);
    await settled();
    await clock.advance(60_000);
    answers.get("#b")!.resolve(refused("banned", null));
    await settled();
    expect(joins.nameOf(refOf("#a"))).toBe(UNSETTLED);
    expect(joins.nameOf(refOf("#b"))).toBe(UNSETTLED);
    await clock.advance(5_000);
    answers.get("#a")!.resolve({ ok: true, ref: refOf("#a"), without: [] });
    await settled();
    expect(missedCalls).toBe(1);
    expect(joins.nameOf(refOf("#a"))).toBe("#a");
  });

  test("a channel whose join was not answered is still open when the session ends", async () => {
    held();
    joins.start(session);
    await settled();
    await clock.advance(60_000);
    await clock.advance(60_000);
    joins.end(STOP);
    expect(joins.nameOf(refOf("#a"))).toBe(UNSETTLED);
  });

  test("an unknown channel is none of ours, also after the end, when all were tried before", async () => {
    joins.start(session);
    await settled();
    joins.end(STOP);
    expect(joins.nameOf(refOf("#other"))).toBeNull();
  });
});

describe("a join that does not succeed", () => {
  test("is tried again after the time that was asked for", async () => {
    session.answer = ({ name }) =>
      Promise.resolve(name === "#a" ? refused("banned", 300_000) : { ok: true, ref: refOf(name), without: [] });
    joins.start(session);
    await settled();
    expect(told("#a")).toEqual(["-banned"]);
    expect(told("#b")).toEqual(["+ref:#b"]);
    await clock.advance(299_999);
    expect(session.asked).toEqual(["#a", "#b"]);
    await clock.advance(1);
    expect(session.asked).toEqual(["#a", "#b", "#a"]);
    expect(memory.shown("channel", "why", "retryInS")).toEqual([
      "warn a channel cannot be joined #a banned 300",
      "info joined #b",
    ]);
  });

  test("is that of a room that is joined by another name: the first one keeps it", async () => {
    session.answer = () => Promise.resolve({ ok: true, ref: refOf("#a"), without: [] });
    joins.start(session);
    await settled();
    expect(told("#a")).toEqual(["+ref:#a"]);
    expect(told("#b")).toEqual(["-this is the same room as #a; remove one of them from the configuration"]);
    expect(joins.nameOf(refOf("#a"))).toBe("#a");
    await clock.advance(1_800_000);
    expect(session.asked).toEqual(["#a", "#b", "#b"]);
  });

  test("backs off further each time, up to half an hour, when no time was asked for", async () => {
    session.answer = () => Promise.resolve(refused("no", null));
    joins.start(session);
    const waits: number[] = [];
    for (let time = 0; time < 12; time += 1) {
      await settled();
      const before = session.asked.filter((name) => name === "#a").length;
      const since = clock.nowMs();
      while (session.asked.filter((name) => name === "#a").length === before) await clock.advance(100);
      waits.push(clock.nowMs() - since);
    }
    expect(waits.slice(0, 4)).toEqual([2_500, 5_000, 10_000, 20_000]);
    expect(waits.slice(-2)).toEqual([900_000, 900_000]);
  });

  test.each<[string, () => Promise<Joined>, string]>([
    ["throws", () => Promise.reject(new Error("oops")), "-the join failed: Error: oops"],
    ["never answers", () => new Promise(() => undefined), "-no answer to the join within 60 s"],
  ])("because it %s does not hold up the next one", async (_name, answer, why) => {
    session.answer = (request) =>
      request.name === "#a" ? answer() : Promise.resolve({ ok: true, ref: refOf("#b"), without: [] });
    joins.start(session);
    await clock.advance(60_000);
    expect(told("#a").at(0)).toBe(why);
    expect(told("#b")).toEqual(["+ref:#b"]);
  });

  test("is never tried in a hot loop, whatever the network says", async () => {
    session.answer = () => Promise.resolve(refused("no", -5));
    joins.start(session);
    await clock.advance(10_500);
    expect(session.asked.filter((name) => name === "#a")).toHaveLength(11);
  });
});

describe("a channel that is lost", () => {
  test("is joined again after the longer of its time and the back-off", async () => {
    joins.start(session);
    await clock.advance(60_000);
    joins.lost(refOf("#a"), KICKED, 10_000);
    expect(told("#a")).toEqual(["+ref:#a", "-kicked"]);
    await clock.advance(9_999);
    expect(session.asked).toHaveLength(2);
    await clock.advance(1);
    expect(told("#a")).toEqual(["+ref:#a", "-kicked", "+ref:#a"]);
    expect(told("#b")).toEqual(["+ref:#b"]);
    expect(memory.shown("channel", "why")).toEqual([
      "info joined #a",
      "info joined #b",
      "warn a channel was lost #a kicked",
      "info joined #a",
    ]);
  });

  test("again and again is joined ever later, until it has held for a minute", async () => {
    joins.start(session);
    await settled();
    const waits: number[] = [];
    const lose = async (): Promise<void> => {
      const before = session.asked.length;
      const since = clock.nowMs();
      joins.lost(refOf("#a"), KICKED, 0);
      while (session.asked.length === before) await clock.advance(500);
      waits.push(clock.nowMs() - since);
    };
    for (let time = 0; time < 3; time += 1) await lose();
    await clock.advance(60_000);
    await lose();
    expect(waits).toEqual([2_500, 5_000, 10_000, 2_500]);
  });

  test("before its join was told of is lost all the same", async () => {
    const answers = held();
    joins.start(session);
    await settled();
    joins.lost(refOf("#a"), KICKED, 0);
    answers.get("#a")!.resolve({ ok: true, ref: refOf("#a"), without: [] });
    await settled();
    expect(told("#a")).toEqual(["-kicked"]);
    await clock.advance(2_500);
    expect(session.asked).toEqual(["#a", "#b"]);
    answers.get("#b")!.resolve({ ok: true, ref: refOf("#b"), without: [] });
    await settled();
    expect(session.asked).toEqual(["#a", "#b", "#a"]);
    answers.get("#a")!.resolve({ ok: true, ref: refOf("#a"), without: [] });
    await settled();
    expect(told("#a")).toEqual(["-kicked", "+ref:#a"]);
  });

  test("while it waits is news: it is tried sooner, never later", async () => {
    session.answer = ({ name }) =>
      Promise.resolve(name === "#a" ? refused("banned", 300_000) : { ok: true, ref: refOf(name), without: [] });
    joins.start(session);
    await settled();
    joins.lost(refOf("#a"), KICKED, 600_000);
    joins.lost(refOf("#a"), KICKED, 0);
    await clock.advance(300_000);
    expect(session.asked).toEqual(["#a", "#b", "#a"]);
    await clock.advance(1_000);
    expect(session.asked).toEqual(["#a", "#b", "#a", "#a"]);
    expect(told("#b")).toEqual(["+ref:#b"]);
  });
});

test("a loss of a channel that we never knew is a hint to try those again that wait", async () => {
  session.answer = ({ name }) =>
    Promise.resolve(
      name === "#a" ? refused("invited people only", 300_000) : { ok: true, ref: refOf(name), without: [] },
    );
  joins.start(session);
  await settled();
  joins.lost(refOf("#a"), { code: "forbidden", message: "invited" }, 0);
  await clock.advance(1_000);
  expect(session.asked).toEqual(["#a", "#b", "#a"]);
  expect(told("#b")).toEqual(["+ref:#b"]);
});

test("an end disconnects all lanes, gives up the join under way, and leaves no timer", async () => {
  let signal: AbortSignal | null = null;
  session.answer = ({ name }, given) => {
    signal = given;
    return name === "#a" ? Promise.resolve({ ok: true, ref: refOf("#a"), without: [] }) : new Promise(() => undefined);
  };
  joins.start(session);
  await settled();
  joins.end(NETWORK_DOWN);
  expect(told("#a")).toEqual(["+ref:#a", "-the server hung up"]);
  expect(told("#b")).toEqual(["-the server hung up"]);
  await settled();
  expect(signal!.aborted).toBe(true);
  joins.lost(refOf("#a"), KICKED, 0);
  expect(told("#a")).toHaveLength(2);
  expect(clock.waiting).toBe(0);
});
