import { describe, expect, test } from "vitest";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { KEY, WHY } from "../stage.suite.ts";
import { copiesUnderWay, haveLanded } from "./copies.ts";
import type { LaneState } from "./state.ts";
import { SENT, LaneTable } from "./table.suite.ts";

const MADE: Outcome = { is: "delivered", receipt: { messages: ["copy" as MessageRef], losses: [] } };
const DEFERRED: Outcome = { is: "deferred", why: WHY, retryInMs: 5_000, scope: "channel" };
const SESSION: Outcome = { ...DEFERRED, scope: "session" };

/** A lane in each of its modes, with two messages and an edit of the first one to send. */
const MODES: Readonly<Record<LaneState["mode"]["is"], () => LaneTable>> = {
  opening: () => {
    const table = new LaneTable();
    table.state.mode = { is: "opening" };
    return table;
  },
  apart: () => {
    const table = new LaneTable({ idempotency: KEY, inflightMax: 1 });
    table.say("1", "2");
    return table;
  },
  joined: () => {
    const table = MODES.apart();
    table.connect();
    return table;
  },
  weighing: () => {
    const table = new LaneTable({ catchUp: { is: "newest", count: 1 } });
    table.say("1", "2");
    table.pass(60_000);
    table.connect();
    return table;
  },
  preparing: () => {
    const table = MODES.joined();
    table.end(table.newest, SENT);
    table.end(table.newest, SENT);
    table.act("edit", 1);
    table.write();
    return table;
  },
  unlisting: () => {
    const table = new LaneTable({ maxAgeMs: 1_000 });
    table.say("1", "2");
    table.pass(1_001);
    table.connect();
    return table;
  },
  stopping: () => {
    const table = MODES.joined();
    table.take({ is: "stop" });
    return table;
  },
  closing: () => {
    const table = MODES.joined();
    table.end(table.newest, DEFERRED);
    table.take({ is: "stop" });
    return table;
  },
  stopped: () => {
    const table = MODES.closing();
    table.write();
    return table;
  },
};

const mode = ({ state }: LaneTable): string => (state.mode.is === "preparing" ? state.mode.until : state.mode.is);

test.each(Object.entries(MODES))("a lane gets to be %s", (is, made) => {
  expect(made().state.mode.is).toBe(is);
});

type Move = readonly [from: LaneState["mode"]["is"], what: string, move: (table: LaneTable) => void, to: string];

const connect = (table: LaneTable): void => void table.connect();
const disconnect = (table: LaneTable): void => table.take({ is: "disconnected", why: WHY });
const stop = (table: LaneTable): void => table.take({ is: "stop" });
const breakOff = (table: LaneTable): void => table.take({ is: "break off" });

const MOVES: readonly Move[] = [
  [
    "opening",
    "the log has taken what was left in doubt",
    (table) => table.take({ is: "opened", receipts: [] }),
    "opening",
  ],
  ["apart", "the channel is joined", connect, "joined"],
  ["apart", "it stops, and has nothing under way", stop, "closing"],
  ["joined", "the channel goes", disconnect, "apart"],
  ["joined", "it stops, and has something under way", stop, "stopping"],
  ["weighing", "the log says which ones are the newest: a line stands for the others", weighed, "unlisting"],
  ["weighing", "the log does not say", (table) => table.take({ is: "no newest", error: "no" }), "joined"],
  ["weighing", "the channel goes", disconnect, "apart"],
  ["weighing", "it stops", stop, "closing"],
  ["preparing", "what was looked up is found", (table) => table.find(), "joined"],
  ["preparing", "it has to be looked up later", (table) => table.find({ is: "later", why: WHY }), "joined"],
  ["preparing", "another session takes the place of this one: all is looked up anew", connect, "stored"],
  ["preparing", "the channel goes", disconnect, "apart"],
  ["preparing", "it stops", stop, "closing"],
  ["unlisting", "the line is off the disk", (table) => table.write(), "joined"],
  ["unlisting", "the log does not take it", (table) => table.refuse(), "joined"],
  ["unlisting", "the channel goes", disconnect, "apart"],
  ["unlisting", "it stops", stop, "closing"],
  ["stopping", "the last call ends", (table) => table.end(table.newest, SENT), "closing"],
  ["stopping", "another session comes", connect, "stopping"],
  [
    "stopping",
    "its half second is over: nobody waits for the last write",
    (table) => (breakOff(table), table.pass(500)),
    "stopped",
  ],
  ["closing", "the last write is on the disk", (table) => table.write(), "stopped"],
  ["closing", "the log does not take it", (table) => table.refuse(), "stopped"],
  ["closing", "its half second is over", (table) => (breakOff(table), table.pass(500)), "stopped"],
  ["closing", "another session comes", connect, "closing"],
  ["stopped", "another session comes", connect, "stopped"],
  ["stopped", "there is something new", (table) => table.say("3"), "stopped"],
];

