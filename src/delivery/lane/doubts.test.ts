import { describe, expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import type { Idempotency } from "../../contract/capabilities.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { WHY } from "../stage.suite.ts";
import type { HandlerCall } from "./state.ts";
import { LaneTable, SENT } from "./table.suite.ts";

const WINDOW_MS = 60_000;
const KEY: Idempotency = { by: "key", windowMs: WINDOW_MS };
const UNKNOWN: Outcome = { is: "unknown", why: WHY };
const DEFERRED: Outcome = { is: "deferred", why: WHY, retryInMs: 1_000, scope: "channel" };

const laneWith = (...texts: readonly string[]): LaneTable => {
  const table = new LaneTable({ idempotency: KEY, inflightMax: 1 });
  table.say(...texts);
  return table;
};

/** The next run, after a while. */
function next(killed: LaneTable, ms: number): LaneTable {
  const table = new LaneTable({ idempotency: KEY, inflightMax: 1, after: killed });
  table.pass(ms);
  table.take({ is: "woken" });
  table.connect();
  return table;
}

/** Lets all that is called be sent; how many calls there were in all. */
function deliver(table: LaneTable): number {
  for (; table.state.calls.length > 0; table.write()) table.end(table.newest, SENT);
  return table.called.length;
}

const ends = (table: LaneTable): readonly string[] => table.done("meter end").map(({ state }) => state);

describe("where the network knows a repeated message for a time", () => {
  test("the first message waits until the disk says that the lane is sending, and no later one waits", () => {
    const table = laneWith("1", "2", "3");
    table.take({ is: "connected", link: { channel: "room" as never, without: [], limits: {}, gate: {} } });
    expect(table.called).toEqual([]);
    table.write();
    table.end(table.newest, SENT);
    table.end(table.newest, SENT);
    expect(table.called).toEqual([1, 2, 3]);
  });

  test("a kill in the middle of a message: it is sent again in time, and unconfirmed after that", () => {
    const table = laneWith("1");
    table.connect();
    expect(next(table, WINDOW_MS).called).toEqual([1]);
    const late = next(table, WINDOW_MS + 1);
    expect([late.called, ends(late)]).toEqual([[], ["unconfirmed"]]);
  });

  test("what was accepted before the lane was sending may have been sent only since then", () => {
    const table = laneWith("1");
    table.pass(10 * WINDOW_MS);
    table.connect();
    expect(next(table, WINDOW_MS).called).toEqual([1]);
  });

  test("the channel is gone: only what is in doubt is not sent after the time, also after two kills", () => {
    const table = laneWith("1", "2");
    table.connect();
    table.end(table.newest, UNKNOWN);
    table.take({ is: "disconnected", why: WHY });
    table.write();
    const second = new LaneTable({ idempotency: KEY, inflightMax: 1, after: table });
    second.pass(WINDOW_MS / 2);
    const third = next(second, WINDOW_MS / 2 + 1);
    expect([ends(third), third.called]).toEqual([["unconfirmed"], []]);
    third.write();
    expect(third.called).toEqual([2]);
  });

  test("the channel is gone, and nothing is in doubt: all is sent, however late", () => {
    const table = laneWith("1", "2");
    table.connect();
    table.end(table.newest, DEFERRED);
    table.take({ is: "disconnected", why: WHY });
    table.write();
    expect(deliver(next(table, 10 * WINDOW_MS))).toBe(2);
  });

  test("a stop that breaks off a call leaves it in doubt, and nothing else", () => {
    const table = laneWith("1", "2");
    table.connect();
    table.take({ is: "stop" });
    table.take({ is: "break off" });
    table.pass(500);
    table.write();
    const late = next(table, WINDOW_MS);
    late.write();
    expect([ends(late), late.called]).toEqual([["unconfirmed"], [2]]);
  });

  test("so many may be sent before the disk follows; after a kill so many are in doubt, and the others are sent", () => {
    const table = laneWith(...Array.from({ length: 40 }, (_, at) => `${at}`));
    table.connect();
    while (table.state.calls.length > 0) table.end(table.newest, SENT);
    const sent = table.called.length;
    expect(sent).toBe(17);
    const late = next(table, WINDOW_MS + 1);
    late.write();
    expect(ends(late)).toEqual(Array.from({ length: sent }, () => "unconfirmed"));
    expect(deliver(late)).toBe(40 - sent);
    table.write();
    expect(deliver(table)).toBe(40);
  });

  test("one that hangs does not hold up those that the disk has as done", () => {
    const table = new LaneTable({ idempotency: KEY, inflightMax: 2 });
    table.say(...Array.from({ length: 60 }, (_, at) => `${at}`));
    table.connect();
    for (; table.state.calls.length > 1; table.write()) table.end(table.newest, SENT);
    expect([table.called.length, table.state.window.cursor]).toEqual([60, 0]);
    const late = next(table, WINDOW_MS + 1);
    expect([ends(late), late.called]).toEqual([["unconfirmed"], []]);
  });
});

/** `unsent`: told of a call that certainly sent nothing. */
type Act = (table: LaneTable, unsent: (call: HandlerCall) => void) => void;

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.constant<Act>((table) => table.say("said")),
  fc.constant<Act>((table) => void table.connect()),
  fc.constant<Act>((table) => table.take({ is: "disconnected", why: WHY })),
  fc
    .record({ at: fc.nat(9), how: fc.constantFrom(SENT, DEFERRED, UNKNOWN) })
    .map(({ at, how }): Act => (table, unsent) => {
      const call = table.state.calls[at % Math.max(1, table.state.calls.length)];
      if (call === undefined) return;
      if (how === DEFERRED) unsent(call);
      table.end(call, how);
    }),
  fc.constant<Act>((table) => {
    const { write } = table.state.records;
    if (write !== "none") table.take({ is: write === "due" ? "turn over" : "durable" });
  }),
  fc.constant<Act>((table) => table.refuse()),
  fc.constant<Act>((table) => table.take({ is: "stop" })),
  fc.constant<Act>((table) => table.take({ is: "break off" })),
  fc.nat(WINDOW_MS).map(
    (ms): Act =>
      (table) =>
        table.pass(ms),
  ),
);

