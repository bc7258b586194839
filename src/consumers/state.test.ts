import { describe, expect, test } from "vitest";
import type { AckRequest } from "./consumers.ts";
import { Puller } from "./state.suite.ts";

const acked = (puller: Puller, request: AckRequest): Puller => {
  expect(puller.state.refusal(request)).toBeNull();
  puller.state.ack(request, puller.now);
  return puller;
};

describe("the floor", () => {
  test.each<[string, AckRequest, number, number]>([
    ["what comes first", { ack: [10] }, 10, 3],
    ["what comes second", { ack: [20] }, 0, 3],
    ["all up to one", { upto: 30 }, 30, 1],
    ["all up to what is none", { upto: 25 }, 20, 2],
    ["what was acknowledged already", { ack: [10], upto: 10 }, 10, 3],
    ["all", { upto: 40 }, 40, 0],
  ])("after %s", (_, request, floor, inFlight) => {
    const puller = new Puller().say(10, 20, 30, 40);
    puller.pull();
    const { state } = acked(puller, request);
    expect([state.floor, state.inFlight]).toEqual([floor, inFlight]);
  });

  test("with ack all, one stands for those before it", () => {
    const puller = new Puller({ ack: "all" }).say(10, 20, 30);
    puller.pull();
    expect(acked(puller, { ack: [20] }).state.floor).toBe(20);
  });

  test("with ack none, what is handed out is settled", () => {
    const puller = new Puller({ ack: "none", maxInFlight: 1 }).say(10, 20, 30);
    expect(puller.seqs()).toEqual([10, 20, 30]);
    expect([puller.state.floor, puller.state.inFlight]).toEqual([30, 0]);
  });
});

describe("what is refused", () => {
  test.each<[string, AckRequest]>([
    ["up to what was never handed out", { upto: 30 }],
    ["one that was never handed out", { ack: [10, 30] }],
    ["no time for such a one", { extend: [30] }],
    ["nor a delay", { nack: [{ seq: 30, inMs: 0 }] }],
    ["nor a drop", { drop: [30] }],
  ])("%s", (_, request) => {
    const puller = new Puller({ maxInFlight: 2 }).say(10, 20, 30);
    puller.pull();
    expect(puller.state.refusal(request)).toMatch(/30 was not delivered/u);
  });

  test("after a restart, acks of what was handed out before are taken", () => {
    const puller = new Puller().say(10, 20, 30);
    puller.pull();
    puller.restart();
    acked(puller, { ack: [20] });
    expect(puller.seqs()).toEqual([10, 30]);
    puller.restart();
    expect(acked(puller, { upto: 30 }).state.floor).toBe(30);
    expect(puller.seqs()).toEqual([]);
  });
});

describe("time", () => {
  test("ordered: nothing overtakes what ran out of time, and all after it come again", () => {
    const puller = new Puller({ backoffMs: [50] }).say(1, 2, 3);
    puller.pull();
    acked(puller, { ack: [2] });
    puller.say(4);
    puller.now = 100;
    expect(puller.seqs()).toEqual([]);
    puller.now = 149;
    expect([puller.seqs(), puller.state.nextMs()]).toEqual([[], 150]);
    puller.now = 150;
    expect(puller.pull()).toEqual([
      [1, 2],
      [3, 2],
      [4, 1],
    ]);
  });

  test("ordered: a refusal begins again at the first one that is not acknowledged", () => {
    const puller = new Puller().say(1, 2, 3);
    puller.pull();
    acked(puller, { nack: [{ seq: 2, inMs: 20 }] });
    expect(puller.seqs()).toEqual([1]);
    puller.now = 20;
    expect(puller.seqs()).toEqual([2, 3]);
  });

  test("ordered: who is given more time holds the others up", () => {
    const puller = new Puller().say(1, 2);
    puller.pull();
    puller.now = 90;
    acked(puller, { extend: [1] });
    puller.now = 150;
    expect([puller.seqs(), puller.state.nextMs()]).toEqual([[], 190]);
    puller.now = 190;
    expect(puller.seqs()).toEqual([1, 2]);
  });

  test("unordered: others pass while one waits", () => {
    const puller = new Puller({ ordered: false }).say(1, 2, 3);
    puller.pull();
    acked(puller, { nack: [{ seq: 1, inMs: 50 }] });
    puller.say(4);
    expect(puller.seqs()).toEqual([4]);
    expect(puller.state.nextMs()).toBe(50);
    puller.now = 50;
    expect(puller.pull()).toEqual([[1, 2]]);
    puller.now = 100;
    expect(puller.seqs()).toEqual([2, 3, 4]);
  });

  test.each([true, false])("nothing is next where nothing is out (ordered: %s)", (ordered) => {
    const puller = new Puller({ ordered }).say(1);
    puller.pull();
    puller.now = 200;
    acked(puller, { ack: [1] });
    puller.pull();
    expect(puller.state.nextMs()).toBeNull();
  });

  test("the back-off grows, and ends with its last step", () => {
    const puller = new Puller({ backoffMs: [10, 20] }).say(1);
    puller.pull();
    for (const wait of [10, 20, 20]) {
      acked(puller, { nack: [{ seq: 1, inMs: null }] });
      expect(puller.state.nextMs()).toBe(puller.now + wait);
      puller.now += wait;
      expect(puller.seqs()).toEqual([1]);
    }
  });
});

