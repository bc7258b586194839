import { describe, expect, test } from "vitest";
import type { Idempotency } from "../../contract/capabilities.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { KEY, NONE, part, WHY } from "../stage.suite.ts";
import type { HandlerCall } from "./state.ts";
import { LaneTable } from "./table.suite.ts";

/** A lane with two calls under way, of which the intents are written only when the test says so. */
function aTable(idempotency: Idempotency = NONE): LaneTable {
  const table = new LaneTable({ idempotency });
  table.connect();
  table.say("before", "hello");
  return table;
}

const DEFERRED: Outcome = { is: "deferred", why: WHY, retryInMs: 1_000, scope: "channel" };

/** How it stands with a call and its message. */
function standing({ item, refused }: HandlerCall): readonly unknown[] {
  return [item.intended, item.announced, item.held, refused];
}

/** The answer to an announcement, if there is one. */
function announce(table: LaneTable, call: HandlerCall, upTo: Progress, lookup = 1): boolean | null {
  table.take({ is: "announced", call: call.id, ask: lookup, upTo });
  return table.answer(lookup);
}

const FORBIDDEN: readonly (readonly [string, (table: LaneTable) => void])[] = [
  ["is aborted", (table) => table.take({ is: "break off" })],
  ["is over", (table) => table.end(table.newest, DEFERRED)],
  ["is of a lane that stops", (table) => table.take({ is: "stop" })],
  ["is not in turn any more", (table) => table.end(table.state.calls[0]!, DEFERRED)],
];

describe("an attempt may send", () => {
  test("once its intent is on the disk, and what it announces is known", () => {
    const table = aTable();
    const call = table.newest;
    expect(announce(table, call, part(1))).toBeNull();
    expect(standing(call)).toEqual([part(1), null, false, false]);
    table.write();
    expect(table.answer(1)).toBe(true);
    expect(standing(call)).toEqual([part(1), part(1), false, false]);
  });

  test("not when the disk does not take the intent", () => {
    const table = aTable();
    const call = table.newest;
    announce(table, call, END);
    table.refuse();
    expect(table.answer(1)).toBe(false);
    expect(standing(call)).toEqual([END, null, true, true]);
  });

  test.each(FORBIDDEN)("not when it %s, and nothing is written for it", (_what, happens) => {
    const table = aTable();
    const call = table.newest;
    happens(table);
    expect(announce(table, call, END)).toBe(false);
    expect(table.state.records.waiting.filter((waiter) => waiter.for === "announcement")).toEqual([]);
    expect([call.item.intended, call.item.announced]).toEqual([null, null]);
  });

  test.each(FORBIDDEN)("not when it %s while its intent is written", (_what, happens) => {
    const table = aTable();
    const call = table.newest;
    announce(table, call, END);
    happens(table);
    table.write();
    expect([table.answer(1), call.item.announced]).toEqual([false, null]);
    // What is over is no concern of this attempt any more: another one may have begun.
    expect([call.item.held, call.refused]).toEqual(Array(2).fill(table.state.calls.includes(call)));
  });

  test.each(FORBIDDEN)("not when it %s, where nothing has to be written", (_what, happens) => {
    const table = aTable(KEY);
    const call = table.newest;
    expect(announce(table, call, part(1))).toBe(true);
    happens(table);
    const { announced } = call.item;
    expect(announce(table, call, END, 2)).toBe(false);
    expect(call.item.announced).toBe(announced);
  });
});