/** A run of the program; `landed`: a write that was under way when it was killed is on the disk. */
const lives = fc.array(fc.record({ landed: fc.boolean(), all: fc.array(acts, { maxLength: 40 }) }), { maxLength: 4 });

test("whatever comes, and however often it is killed, nothing is sent again once the network may have forgotten it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), lives, (inflightMax, runs) => {
      /** By seq: the oldest call that may have sent it. */
      const first = new Map<number, { readonly sinceMs: number; readonly by: LaneTable; readonly call: number }>();
      const options = { idempotency: KEY, inflightMax, maxAgeMs: 24 * 3_600_000 };
      let after: LaneTable | null = null;
      for (const { landed, all } of runs) {
        const table: LaneTable = new LaneTable({ ...options, ...(after !== null && { after }) });
        table.watch = (effect) => {
          if (effect.do !== "call" || effect.isLine) return;
          const { seq, call } = effect;
          const { sinceMs } = first.get(seq) ?? { sinceMs: table.nowMs };
          if (!first.has(seq)) first.set(seq, { sinceMs, by: table, call });
          if (table.nowMs - sinceMs > WINDOW_MS) throw new Error(`${seq} is sent again after the time`);
        };
        table.take({ is: "woken" });
        table.connect();
        const unsent = ({ id, item: { seq } }: HandlerCall): void => {
          const known = first.get(seq);
          if (known?.by === table && known.call === id) first.delete(seq);
        };
        for (const act of all) act(table, unsent);
        const { write } = table.state.records;
        if (landed && typeof write !== "string") table.take({ is: "durable" });
        after = table;
      }
    }),
    { numRuns: 1_000 },
  );
});