describe("dead letters", () => {
  test("after so many deliveries, and only of what failed itself", () => {
    const puller = new Puller({ maxDeliver: 2 }).say(1, 2);
    for (let time = 0; time < 2; time++) {
      expect(puller.seqs()).toEqual([1, 2]);
      acked(puller, { nack: [{ seq: 1, inMs: 0 }] });
    }
    expect([...puller.state.dead.all]).toEqual([[1, { deliveries: 2, why: "max_deliver" }]]);
    puller.now = 100;
    expect(puller.pull()).toEqual([[2, 3]]);
  });

  test("one that is retried comes once more", () => {
    const puller = new Puller({ maxDeliver: 1 }).say(1, 2);
    puller.pull();
    puller.now = 100;
    expect(puller.seqs()).toEqual([]);
    expect([...puller.state.dead.all.keys()]).toEqual([1, 2]);
    expect([puller.state.retry(1, 100), puller.state.retry(3, 100)]).toEqual([true, false]);
    expect(puller.state.floor).toBe(0);
    puller.restart();
    expect(puller.pull()).toEqual([[1, 2]]);
    acked(puller, { nack: [{ seq: 1, inMs: 0 }] });
    expect([...puller.state.dead.all.keys()]).toEqual([2, 1]);
    expect(puller.state.floor).toBe(2);
  });

  test("one that was done after all is none", () => {
    const puller = new Puller({ maxDeliver: 1 }).say(1);
    puller.pull();
    puller.now = 100;
    puller.pull();
    expect(acked(puller, { ack: [1] }).state.dead.all.size).toBe(0);
  });

  test("a thousand are kept", () => {
    const puller = new Puller({ maxInFlight: 1000 });
    for (let round = 0; round < 3; round++) {
      const seqs = Array.from({ length: 500 }, (_, index) => round * 500 + index + 1);
      puller.say(...seqs).pull(1000);
      acked(puller, { drop: seqs });
    }
    expect([puller.state.dead.all.size, [...puller.state.dead.all.keys()][0]]).toEqual([1000, 501]);
  });
});

test("other rules: what is acknowledged stays so, and what is out comes again", () => {
  const puller = new Puller().say(1, 2, 3);
  puller.pull();
  acked(puller, { ack: [2] });
  puller.state = puller.state.under({ ack: "explicit", ackWaitMs: 9, maxInFlight: 1, ...REST });
  expect(puller.pull()).toEqual([[1, 2]]);
});

const REST = { maxDeliver: 0, backoffMs: [], ordered: false } as const;

test("acks out of turn are bounded", () => {
  const seqs = Array.from({ length: 5000 }, (_, index) => index * 2 + 2);
  const puller = new Puller().say(...seqs);
  puller.restart();
  acked(puller, { ack: seqs.slice(0, 1000) });
  acked(puller, { ack: seqs.slice(1000, 2000) });
  expect(puller.state.refusal({ ack: seqs.slice(2000, 2001) })).toMatch(/too many/u);
});
