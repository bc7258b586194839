import { describe, expect, test } from "vitest";
import type { Seq } from "../log/log.ts";
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
    expect(puller.state.refusal(request)).toMatchObject({
      code: "unprocessable",
      why: expect.stringMatching(/^30 was not delivered: /u) as string,
    });
  });

  test("after a restart, acks of what was handed out before are taken", () => {
    const puller = new Puller().say(10, 20, 30);
    puller.pull();
    puller.restart();
    acked(puller, { ack: [20] });
    expect(puller.seqs()).toEqual([10, 30]);
    puller.restart();
    expect(acked(puller, { ack: [30] }).state.floor).toBe(0);
    expect(puller.seqs()).toEqual([10]);
  });

  test("after a restart, upto counts for what was handed out since", () => {
    const puller = new Puller().say(10, 20, 30);
    puller.pull();
    puller.restart();
    const why = expect.stringMatching(/^30 was not delivered since the service started/u) as string;
    expect(puller.state.refusal({ upto: 30 })).toMatchObject({ code: "unprocessable", why });
    expect(puller.seqs()).toEqual([10, 20, 30]);
    expect(acked(puller, { upto: 30 }).state.floor).toBe(30);
  });

  test("after a restart, an ack with ack all counts for itself until the events before it have come again", () => {
    const puller = new Puller({ ack: "all" }).say(10, 20, 30);
    puller.pull();
    puller.restart();
    expect(acked(puller, { ack: [20] }).state.floor).toBe(0);
    expect(puller.seqs()).toEqual([10, 30]);
    expect(acked(puller, { ack: [30] }).state.floor).toBe(30);
  });

  test("of a new consumer, what the log already had was not handed out", () => {
    const puller = new Puller().say(10, 20, 30);
    expect(puller.seqs(1)).toEqual([10]);
    for (const request of [{ upto: 20 }, { ack: [20] }, { drop: [20] }]) {
      expect(puller.state.refusal(request)).toMatchObject({ code: "unprocessable" });
    }
  });
});

