import { expect, test } from "vitest";
import { NOTHING, parsed } from "../kit/json.ts";
import { tsAfter } from "./message.suite.ts";
import { RecentThreads } from "./recent-threads.ts";

const again = (threads: RecentThreads): RecentThreads =>
  new RecentThreads(parsed(JSON.stringify(threads.write())) as typeof NOTHING);

const DAY = 24 * 3_600;

test("what is written is read again, and has not moved then", () => {
  const threads = new RecentThreads(NOTHING);
  threads.note("C1", tsAfter(1), tsAfter(10));
  threads.note("C1", tsAfter(2), tsAfter(20));
  threads.note("C1", tsAfter(1), tsAfter(30));
  threads.note("C2", tsAfter(3), tsAfter(40));
  expect(threads.moved).toBe(true);
  const read = again(threads);
  expect([read.moved, threads.moved]).toEqual([false, false]);
  expect([...read.of("C1", tsAfter(50))]).toEqual([
    [tsAfter(2), tsAfter(20)],
    [tsAfter(1), tsAfter(30)],
  ]);
  read.drop("C1", tsAfter(2));
  read.forget("C2");
  expect(again(read).write()).toEqual({ threads: { C1: { [tsAfter(1)]: tsAfter(30) } } });
});

test("an older reply is no news, and of threads that are still nothing is expected", () => {
  const threads = new RecentThreads(NOTHING);
  threads.note("C1", tsAfter(1), tsAfter(10));
  threads.note("C1", tsAfter(1), tsAfter(5));
  expect([...threads.of("C1", tsAfter(10 + DAY))]).toEqual([[tsAfter(1), tsAfter(10)]]);
  expect(threads.of("C1", tsAfter(11 + DAY)).size).toBe(0);
});

test("only the newest are kept: five of a channel, sixty-four of all", () => {
  const threads = new RecentThreads(NOTHING);
  for (let at = 1; at <= 20; at += 1) threads.note("C0", tsAfter(at), tsAfter(100 + at));
  expect([...threads.of("C0", tsAfter(200)).keys()]).toEqual([16, 17, 18, 19, 20].map((at) => tsAfter(at)));
  for (let at = 1; at <= 100; at += 1) threads.note(`C${at}`, tsAfter(at), tsAfter(300));
  const left = Array.from({ length: 101 }, (_, at) => threads.of(`C${at}`, tsAfter(300)).size);
  expect([left.slice(0, 37), left.slice(37)]).toEqual([
    Array.from({ length: 37 }, () => 0),
    Array.from({ length: 64 }, () => 1),
  ]);
});

test.each([{ threads: [] }, { threads: { C1: "x", C2: { x: tsAfter(1), [tsAfter(1)]: 7 } } }])(
  "%j says nothing",
  (json) => {
    expect(new RecentThreads(json).write()).toEqual({});
  },
);
