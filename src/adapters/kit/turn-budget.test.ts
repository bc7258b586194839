import { expect, test } from "vitest";
import { TurnBudget } from "./turn-budget.ts";

/** Turns that the test begins, in which time passes only by work. */
function turnsOf() {
  let nowMs = 0;
  const due: (() => void)[] = [];
  const turns = new TurnBudget({ nowMs: () => nowMs, later: (next) => due.push(next) });
  const pass = (ms: number): void => void (nowMs += ms);
  const nextTurn = (): void => {
    for (const next of due.splice(0)) next();
  };
  return { turns, pass, nextTurn, due };
}

test("after 5 ms of work the rest waits for the next turn", () => {
  const { turns, pass, nextTurn } = turnsOf();
  turns.spend(() => pass(3));
  expect(turns.isSpent).toBe(false);
  turns.spend(() => pass(2));
  expect(turns.isSpent).toBe(true);
  nextTurn();
  expect(turns.isSpent).toBe(false);
});

test("those that wait begin in their order, one turn each where each needs all of it", () => {
  const { turns, pass, nextTurn } = turnsOf();
  const done: string[] = [];
  const begin = (name: string, times: number): void => {
    turns.wait(() => {
      turns.spend(() => pass(5));
      done.push(name);
      if (times > 1) begin(name, times - 1);
    });
  };
  begin("flood", 3);
  begin("honest", 1);
  expect(done).toEqual([]);
  for (let turn = 0; turn < 4; turn += 1) nextTurn();
  expect(done).toEqual(["flood", "honest", "flood", "flood"]);
});

test("nobody comes before those that wait", () => {
  const { turns } = turnsOf();
  turns.wait(() => undefined);
  expect(turns.isSpent).toBe(true);
});

test("a turn is awaited only while there is work", () => {
  const { turns, nextTurn, due } = turnsOf();
  turns.spend(() => undefined);
  turns.spend(() => undefined);
  expect(due).toHaveLength(1);
  nextTurn();
  expect(due).toHaveLength(0);
});

test("many items are handled in order, over several turns", async () => {
  const { turns, pass, nextTurn, due } = turnsOf();
  const done: number[] = [];
  const items = Array.from({ length: 10 }, (_, item) => item);
  const all = turns.each(items, (item) => {
    pass(2);
    done.push(item);
  });
  const counts = [done.length];
  for (; due.length > 0; counts.push(done.length)) {
    nextTurn();
    // `each` goes on in microtasks.
    for (let tick = 0; tick < 5; tick += 1) await Promise.resolve();
  }
  await all;
  expect(done).toEqual(items);
  expect(counts.slice(0, 4)).toEqual([3, 6, 9, 10]);
});

test("connections that all have work share the turns, and all of it is done", () => {
  const { turns, pass, nextTurn, due } = turnsOf();
  const done: string[] = [];
  const connection = (name: string, pieces: number): void => {
    let left = pieces;
    const run = (): void => {
      for (; left > 0; left -= 1) {
        if (turns.isSpent) {
          turns.wait(run);
          return;
        }
        turns.spend(() => pass(3));
        done.push(name);
      }
    };
    run();
  };
  connection("a", 4);
  connection("b", 4);
  connection("c", 2);
  for (let turn = 0; turn < 10 && due.length > 0; turn += 1) nextTurn();
  expect(done.join("")).toBe("aaaabbccbb");
});

test("work over several turns goes on beside a connection that always has work", async () => {
  const { turns, pass, nextTurn } = turnsOf();
  const flood = (): void => {
    turns.spend(() => pass(5));
    turns.wait(flood);
  };
  flood();
  const done: number[] = [];
  const all = turns.each([1, 2, 3], (item) => void done.push(item));
  for (let turn = 0; turn < 10; turn += 1) {
    nextTurn();
    for (let tick = 0; tick < 5; tick += 1) await Promise.resolve();
  }
  expect(done).toEqual([1, 2, 3]);
  await all;
});
