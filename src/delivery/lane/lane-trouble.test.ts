import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import {
  connected,
  deferred,
  delivered,
  KEY,
  NONE,
  outletOf,
  part,
  rejected,
  sendWhole,
  Stage,
  WHY,
} from "../stage.suite.ts";

const never = new AbortController().signal;

describe("a session that ends", () => {
  test("what is under way may end by itself, and nothing starts before it has", async () => {
    const stage = await connected({ inflightMax: 2 });
    await stage.say("1", "2", "3");
    stage.lane.disconnect(WHY);
    await stage.connect();
    expect(stage.calls).toHaveLength(2);
    await stage.end(1, delivered);
    await stage.end(2, deferred(0));
    await stage.clock.advance(100);
    expect(stage.texts.slice(2)).toEqual(["2", "3"]);
  });

  test("another session without a word about the first: what is under way there has to end, too", async () => {
    const stage = await connected();
    await stage.say("1");
    await stage.connect();
    await stage.clock.advance(10_000 + 500);
    expect(stage.texts).toEqual(["1", "1"]);
  });

  test("a handler that does not end is given up on after 10 s", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1", "2");
    await stage.call(1).attempt.sending(END);
    stage.lane.disconnect(WHY);
    await stage.connect();
    await stage.clock.advance(9_999);
    expect(stage.call(1).attempt.signal.aborted).toBe(false);
    await stage.clock.advance(1);
    expect(stage.call(1).attempt.signal.aborted).toBe(true);
    expect(stage.texts).toEqual(["1", "2"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
    // What it says later changes nothing.
    await stage.end(1, delivered);
    expect(stage.lane.cursor).toBe(2);
    expect(stage.calls).toHaveLength(2);
  });
});

describe("a handler that hangs", () => {
  test("is aborted after 10 min, and its session is to be ended", async () => {
    const stage = await connected({ idempotency: KEY });
    await stage.say("1");
    await stage.clock.advance(599_999);
    expect(stage.stalls).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.call(1).attempt.signal.aborted).toBe(true);
    expect(stage.stalls).toMatchObject([{ code: "timeout" }]);
    await stage.clock.advance(20_000);
    expect(stage.texts).toEqual(["1", "1"]);
    expect(stage.stalls).toHaveLength(1);
    // What it says later changes nothing.
    await stage.end(1, rejected);
    expect(await stage.receipts()).toEqual([]);
    await stage.end(2, delivered);
    expect(stage.lane.cursor).toBe(2);
  });

  test("does not hang while anything moves", async () => {
    const stage = await connected({ inflightMax: 2 });
    await stage.say("1", "2");
    for (let turn = 0; turn < 5; turn++) {
      await stage.clock.advance(500_000);
      stage.call(2).attempt.sent(part(turn), []);
    }
    expect(stage.stalls).toEqual([]);
  });
});

describe("stop", () => {
  test("waits for what is under way, starts nothing more, and writes the position", async () => {
    const stage = await connected({ inflightMax: 2 });
    await stage.say("1", "2", "3");
    const stopped = stage.lane.stop(never);
    await stage.end(2, delivered);
    await stage.end(1, delivered);
    await stopped;
    expect(stage.texts).toEqual(["1", "2"]);
    expect(stage.cursorOnDisk).toBe(4);
    expect(stage.clock.waiting).toBe(0);
    stage.lane.wake();
    stage.lane.connect(stage.sink());
    await settled();
    expect(stage.calls).toHaveLength(2);
  });

  test("parts that are not announced yet stay for the next start", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    await stage.call(1).attempt.sending(part(1));
    stage.call(1).attempt.sent(part(1), []);
    const stopped = stage.lane.stop(never);
    expect(await stage.call(1).attempt.sending(END)).toBe(false);
    await stage.end(1, deferred(0));
    await stopped;
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.call(1).op).toMatchObject({ resume: part(1) });
    expect(await again.receipts()).toEqual([]);
  });

  test("is over soon after its signal, and what hangs is settled by the next start", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1", "2");
    await stage.call(1).attempt.sending(END);
    const stop = new AbortController();
    let over = false;
    const stopped = stage.lane.stop(stop.signal).then(() => (over = true));
    await stage.clock.advance(60_000);
    expect(over).toBe(false);
    stop.abort();
    expect(stage.call(1).attempt.signal.aborted).toBe(true);
    await stage.clock.advance(500);
    await stopped;
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.texts).toEqual(["2"]);
    expect(await again.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
  });

  test("a signal that is aborted already", async () => {
    const stage = await connected();
    await stage.say("1");
    const stopped = stage.lane.stop(AbortSignal.abort());
    await stage.clock.advance(500);
    await stopped;
    expect(stage.call(1).attempt.signal.aborted).toBe(true);
  });
});

