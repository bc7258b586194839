import { describe, expect, test } from "vitest";
import { END, type Progress } from "../../contract/ids.ts";
import { KEY, part, WHY } from "../stage.suite.ts";
import { marksOf } from "./checkpoint.ts";
import { mayRide } from "./early-intent.ts";
import { LaneTable, SENT } from "./table.suite.ts";

const HEAD = { subject: "net.a/#from", at: 0, label: "" };
const INTENT = marksOf("lane").intent;

function aTable(): LaneTable {
  const table = new LaneTable();
  table.connect();
  table.write();
  return table;
}

function may({ state, monoMs, nowMs }: LaneTable): boolean {
  return mayRide(state, HEAD, { nowMs, monoMs, gateMs: state.gateMs, pulseMs: 0, random: 0 });
}

/** An entry is stored, and the intent with it. */
function ride(table: LaneTable): void {
  expect(may(table)).toBe(true);
  table.take({ is: "rides" });
  table.say("hello");
  table.take({ is: "rode", seq: table.log.length });
}

/** Values of the intent that were handed to the log, one after the other. */
const intents = (table: LaneTable): readonly string[] =>
  table.done("write").flatMap(({ marks }) => marks.flatMap(({ name, value }) => (name === INTENT ? [value] : [])));

const intentOf = (progress: Progress): string => JSON.stringify({ seq: 1, progress, alone: true });

function announce(table: LaneTable, upTo: Progress): boolean | null {
  table.take({ is: "announced", call: table.newest.id, ask: 1, upTo });
  if (table.state.records.write === "due") table.take({ is: "turn over" });
  return table.answer(1);
}

describe("a message whose intent came with it", () => {
  test("leaves without a write", () => {
    const table = aTable();
    ride(table);
    expect(announce(table, END)).toBe(true);
    expect(intents(table)).toEqual([]);
    table.end(table.newest, SENT);
    table.write();
    expect(intents(table)).toEqual([""]);
  });

  test("waits for a write where its first part is less than all of it", () => {
    const table = aTable();
    ride(table);
    expect(announce(table, part(1))).toBeNull();
    table.write();
    expect([table.answer(1), intents(table)]).toEqual([true, [intentOf(part(1))]]);
  });

  test("and that is not announced soon, is not in doubt any more", () => {
    const table = aTable();
    ride(table);
    table.pass(49);
    table.write();
    expect(intents(table)).toEqual([]);
    table.pass(1);
    table.write();
    expect(intents(table)).toEqual([""]);
    expect(announce(table, END)).toBeNull();
    table.write();
    expect([table.answer(1), intents(table).length]).toEqual([true, 2]);
  });

  test("and that waits for its channel, is not in doubt after a stop", () => {
    const table = aTable();
    table.take({ is: "rides" });
    table.take({ is: "disconnected", why: WHY });
    table.say("hello");
    table.take({ is: "rode", seq: 1 });
    table.take({ is: "stop" });
    table.write();
    expect(intents(table)).toEqual([""]);
  });

  test("may come to the disk before a write that was made without it, which then says what is true", () => {
    const table = aTable();
    table.take({ is: "rides" });
    table.take({ is: "stop" });
    table.write();
    expect([table.state.mode.is, intents(table)]).toEqual(["stopped", [""]]);
    table.take({ is: "rode", seq: 1 });
    expect(table.state.records.written.get(INTENT)).toBe("");
  });

  test("is as it was when the log takes neither", () => {
    const table = aTable();
    table.take({ is: "rides" });
    table.take({ is: "rode", seq: null });
    expect(may(table)).toBe(true);
    table.say("another");
    expect(announce(table, END)).toBeNull();
    table.write();
    expect([table.answer(1), intents(table)]).toEqual([true, [intentOf(END)]]);
  });
});

describe("no intent goes with an entry", () => {
  test.each<[string, (table: LaneTable) => void]>([
    ["the channel is gone", (table) => table.take({ is: "disconnected", why: WHY })],
    ["a message is under way", (table) => table.say("before")],
    ["another intent is on its way", (table) => table.take({ is: "rides" })],
    ["the lane stops", (table) => table.take({ is: "stop" })],
    ["the entry is left to another lane", (table) => table.take({ is: "ends", upTo: 5 })],
    ["something is to be written", (table) => endOne(table)],
    [
      "the log refuses",
      (table) => {
        endOne(table);
        table.refuse();
      },
    ],
    [
      "the network asks to wait",
      (table) => {
        table.say("before");
        table.end(table.newest, { is: "rejected", why: WHY });
        table.write();
        table.state.untilMs = table.monoMs + 1;
      },
    ],
  ])("while %s", (_, happens) => {
    const table = aTable();
    happens(table);
    expect(may(table)).toBe(false);
  });

  test("where the network knows a repeated message", () => {
    const table = new LaneTable({ idempotency: KEY });
    table.connect();
    table.write();
    expect(may(table)).toBe(false);
  });
});

function endOne(table: LaneTable): void {
  table.say("before");
  table.end(table.newest, SENT);
}
