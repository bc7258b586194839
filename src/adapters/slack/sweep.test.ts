import { onTestFinished, expect, test } from "vitest";
import type { UnreadHistory } from "./history.ts";
import { SlackSweep } from "./sweep.ts";

const LIMITED: UnreadHistory = {
  why: "refused",
  error: "ratelimited",
  status: 429,
  message: "too much",
  retryAfterMs: 900_000,
  isForGood: false,
  isBegun: false,
};

/** A clock that a test moves on, and what is looked at then, with the minute. */
function stage(channels: string[]) {
  let nowMs = 0;
  let tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  const looks: string[] = [];
  const state = { isLimited: false, isHurried: false, answer: null as UnreadHistory | null, slow: "", isBegun: false };
  const after = (ms: number, task: () => void): (() => void) => {
    const timer = { atMs: nowMs + ms, task };
    tasks.push(timer);
    return () => void (tasks = tasks.filter((one) => one !== timer));
  };
  const sweep = new SlackSweep({
    clock: { monoMs: () => nowMs, after },
    channels: () => channels,
    isLimited: () => state.isLimited,
    isHurried: () => state.isHurried,
    look: async (channel, settledMs, signal) => {
      looks.push(`${channel} ${Math.floor(nowMs / 60_000)}${settledMs === 0 ? " at once" : ""}`);
      if (channel !== state.slow) return await Promise.resolve(state.answer);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ...LIMITED, why: "aborted", error: "", retryAfterMs: null, isBegun: state.isBegun };
    },
  });
  onTestFinished(() => sweep.stop());
  const pass = async (ms: number): Promise<void> => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 500) {
      for (const timer of tasks.filter(({ atMs }) => atMs <= nowMs)) {
        tasks = tasks.filter((one) => one !== timer);
        timer.task();
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      }
    }
  };
  return { looks, pass, state, sweep };
}

const MINUTE = 60_000;

test("each channel is looked at once a minute, in turn, and none when it has just come in", async () => {
  const { looks, pass } = stage(["a", "b", "c"]);
  await pass(MINUTE);
  expect(looks).toEqual([]);
  await pass(2 * MINUTE);
  expect(looks).toEqual(["a 1", "b 1", "c 1", "a 2", "b 2", "c 2"]);
});

test("of very many channels, ten a minute are looked at", async () => {
  const { looks, pass } = stage(Array.from({ length: 300 }, (_, at) => `c${at}`));
  await pass(4 * MINUTE);
  expect(looks.length).toBeGreaterThan(25);
  expect(looks.length).toBeLessThanOrEqual(30);
  expect(new Set(looks).size).toBe(looks.length);
});

test("while the network does not want to be asked, and for a while after it refused, it is not", async () => {
  const { looks, pass, state } = stage(["a"]);
  state.isLimited = true;
  await pass(5 * MINUTE);
  expect(looks).toEqual([]);
  state.isLimited = false;
  state.answer = LIMITED;
  await pass(1.5 * MINUTE);
  state.answer = null;
  await pass(14 * MINUTE);
  expect(looks).toEqual(["a 6"]);
  await pass(MINUTE);
  expect(looks).toHaveLength(2);
});

test("a slow channel keeps none of the others back, and rests itself where nothing came of it", async () => {
  const { looks, pass, state } = stage(["a", "b", "c"]);
  state.slow = "b";
  state.isBegun = true;
  await pass(4 * MINUTE);
  const of = (minute: number) => looks.filter((look) => look.endsWith(` ${minute}`));
  expect([of(2), of(3)]).toEqual([
    ["a 2", "b 2", "c 2"],
    ["a 3", "b 3", "c 3"],
  ]);
  state.isBegun = false;
  await pass(4 * MINUTE);
  expect(looks.slice(9)).toEqual(["a 4", "b 4", "c 4", "a 5", "c 5", "a 6", "c 6", "a 7", "c 7"]);
});

test("where little may be asked, what a look has begun is soon gone on with", async () => {
  const { looks, pass, state } = stage(["a"]);
  state.answer = { ...LIMITED, retryAfterMs: MINUTE, isBegun: true };
  await pass(8 * MINUTE);
  expect(looks).toEqual(["a 1", "a 3", "a 5", "a 7"]);
});

test("what is wrong with one channel does not matter to the others", async () => {
  const { looks, pass, state } = stage(["a", "b"]);
  state.answer = { ...LIMITED, error: "internal_error", retryAfterMs: null };
  await pass(5 * MINUTE);
  expect(looks).toEqual(["a 1", "b 1"]);
});

test("while events come late, all are looked at often, also at what is new", async () => {
  const { looks, pass, state, sweep } = stage(["a", "b"]);
  state.isHurried = true;
  await pass(20_000);
  expect(looks.length).toBeGreaterThan(4);
  expect(looks.every((look) => look.endsWith("at once"))).toBe(true);
  sweep.stop();
  const count = looks.length;
  await pass(MINUTE);
  expect(looks).toHaveLength(count);
});