describe("upto", () => {
  const held = (puller: Puller, request: AckRequest): unknown => {
    const refusal = puller.state.refusal(request);
    return refusal === null ? [] : (refusal.held ?? refusal);
  };

  test("acknowledges nothing that an earlier pull still holds", () => {
    const puller = new Puller({ maxInFlight: 8 }).say(1, 2, 3, 4, 5, 6, 7, 8);
    expect([puller.seqs(4), puller.seqs(4)]).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]);
    expect(held(puller, { upto: 8 })).toEqual([1, 2, 3, 4]);
    expect(held(puller, { upto: 8, ack: [1, 2, 3, 4] })).toEqual([]);
    expect(held(puller, { upto: 3 })).toEqual([]);
    acked(puller, { upto: 4 });
    expect(acked(puller, { upto: 8 }).state.floor).toBe(8);
  });

  test.each<[string, (puller: Puller) => void]>([
    ["were acknowledged one by one", (puller) => void acked(puller, { ack: [3, 4] })],
    ["are dead letters", (puller) => void acked(puller, { drop: [3, 4] })],
  ])("stands for no other pull when its own events %s", (_, settle) => {
    const puller = new Puller().say(1, 2, 3, 4);
    puller.seqs(2);
    puller.seqs(2);
    settle(puller);
    expect(held(puller, { upto: 4 })).toEqual([1, 2]);
  });

  test("acknowledges what several pulls of one connection were handed", () => {
    const puller = new Puller().say(1, 2, 3, 4);
    const connection = puller.holder();
    puller.seqs(2, connection);
    puller.seqs(2, connection);
    expect(acked(puller, { upto: 4 }).state.inFlight).toBe(0);
  });

  test("of a holder whose time ran out acknowledges nothing that it never had", () => {
    const puller = new Puller().say(1, 2, 3, 4);
    puller.seqs(2);
    puller.seqs(2);
    puller.now = 100;
    expect(puller.seqs()).toEqual([1, 2, 3, 4]);
    // It may come from the pull that had 3 and 4 only.
    expect(held(puller, { upto: 4 })).toEqual([1, 2]);
    expect(held(puller, { upto: 2 })).toEqual([]);
  });

  test("of a holder that has refused the event acknowledges nothing that others hold", () => {
    const puller = new Puller({ ordered: false }).say(1, 2);
    const other = puller.holder();
    puller.seqs(1, other);
    puller.seqs(1);
    acked(puller, { nack: [{ seq: 2, inMs: 0 }] });
    expect(puller.seqs(1, other)).toEqual([2]);
    expect(held(puller, { upto: 2 })).toEqual([1, 2]);
  });

  test("acknowledges nothing that its holder has refused", () => {
    const puller = new Puller({ ordered: false }).say(1, 2, 3);
    puller.pull();
    acked(puller, { nack: [{ seq: 2, inMs: 50 }] });
    expect(held(puller, { upto: 3 })).toEqual([2]);
    expect(held(puller, { upto: 2 })).toEqual([2]);
    expect(held(puller, { upto: 1 })).toEqual([]);
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

  test("what is released comes again at once, in order, and never becomes one", () => {
    const puller = new Puller({ maxDeliver: 2, backoffMs: [50] }).say(1, 2, 3);
    for (let delivery = 1; delivery <= 4; delivery++) {
      expect(puller.pull(3)).toEqual([1, 2, 3].map((seq) => [seq, delivery]));
      acked(puller, { release: [2, 3, 1] });
    }
    expect(puller.state.dead.all.size).toBe(0);
  });

  test("what is released is not acknowledged by an `upto` of its holder", () => {
    const puller = new Puller({ ordered: false }).say(1, 2);
    puller.pull();
    acked(puller, { release: [1] });
    expect(puller.state.refusal({ upto: 2 })).toMatchObject({ code: "events_held", held: [1] });
  });

  test("ordered: a release takes back what is out behind it, and nothing before it", () => {
    const puller = new Puller().say(1, 2, 3);
    puller.pull();
    acked(puller, { release: [2] });
    expect(puller.seqs()).toEqual([2, 3]);
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

describe("what is given back", () => {
  test.each([true, false])("is due at once, in order, before anything newer (ordered: %s)", (ordered) => {
    const puller = new Puller({ ordered, maxInFlight: 8, backoffMs: [50] }).say(1, 2, 3, 4, 5);
    const connection = puller.holder();
    puller.seqs(5, connection);
    acked(puller, { ack: [4] });
    puller.say(6, 7);
    puller.state.giveBack(connection, puller.now, true);
    expect([puller.state.inFlight, puller.state.floor, puller.state.nextMs()]).toEqual([4, 0, 0]);
    expect([puller.seqs(2), puller.seqs()]).toEqual([
      [1, 2],
      [3, 5, 6, 7],
    ]);
  });

  test("is only what its holder has", () => {
    const puller = new Puller({ ordered: false }).say(1, 2, 3, 4);
    const [one, two] = [puller.holder(), puller.holder()];
    puller.seqs(2, one);
    puller.seqs(2, two);
    puller.state.giveBack(two, 0, true);
    expect(puller.seqs()).toEqual([3, 4]);
    puller.state.giveBack(two, 0, true);
    expect(puller.seqs()).toEqual([]);
    puller.state.giveBack(null, 0, true);
    expect(puller.seqs()).toEqual([1, 2, 3, 4]);
  });

  test("ordered: what others got after it comes again behind it, and what they got before it does not", () => {
    const puller = new Puller({ maxInFlight: 8 }).say(1, 2, 3, 4, 5, 6);
    const [one, two, three] = [puller.holder(), puller.holder(), puller.holder()];
    for (const holder of [one, two, three]) puller.seqs(2, holder);
    puller.state.giveBack(two, 0, true);
    expect(puller.seqs()).toEqual([3, 4, 5, 6]);
  });

  test("counts as a failure of its first event, and of none when the client said that it ends", () => {
    const puller = new Puller({ maxDeliver: 2 }).say(1, 2, 3);
    const crash = (failed: boolean): readonly Seq[] => {
      const connection = puller.holder();
      const seqs = puller.seqs(3, connection);
      puller.state.giveBack(connection, puller.now, failed);
      return seqs;
    };
    expect([crash(false), crash(false), crash(true), crash(true)]).toEqual(Array.from({ length: 4 }, () => [1, 2, 3]));
    expect([...puller.state.dead.all]).toEqual([[1, { deliveries: 4, why: "max_deliver" }]]);
    expect(puller.seqs()).toEqual([2, 3]);
  });

  test("can still be acknowledged by its holder", () => {
    const puller = new Puller().say(1, 2, 3);
    const connection = puller.holder();
    puller.seqs(3, connection);
    puller.state.giveBack(connection, 0, true);
    expect(acked(puller, { ack: [1], upto: 2 }).state.floor).toBe(2);
    expect(puller.seqs()).toEqual([3]);
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
  expect(puller.state.refusal({ ack: seqs.slice(2000, 2001) })).toMatchObject({
    why: expect.stringMatching(/^too many/u) as string,
  });
});