function weighed(table: LaneTable): void {
  const entries = table.log.map(({ payload: _payload, ...head }) => head);
  table.take({ is: "newest", from: 1, entries, skipped: 0 });
}

test.each(MOVES)("%s, and %s", (from, _what, move, to) => {
  const table = MODES[from]();
  move(table);
  expect(mode(table)).toBe(to);
});

describe("nothing starts", () => {
  test.each(["apart", "weighing", "preparing", "unlisting", "stopping", "closing", "stopped"] as const)("%s", (is) => {
    const table = MODES[is]();
    const { length } = table.called;
    table.say("3");
    table.act("delete", 3);
    expect(table.called).toHaveLength(length);
    expect(table.state.mode.is).toBe(is);
  });
});

describe("what a step does not know any more", () => {
  test.each([
    [
      "a look-up that was given up",
      (table: LaneTable) => {
        const { search } = table;
        disconnect(table);
        expect(table.effects.at(-1)).not.toMatchObject({ do: "look up" });
        expect(table.done("give up")).toHaveLength(1);
        table.connect();
        if (search !== null) table.take({ is: "found", search, found: { is: "pointless" } });
        return table.state.mode.is === "preparing" && table.state.mode.until === "stored";
      },
    ],
    [
      "the outcome of a call that was given up",
      (table: LaneTable) => {
        const { length } = table.effects;
        table.take({ is: "outcome", call: 99, outcome: SENT });
        return table.effects.length === length;
      },
    ],
    [
      "a verdict on a message that is not asked about",
      (table: LaneTable) => {
        table.take({ is: "verdict", seq: 3, why: WHY });
        return table.done("meter end").every(({ state }) => state === "sent");
      },
    ],
  ])("%s changes nothing", (_what, isUnchanged) => {
    expect(isUnchanged(MODES.preparing())).toBe(true);
  });
});

describe("a session's gate", () => {
  test("that is closed by a call holds the same session at once, and no other", () => {
    const table = new LaneTable({ idempotency: KEY, inflightMax: 2 });
    const gate = {};
    table.connect(gate);
    table.say("1", "2", "3");
    table.end(table.newest, SESSION);
    expect(table.done("hold")).toMatchObject([{ untilMs: table.monoMs + 5_000 }]);
    expect(table.called).toEqual([1, 2]);
    const other = MODES.joined();
    const call = other.newest;
    other.connect({});
    other.end(call, SESSION);
    expect([other.called, other.state.gateMs]).toEqual([[1, 1], 0]);
  });
});

describe("a copy is under way", () => {
  test("until its receipt is on the disk", () => {
    const table = MODES.joined();
    const copies = copiesUnderWay(table.state);
    if (copies === null) throw new Error("nothing is under way");
    table.end(table.newest, MADE);
    table.refuse();
    expect(haveLanded(table.state, copies)).toBe(false);
    table.pass(60_000);
    table.write();
    expect(haveLanded(table.state, copies)).toBe(true);
  });

  test("not once nobody waits for it", () => {
    const table = MODES.stopping();
    const copies = copiesUnderWay(table.state);
    breakOff(table);
    table.pass(500);
    table.write();
    expect([copies !== null && haveLanded(table.state, copies), copiesUnderWay(table.state)]).toEqual([true, null]);
  });
});

