import { describe, expect, test } from "vitest";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import { KEY, NONE, WHY } from "../stage.suite.ts";
import { SENT, LaneTable, type LaneTableOptions } from "./table.suite.ts";

const FORBIDDEN: Reason = { code: "forbidden", message: "no" };
const LATER: Outcome = { is: "deferred", why: FORBIDDEN, retryInMs: 30_000, scope: "channel" };
const MUCH_LATER: Outcome = { ...LATER, retryInMs: 30 * 60_000 };
const SESSION: Outcome = { ...LATER, scope: "session" };
const UNKNOWN: Outcome = { is: "unknown", why: { code: "remote_error", message: "HTTP 500" } };
const LIMITED: Outcome = { ...LATER, why: { code: "rate_limited", message: "slower" } };
const REJECTED: Outcome = { is: "rejected", why: FORBIDDEN };

type Answer = (seq: number, atMs: number) => Outcome;

/** A lane with a clock: each call is answered at once, and what happened is kept. */
class Run {
  readonly table: LaneTable;
  readonly #answer: Answer;
  /** Seqs of the calls, with the second of each. */
  readonly calls: (readonly [seq: number, second: number])[] = [];
  readonly delivered: number[] = [];

  constructor(answer: Answer, options: LaneTableOptions = {}) {
    this.table = new LaneTable({ idempotency: KEY, inflightMax: 1, maxAgeMs: 100 * 3_600_000, ...options });
    this.#answer = answer;
    this.table.connect();
  }

  for(seconds: number): this {
    for (let second = 0; second < seconds; second += 1) {
      this.#settle();
      this.table.pass(1_000);
    }
    this.#settle();
    return this;
  }

  #settle(): void {
    const { table } = this;
    for (let turn = 0; turn < 100; turn += 1) {
      table.write();
      const [call] = table.state.calls;
      if (table.search !== null) table.find();
      else if (call === undefined) return;
      else {
        const { seq } = call.item;
        const outcome = this.#answer(seq, table.monoMs);
        this.calls.push([seq, table.monoMs / 1_000]);
        if (outcome.is === "delivered") this.delivered.push(seq);
        table.end(call, outcome);
      }
    }
    throw new Error("the lane tries without a pause");
  }

  /** How messages ended that did not arrive. */
  get ends(): readonly (readonly [seq: number, state: string])[] {
    return this.table.done("write").flatMap(({ receipts }) => receipts.map(({ seq, state }) => [seq, state] as const));
  }

  get reasons(): readonly string[] {
    return this.table.state.setAside.map(({ why }) => why.message);
  }
}

const never =
  (outcome: Outcome, ...seqs: readonly number[]): Answer =>
  (seq) =>
    seqs.includes(seq) ? outcome : SENT;

describe("a message that can never be sent", () => {
  test.each<readonly [what: string, outcome: Outcome, options: LaneTableOptions, state: string]>([
    ["a refusal that may pass", LATER, {}, "failed"],
    ["a refusal that may pass in half an hour", MUCH_LATER, {}, "failed"],
    ["an error each time", UNKNOWN, {}, "unconfirmed"],
    ["where nothing is known again", LATER, { idempotency: NONE }, "failed"],
  ])("is set aside, and the others follow in order: %s", (_, outcome, options, state) => {
    const run = new Run(never(outcome, 1), options);
    run.table.say("1", "2", "3", "4");
    run.for(150);
    expect(run.delivered).toEqual([2, 3, 4]);
    expect(run.ends).toContainEqual([1, state]);
    expect(run.reasons).toEqual([expect.stringMatching(/^It was set aside after 1\d\d s, because other messages got/)]);
    expect(run.table.state.window.oldest).toBeNull();
  });

  test("several at once: what was under way with it has arrived, and what comes later follows", () => {
    const run = new Run(never(LATER, 1), { inflightMax: 4 });
    run.table.say("1", "2", "3", "4");
    run.for(100);
    run.table.say("5", "6");
    run.for(90);
    expect(run.delivered).toEqual([2, 3, 4, 5, 6]);
    expect(run.ends).toContainEqual([1, "failed"]);
  });

  test("several at once, where the network holds up what was sent with it: it is set aside, and the others follow", () => {
    let held = new Set<number>();
    const run = new Run(
      (seq) => {
        if (seq === 1) held = new Set(run.table.state.calls.map(({ item }) => item.seq));
        return held.delete(seq) ? LATER : SENT;
      },
      { inflightMax: 4, idempotency: NONE },
    );
    run.table.say("1", "2", "3", "4");
    run.for(150);
    expect(run.delivered).toEqual([2, 3, 4]);
    expect(run.ends).toContainEqual([1, "failed"]);
  });

  test("its author is to know, also where it may have arrived; not of an edit", () => {
    for (const outcome of [LATER, UNKNOWN, REJECTED]) {
      const run = new Run(never(outcome, 1));
      run.table.say("1", "2");
      run.for(150);
      expect(run.table.done("tell author")).toMatchObject([{ of: 1, why: { message: expect.any(String) as string } }]);
    }
    const run = new Run(never(REJECTED, 2));
    run.table.say("1");
    run.table.act("edit", 1);
    run.for(150);
    expect(run.table.done("tell author")).toEqual([]);
  });

  test("waits two minutes before another one is tried, and is tried twice after that", () => {
    const run = new Run(never(LATER, 1));
    run.table.say("1", "2", "3");
    run.for(150);
    const probe = run.calls.findIndex(([seq]) => seq === 2);
    expect(run.calls.slice(0, probe).map(([, second]) => second)).toEqual([0, 30, 60, 90, 120]);
    expect(run.calls.slice(probe)).toEqual([
      [2, 120],
      [1, 120],
      [1, 125],
      [3, 125],
    ]);
  });

  test("is followed by another one like it: each gets its own two minutes", () => {
    const run = new Run(never(UNKNOWN, 1, 2));
    run.table.say("1", "2", "3", "4");
    run.for(400);
    expect(run.delivered).toEqual([3, 4]);
    expect(run.ends).toEqual(expect.arrayContaining([expect.arrayContaining([1]), expect.arrayContaining([2])]));
    expect(run.reasons).toHaveLength(2);
  });

  test("nothing is behind it: it waits until something is", () => {
    const run = new Run(never(LATER, 1));
    run.table.say("1");
    run.for(600);
    expect(run.table.state.setAside).toEqual([]);
    run.table.say("2");
    run.for(10);
    expect(run.delivered).toEqual([2]);
    expect(run.ends).toContainEqual([1, "failed"]);
  });

  test("a message that gets through at last is not set aside", () => {
    const run = new Run((seq, atMs) => (seq === 1 && atMs <= 120_000 ? LATER : SENT));
    run.table.say("1", "2", "3");
    run.for(150);
    expect(run.delivered).toEqual([2, 1, 3]);
    expect(run.table.state.setAside).toEqual([]);
  });

  test("is an edit", () => {
    const run = new Run(never(UNKNOWN, 2));
    run.table.say("1");
    run.for(1);
    run.table.act("edit", 1);
    run.table.say("3");
    run.for(150);
    expect(run.delivered).toEqual([1, 3]);
    expect(run.reasons).toHaveLength(1);
  });

  test("what is about it is no probe: it would not find it", () => {
    const run = new Run(never(LATER, 1));
    run.table.say("1");
    run.for(1);
    run.table.act("reply", 1);
    run.table.act("edit", 1);
    run.for(600);
    expect(run.delivered).toEqual([]);
    expect(run.table.state.setAside).toEqual([]);
  });

  test("one that is refused for good is no proof", () => {
    const run = new Run((seq) => (seq === 1 ? LATER : seq === 2 ? REJECTED : SENT));
    run.table.say("1", "2", "3");
    run.for(150);
    expect(run.ends).toContainEqual([2, "failed"]);
    expect(run.delivered).toEqual([]);
    run.for(60);
    expect(run.delivered).toEqual([3]);
    expect(run.ends).toContainEqual([1, "failed"]);
  });
});