describe("a log that refuses", () => {
  test("without idempotency nothing is sent until it takes marks again; it is said once", async () => {
    const stage = await connected({ idempotency: NONE, inflightMax: 2 });
    await stage.say("1", "2");
    stage.log.refuses = "disk_full";
    expect(await stage.call(1).attempt.sending(END)).toBe(false);
    expect(await stage.call(2).attempt.sending(END)).toBe(false);
    await stage.end(1, deferred(0));
    await stage.end(2, deferred(0));
    await stage.clock.advance(120_000);
    expect(stage.calls).toHaveLength(2);
    expect(stage.lines).toMatchObject([
      { level: "warn", message: expect.stringContaining("log does not store") as string },
    ]);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    expect(stage.texts.slice(2)).toEqual(["1", "2"]);
    expect(await sendWhole(stage.call(3).attempt)).toBe(true);
    expect(stage.lines.at(-1)).toMatchObject({ level: "info" });
  });

  test("nothing overtakes the rest of a message that it has stopped between two parts", async () => {
    const stage = await connected({ idempotency: NONE, inflightMax: 2 });
    await stage.say("1", "2");
    const first = stage.call(1).attempt;
    await first.sending(part(1));
    first.sent(part(1), []);
    stage.log.refuses = "disk_full";
    expect(await first.sending(END)).toBe(false);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    // The first handler has not returned yet.
    expect(await stage.call(2).attempt.sending(END)).toBe(false);
    await stage.end(2, deferred(0));
    await stage.end(1, deferred(0));
    await stage.clock.advance(1_000);
    expect(stage.texts.slice(2)).toEqual(["1", "2"]);
    expect(stage.call(3).op).toMatchObject({ resume: part(1) });
    const both = [stage.call(3), stage.call(4)].map(({ attempt }) => attempt.sending(END));
    expect(await Promise.all(both)).toEqual([true, true]);
  });

  test("with a key it goes on in memory, and the position follows", async () => {
    const stage = await connected();
    stage.log.refuses = "io";
    await stage.say("1", "2");
    await stage.end(1, rejected);
    await stage.end(2, delivered);
    expect(stage.lane.cursor).toBe(4);
    expect(stage.cursorOnDisk).toBe(0);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    expect(stage.cursorOnDisk).toBe(4);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "failed" }]);
  });

  test("what it cannot write down is bounded: then nothing more is sent", async () => {
    const stage = new Stage({ inflightMax: 4, idempotency: { by: "echo" } });
    await stage.open();
    await stage.say(...Array.from({ length: 1_500 }, (_, at) => `${at}`));
    stage.log.refuses = "disk_full";
    let sent = 0;
    await stage.connect(
      outletOf(async () => {
        sent += 1;
        return await Promise.resolve(rejected);
      }),
    );
    await stage.clock.advance(1_000);
    expect(sent).toBeGreaterThan(1_000);
    expect(sent).toBeLessThan(1_100);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    expect(sent).toBe(1_500);
    expect(await stage.receipts()).toHaveLength(1_500);
  });
});

describe("a log that cannot be read", () => {
  test("is asked again, and nothing is left out", async () => {
    const stage = await connected();
    stage.log.unreadable = true;
    await stage.say("1");
    await stage.clock.advance(10_000);
    expect(stage.lines).toMatchObject([
      { level: "error", message: expect.stringContaining("cannot be read") as string },
    ]);
    stage.log.unreadable = false;
    await stage.clock.advance(60_000);
    expect(stage.texts).toEqual(["1"]);
  });
});

test("after one that hangs, what has ended and what is not for the lane is bounded in memory; all of it goes on", async () => {
  const stage = new Stage({ inflightMax: 2 });
  await stage.open();
  let hung: ((outcome: Outcome) => void) | null = null;
  const heard: string[] = [];
  await stage.connect(
    outletOf(async (op) => {
      heard.push(op.body.source.text);
      return heard.length > 1 ? delivered : await new Promise((resolve) => (hung = resolve));
    }),
  );
  for (let at = 0; at < 5_000; at += 1) stage.put(at % 2 === 0 ? `${at}` : "!");
  await stage.say("last");
  await stage.clock.advance(1_000);
  expect(heard.length).toBeGreaterThan(500);
  expect(heard.length).toBeLessThan(2_000);
  (hung as ((outcome: Outcome) => void) | null)?.(delivered);
  await stage.clock.advance(1_000);
  expect([heard.length, heard.at(-1), stage.cursorOnDisk]).toEqual([2_501, "last", stage.log.head]);
});
