import { describe, expect, test } from "vitest";
import { END } from "../contract/ids.ts";
import { type AttemptLane, LaneAttempt } from "./attempt.ts";
import { part } from "./stage.suite.ts";
import { Item } from "./window.ts";

/** An attempt whose lane writes an intent only when the test says so. */
function anAttempt(by: AttemptLane["by"] = "none") {
  const item = new Item({ seq: 2, at: 0, label: "", payload: "hello" });
  const disk = Promise.withResolvers<boolean>();
  const state = { mayAnnounce: true, writes: 0 };
  const attempt = new LaneAttempt(item, {
    by,
    mayAnnounce: () => state.mayAnnounce,
    durable: () => ((state.writes += 1), disk.promise),
    active: () => undefined,
    confirmed: () => undefined,
  });
  return { item, disk, state, attempt };
}

type Tried = ReturnType<typeof anAttempt>;

const FORBIDDEN: readonly (readonly [string, (tried: Tried) => void])[] = [
  ["is aborted", ({ attempt }) => attempt.abort()],
  ["is over", ({ attempt }) => attempt.end()],
  ["is not in turn any more", ({ state }) => (state.mayAnnounce = false)],
];

describe("an attempt may send", () => {
  test("once its intent is on the disk, and what it announces is known", async () => {
    const { item, disk, attempt } = anAttempt();
    const answer = attempt.sending(part(1));
    expect([item.intended, item.announced]).toEqual([part(1), null]);
    disk.resolve(true);
    expect(await answer).toBe(true);
    expect([item.announced, item.held, attempt.refused]).toEqual([part(1), false, false]);
  });

  test("not when the disk does not take the intent", async () => {
    const { item, disk, attempt } = anAttempt();
    disk.resolve(false);
    expect(await attempt.sending(END)).toBe(false);
    expect([item.announced, item.held, attempt.refused]).toEqual([null, true, true]);
  });

  test.each(FORBIDDEN)("not when it %s, and nothing is written for it", async (_what, happens) => {
    const tried = anAttempt();
    happens(tried);
    tried.disk.resolve(true);
    expect(await tried.attempt.sending(END)).toBe(false);
    expect(tried.state.writes).toBe(0);
    const { item, attempt } = tried;
    expect([item.intended, item.announced, attempt.refused]).toEqual([null, null, true]);
  });

  test.each(FORBIDDEN)("not when it %s while its intent is written", async (_what, happens) => {
    const tried = anAttempt();
    const answer = tried.attempt.sending(END);
    happens(tried);
    tried.disk.resolve(true);
    expect(await answer).toBe(false);
    const { item, attempt } = tried;
    expect([item.announced, attempt.refused]).toEqual([null, true]);
    // What is over is no concern of this attempt any more: another one may have begun.
    expect(item.held).toBe(attempt.live);
  });

  test.each(FORBIDDEN)("not when it %s, where nothing has to be written", async (_what, happens) => {
    const tried = anAttempt("key");
    expect(await tried.attempt.sending(part(1))).toBe(true);
    happens(tried);
    expect(await tried.attempt.sending(END)).toBe(false);
    expect([tried.state.writes, tried.item.announced]).toEqual([0, part(1)]);
  });
});