test("one write at a time, and what changes in one turn goes together", () => {
  const table = new LaneTable({ inflightMax: 3 });
  table.connect();
  table.say("1", "2", "3");
  for (const { id } of table.state.calls) table.take({ is: "announced", call: id, ask: id, upTo: "p" as never });
  const { length } = table.done("write");
  table.take({ is: "turn over" });
  table.end(table.newest, MADE);
  expect(table.done("write")).toHaveLength(length + 1);
  expect(table.done("answer")).toEqual([]);
  table.write();
  expect(table.done("answer").map(({ ask, allowed }) => [ask, allowed])).toEqual([
    [1, true],
    [2, true],
    [3, false],
  ]);
  expect(table.done("write")).toHaveLength(length + 2);
});

test("the timer is off once the lane has stopped, and was set for what was due first", () => {
  const table = MODES.closing();
  expect(table.state.timerMs).toBe(table.monoMs + 5_000);
  table.write();
  table.take({ is: "tick" });
  expect([table.state.timerMs, table.done("set timer").at(-1)?.atMs]).toEqual([Infinity, Infinity]);
});

test("a timer that was set before the end of a stop rings, and then the end does", () => {
  const table = MODES.closing();
  table.pass(4_800);
  breakOff(table);
  table.pass(200);
  expect([table.state.mode.is, table.state.timerMs]).toEqual(["closing", table.monoMs + 300]);
  table.pass(300);
  expect(table.state.mode.is).toBe("stopped");
});

test("a lane that ends leaves what comes later to the next one of its name", () => {
  const table = MODES.joined();
  table.end(table.newest, SENT);
  table.end(table.newest, SENT);
  table.take({ is: "ends", upTo: 2 });
  table.say("3");
  expect([table.called, table.state.window.cursor, table.state.reading.more]).toEqual([[1, 2], 2, false]);
  const reads = table.done("read").length;
  table.say("4");
  expect([table.done("read").length, table.state.reading.more]).toEqual([reads, false]);
});

describe("a message that ended without the network", () => {
  const cancelled = (): LaneTable => {
    const table = new LaneTable({ idempotency: KEY, inflightMax: 1 });
    table.say("1", "2");
    table.act("delete", 1);
    table.connect();
    return table;
  };

  test("is on the disk before a later one is sent: a kill does not bring it back behind that one", () => {
    const table = cancelled();
    expect(table.called).toEqual([]);
    table.write();
    expect(table.called).toEqual([2]);
  });

  test("is on the disk as well where it went out with another", () => {
    const table = new LaneTable({ idempotency: KEY, inflightMax: 1 });
    table.say("1", "2");
    table.act("edit", 1);
    table.say("4");
    table.connect();
    table.end(table.newest, SENT);
    expect(table.called).toEqual([1]);
    table.write();
    table.end(table.newest, SENT);
    expect(table.called).toEqual([1, 2, 4]);
  });

  test("does not stop the lane while the log refuses", () => {
    const table = cancelled();
    table.refuse();
    expect(table.called).toEqual([2]);
  });
});

test("a line for expired messages that was put back is sent only once another write took it off the disk", () => {
  const table = MODES.unlisting();
  disconnect(table);
  table.take({ is: "turn over" });
  connect(table);
  table.take({ is: "durable" });
  expect([table.state.mode.is, table.called]).toEqual(["unlisting", []]);
  expect(table.state.records.written.get("summary/lane")).not.toBe("");
  table.write();
  expect(table.done("call")).toMatchObject([{ isLine: true }]);
  expect(table.state.records.written.get("summary/lane")).toBe("");
});

test("that all of a message is confirmed is written a moment later, also without its end", () => {
  const table = new LaneTable();
  table.connect();
  table.say("1");
  table.write();
  table.take({ is: "confirmed", call: table.newest.id, upTo: END, messages: [] });
  const before = table.done("write").length;
  table.pass(50);
  table.write();
  expect(table.done("write").slice(before)).toHaveLength(1);
});
