import { expect, test } from "vitest";
import type { SlackEvent } from "./envelopes.ts";
import { tsAfter } from "./message.suite.ts";
import { EventOrder } from "./order.ts";
import type { EventsOrder } from "./socket-mode.ts";

/** Timers that a test fires. */
class Timers {
  #tasks: (() => void)[] = [];

  after = (_: number, task: () => void): (() => void) => {
    this.#tasks.push(task);
    return () => void (this.#tasks = this.#tasks.filter((one) => one !== task));
  };

  fire(): void {
    for (const task of this.#tasks.splice(0)) task();
  }
}

function stage(order: EventsOrder) {
  const clock = new Timers();
  const told: string[] = [];
  const state = { order };
  const events = new EventOrder({
    clock,
    order: () => state.order,
    onEvent: ({ id }) => told.push(id),
    onLate: (late) => told.push(`late: ${late.map(({ id }) => id).join(" ")}`),
  });
  const push = (id: string, seconds: number | null): void => {
    const event = seconds === null ? {} : { event_ts: tsAfter(seconds) };
    events.push({
      id,
      type: "message",
      event,
      team: "T1",
      external: false,
      done: () => undefined,
    } satisfies SlackEvent);
  };
  return { clock, told, state, events, push };
}

test("where the order is sure, nothing waits", () => {
  const { told, push } = stage("sure");
  push("b", 2);
  push("a", 1);
  expect(told).toEqual(["b", "a"]);
});

test("what comes over several connections is put in order, and what does not say when it was stays where it is", () => {
  const { told, push, clock, state } = stage("mixed");
  push("b", 2);
  push("after b", null);
  push("d", 4);
  push("a", 1);
  clock.fire();
  // What nobody had come to read yet is in time.
  push("c", 3);
  state.order = "sure";
  push("e", 5);
  expect(told).toEqual([]);
  clock.fire();
  expect(told).toEqual(["a", "b", "after b", "c", "d", "e"]);
  push("f", 6);
  expect(told.at(-1)).toBe("f");
});

test("while some come late, it is said first what others came", () => {
  const { told, push, clock } = stage("late");
  push("b", 2);
  push("a", 1);
  clock.fire();
  clock.fire();
  expect(told).toEqual(["late: a b", "a", "b"]);
});

test("very many do not wait, and after the end none is told", () => {
  const { told, push, events, clock } = stage("mixed");
  for (let at = 0; at < 2_000; at += 1) push(String(at), at);
  expect(told).toHaveLength(2_000);
  push("last", 1);
  events.stop();
  clock.fire();
  push("later", 1);
  expect(told).toHaveLength(2_000);
});
