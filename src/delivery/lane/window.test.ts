import { describe, expect, test } from "vitest";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { StoredEntry } from "../../log/log.ts";
import { part, WHY } from "../stage.suite.ts";
import { type WindowItem, LaneWindow } from "./window.ts";

function entry(seq: number, payload = `${seq}`): StoredEntry {
  return { seq, subject: "net.a/#from", at: 1_000 + seq, label: "", payload };
}

/** A window with these seqs; a negative one is not admitted. */
function windowOf(...seqs: readonly number[]): {
  readonly window: LaneWindow;
  readonly items: ReadonlyMap<number, WindowItem>;
} {
  const window = new LaneWindow({ after: 0, next: null });
  window.take(
    seqs.map((seq) => entry(Math.abs(seq), seq < 0 ? "no" : "yes")),
    ({ payload }) => payload === "yes",
  );
  const items = new Map<number, WindowItem>();
  for (let item = window.ready(); item !== null; item = window.ready()) {
    items.set(item.seq, item);
    window.move(item, "running");
  }
  return { window, items };
}

describe("the cursor", () => {
  test("moves over what is not admitted, and stops before a message", () => {
    const { window } = windowOf(-2, -4, 6, -8);
    expect([window.cursor, window.readTo, window.oldest?.seq]).toEqual([4, 8, 6]);
  });

  test("closes a gap at once", () => {
    const { window, items } = windowOf(2, -4, 6, 8);
    window.finish(items.get(6)!);
    expect(window.cursor).toBe(0);
    window.finish(items.get(2)!);
    expect(window.cursor).toBe(6);
    window.finish(items.get(8)!);
    expect([window.cursor, window.oldest]).toEqual([8, null]);
  });
});

describe("the position", () => {
  const next = { seq: 4, progress: part(2), messages: ["a" as MessageRef], unconfirmed: WHY };

  test("keeps how far a message has come until it is read, while it goes on, and no longer", () => {
    const window = new LaneWindow({ after: 2, next });
    expect(window.checkpoint()).toEqual({ after: 2, next });
    window.take([entry(4)], () => true);
    expect(window.checkpoint()).toEqual({ after: 2, next });
    const item = window.ready()!;
    expect(item).toMatchObject({ confirmed: part(2), announced: part(2), unconfirmed: WHY, messages: ["a"] });
    window.finish(item);
    expect(window.checkpoint()).toEqual({ after: 4, next: null });
  });

  test("keeps how far others have come that are not read, while one before them is sent in part", () => {
    const others = [next, { ...next, seq: 6 }];
    const window = new LaneWindow({ after: 1, next, later: [{ ...next, seq: 6 }] });
    window.take([entry(2)], () => true);
    const item = window.ready()!;
    window.move(item, "running");
    expect(window.checkpoint()).toMatchObject({ next, later: [{ seq: 6 }] });
    item.confirmed = part(1);
    expect(window.checkpoint()).toMatchObject({ next: { seq: 2, progress: part(1) }, later: others });
    window.take([entry(4)], () => true);
    expect(window.checkpoint()).toMatchObject({ next: { seq: 2 }, later: [{ seq: 6 }] });
  });

  test("forgets it when the message is not there any more", () => {
    const window = new LaneWindow({ after: 2, next });
    window.take([entry(6)], () => false);
    expect(window.checkpoint()).toEqual({ after: 6, next: null });
  });
});

describe("the intent", () => {
  test("is of the newest message that has one", () => {
    const { window, items } = windowOf(2, 4, 6);
    expect(window.intent()).toBeNull();
    items.get(4)!.intended = part(1);
    expect(window.intent()).toEqual({ seq: 4, progress: part(1), alone: true });
    items.get(2)!.intended = END;
    expect(window.intent()).toEqual({ seq: 4, progress: part(1) });
  });

  test("covers a message that is done after a gap, all of it", () => {
    const { window, items } = windowOf(2, 4);
    items.get(4)!.intended = part(1);
    window.finish(items.get(4)!);
    expect(window.intent()).toEqual({ seq: 4, progress: END, alone: true });
    window.finish(items.get(2)!);
    expect(window.intent()).toBeNull();
  });
});