describe("an outage", () => {
  test.each([
    ["refusals", LATER, 600],
    ["errors", UNKNOWN, 3_600],
    ["a network that asks for time", LIMITED, 3_600],
    ["the whole session", SESSION, 3_600],
  ])("of %s: all is delivered in order afterwards", (_, outcome, seconds) => {
    const run = new Run((_seq, atMs) => (atMs < seconds * 1_000 ? outcome : SENT));
    run.table.say("1", "2", "3");
    run.for(seconds + 60);
    expect(run.delivered).toEqual([1, 2, 3]);
    expect(run.table.state.setAside).toEqual([]);
  });

  test("few probes are sent, each time another message, and none while the network asks for time", () => {
    const run = new Run(() => LATER);
    run.table.say("1", "2", "3", "4");
    run.for(2 * 3_600);
    const probes = run.calls.filter(([seq]) => seq !== 1);
    expect(probes.map(([seq]) => seq)).toEqual([2, 3, 4, 2, 3, 4, 2, 3]);
    const limited = new Run(() => LIMITED);
    limited.table.say("1", "2");
    limited.for(3_600);
    expect(new Set(limited.calls.map(([seq]) => seq))).toEqual(new Set([1]));
  });

  test("sessions that come and go: nothing is set aside", () => {
    const run = new Run(() => UNKNOWN);
    run.table.say("1", "2");
    for (let session = 0; session < 20; session += 1) {
      run.for(100);
      run.table.take({ is: "disconnected", why: WHY });
      run.table.connect();
    }
    expect(new Set(run.calls.map(([seq]) => seq))).toEqual(new Set([1]));
  });

  test("a log that does not answer while a probe is prepared: no pause is skipped", () => {
    const run = new Run(never(LATER, 2));
    run.table.say("1");
    run.for(1);
    run.table.say("2");
    run.table.act("reply", 1);
    run.for(119);
    const asked = run.table.done("look up").length;
    for (let second = 0; second < 60; second += 1) {
      run.table.pass(1_000);
      run.table.write();
      const [call] = run.table.state.calls;
      if (call !== undefined) run.table.end(call, LATER);
      if (run.table.search !== null) run.table.find({ is: "later", why: WHY });
    }
    expect(run.table.done("look up").length - asked).toBeLessThan(5);
    run.for(400);
    expect(run.delivered).toEqual([1, 3]);
  });
});

test("a wait of more than 10 s is said in the log, with its reason and when it ends", () => {
  const run = new Run(never(LATER, 1));
  run.table.say("1");
  run.for(1);
  expect(run.table.done("say")).toMatchObject([
    { level: "warn", message: "a message waits", fields: { seq: 1, why: "no", retryInS: 30 } },
  ]);
  const short = new Run(() => ({ ...LATER, retryInMs: 10_000 }));
  short.table.say("1");
  expect(short.for(20).table.done("say")).toEqual([]);
});
