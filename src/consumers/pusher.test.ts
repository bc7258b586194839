import { expect, onTestFinished, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import { onAbort } from "../lib/abort.ts";
import { isObject } from "../lib/shapes.ts";
import type { Acked, AckRequest, Consumer, Pulled } from "./consumers.ts";
import type { Answered } from "./endpoint.ts";
import type { FeedItem } from "./feed.ts";
import { FRESH, HELD_MAX, PARALLEL_MAX, Pusher, type PusherState } from "./pusher.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** All delays of the table, and more. */
const TABLE_MS = 90 * HOUR_MS;

function itemOf(seq: number): FeedItem {
  const event = {
    seq: String(seq),
    type: "place.lost" as const,
    time: "2026-01-01T00:00:00.000Z",
    gateways: ["lobby"],
    source: { account: "net.a", protocol: "net", channel: "#x" },
    text: "",
  };
  return { seq, type: "place.lost", event, json: JSON.stringify(event) };
}

/** Hands out each event once, as one with a long deadline does. */
class FakeConsumer implements Pick<Consumer, "pull" | "ack"> {
  readonly acked: number[] = [];
  readonly dropped: number[] = [];
  readonly faults: Error[] = [];
  gap: Pulled["gap"] = null;
  #left: number[];
  #more: () => void = () => undefined;

  constructor(seqs: readonly number[]) {
    this.#left = [...seqs];
  }

  add(...seqs: number[]): void {
    this.#left.push(...seqs);
    this.#more();
  }

  async pull({ max, signal }: { readonly max: number; readonly signal: AbortSignal }): Promise<Pulled> {
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    if (this.#left.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#more = resolve;
      onAbort(signal, resolve);
      await promise;
    }
    const events = this.#left.splice(0, max).map((seq) => ({ delivery: 1, deadlineMs: null, item: itemOf(seq) }));
    const { gap } = this;
    this.gap = null;
    return { events, pending: this.#left.length, gap };
  }

  async ack({ ack = [], drop = [] }: AckRequest): Promise<Acked> {
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    this.acked.push(...ack);
    this.dropped.push(...drop);
    return await Promise.resolve({ floor: 0, inFlight: 0 });
  }
}

const TAKEN: Answered = { status: 200, why: null, retryAfterMs: null };
const failure = (status = 500, retryAfterMs: number | null = null): Answered => {
  return { status, why: `it answers ${status}`, retryAfterMs };
};

interface Sent {
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

function staged(
  seqs: readonly number[],
  answer: (sent: Sent) => Answered | Promise<Answered>,
  { ordered = true, state = FRESH, clock = new FakeClock() } = {},
) {
  const consumer = new FakeConsumer(seqs);
  const sent: Sent[] = [];
  const changes: string[] = [];
  const saved: { state: PusherState } = { state };
  const pusher = new Pusher({
    consumer,
    name: "hook",
    ordered,
    state,
    save: (next) => {
      saved.state = next;
      return Promise.resolve();
    },
    send: async (message) => {
      const one = { ...message, atMs: clock.monoMs() };
      sent.push(one);
      return await answer(one);
    },
    onFault: () => changes.push("fault"),
    onChange: ({ is, why }) => changes.push(`${is}: ${why}`),
    clock,
    random: () => 0.5,
  });
  onTestFinished(() => pusher.stop());
  return { consumer, sent, changes, saved, pusher, clock, ids: () => sent.map(({ id }) => id) };
}

test("events go out in their order, and each is acknowledged when it was taken", async () => {
  const { consumer, sent, ids } = staged([3, 4, 9], () => TAKEN);
  await settled();
  expect(ids()).toEqual(["evt_hook_3", "evt_hook_4", "evt_hook_9"]);
  expect(consumer.acked).toEqual([3, 4, 9]);
  expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
    type: "place.lost",
    timestamp: "2026-01-01T00:00:00.000Z",
    data: itemOf(3).event,
  });
});

test("a failed event is tried again with the same id and body by the table, and holds up those behind it", async () => {
  let failures = 3;
  const { consumer, sent, clock, changes } = staged([1, 2], ({ id }) =>
    id === "evt_hook_1" && failures-- > 0 ? failure() : TAKEN,
  );
  await clock.advance(HOUR_MS);
  expect(sent.map(({ id, atMs }) => [id, atMs])).toEqual([
    ["evt_hook_1", 0],
    ["evt_hook_1", 5_000],
    ["evt_hook_1", 5_000 + 5 * MINUTE_MS],
    ["evt_hook_1", 5_000 + 35 * MINUTE_MS],
    ["evt_hook_2", 5_000 + 35 * MINUTE_MS],
  ]);
  expect(new Set(sent.slice(0, 4).map(({ body }) => body)).size).toBe(1);
  expect(consumer.acked).toEqual([1, 2]);
  expect(changes).toEqual(["failing: it answers 500", "recovered: it answers 500"]);
});

test("of an endpoint that takes nothing, an event is given up after ten attempts, and the endpoint disabled", async () => {
  const { consumer, sent, clock, pusher, saved, changes } = staged([1, 2], () => failure());
  await clock.advance(TABLE_MS);
  expect(sent.filter(({ id }) => id === "evt_hook_1")).toHaveLength(10);
  expect(consumer.dropped).toEqual([1]);
  expect(consumer.acked).toEqual([]);
  expect(pusher.disabled).toMatchObject({ why: "all attempts failed: it answers 500" });
  expect(saved.state).toMatchObject({ disabled: { why: "all attempts failed: it answers 500" }, tries: {} });
  expect(changes.at(-1)).toBe("disabled: all attempts failed: it answers 500");
  const before = sent.length;
  await clock.advance(TABLE_MS);
  expect(sent).toHaveLength(before);
});

test("an event that alone is refused is given up after ten attempts, and the others follow", async () => {
  const { consumer, clock, pusher, sent } = staged([1, 2, 3], ({ id }) => (id === "evt_hook_1" ? failure() : TAKEN));
  await clock.advance(TABLE_MS);
  expect(consumer.dropped).toEqual([1]);
  expect(consumer.acked).toEqual([2, 3]);
  expect(pusher.disabled).toBeNull();
  const tested = sent.filter(({ body }) => (JSON.parse(body) as { type: string }).type === "webhook.test");
  expect(tested).toHaveLength(1);
});

test("410 disables at once; enabled again, it goes on with the same event", async () => {
  let gone = true;
  const { consumer, clock, pusher, ids, saved } = staged([1, 2], () => (gone ? failure(410) : TAKEN));
  await clock.advance(TABLE_MS);
  expect(ids()).toEqual(["evt_hook_1"]);
  expect(consumer.dropped).toEqual([]);
  gone = false;
  await pusher.enable();
  await settled();
  expect(saved.state).toEqual({ disabled: null, tries: {} });
  expect(consumer.acked).toEqual([1, 2]);
});

test("enabling sends at once what waits for its next attempt", async () => {
  let down = true;
  const { consumer, clock, pusher } = staged([1], () => (down ? failure() : TAKEN));
  await clock.advance(10 * MINUTE_MS);
  down = false;
  await pusher.enable();
  await settled();
  expect(consumer.acked).toEqual([1]);
});

test("Retry-After holds all events of an unordered endpoint, for a day at most", async () => {
  let first = true;
  const answer = (): Answered => (first ? ((first = false), failure(429, 600_000)) : TAKEN);
  const { sent, clock, consumer } = staged([1], answer, { ordered: false });
  await settled();
  consumer.add(2);
  await clock.advance(HOUR_MS);
  expect(sent.map(({ id, atMs }) => [id, atMs])).toEqual([
    ["evt_hook_1", 0],
    ["evt_hook_1", 600_000],
    ["evt_hook_2", 600_000],
  ]);
});

test("without order, others pass one that waits, a few at the same time", async () => {
  let busy = 0;
  let most = 0;
  const { consumer, clock } = staged(
    Array.from({ length: 40 }, (_, index) => index + 1),
    async ({ id }) => {
      most = Math.max(most, (busy += 1));
      await new Promise(setImmediate);
      busy -= 1;
      return id === "evt_hook_1" ? failure() : TAKEN;
    },
    { ordered: false },
  );
  for (let turn = 0; turn < 20; turn += 1) await clock.advance(0);
  expect(consumer.acked).toHaveLength(39);
  expect(most).toBe(PARALLEL_MAX);
  await clock.advance(TABLE_MS);
  expect(consumer.dropped).toEqual([1]);
});

test("without order, an endpoint that took others meanwhile is not disabled; one that took none is", async () => {
  const poisonous = staged([1], ({ id }) => (id === "evt_hook_1" ? failure() : TAKEN), { ordered: false });
  await poisonous.clock.advance(HOUR_MS);
  poisonous.consumer.add(2);
  await poisonous.clock.advance(TABLE_MS);
  expect(poisonous.pusher.disabled).toBeNull();
  const dead = staged([1], () => failure(), { ordered: false });
  await dead.clock.advance(TABLE_MS);
  expect(dead.pusher.disabled).not.toBeNull();
  expect(dead.consumer.dropped).toEqual([1]);
});

test("what waits is bounded", async () => {
  const seqs = Array.from({ length: 2 * HELD_MAX }, (_, index) => index + 1);
  const { clock, ids } = staged(seqs, () => failure(), { ordered: false });
  for (let turn = 0; turn < 200; turn += 1) await clock.advance(0);
  expect(new Set(ids()).size).toBe(HELD_MAX);
});

test("a restart goes on in the table where it stood", async () => {
  const clock = new FakeClock();
  const first = staged([7], () => failure(), { clock });
  await clock.advance(10 * MINUTE_MS);
  await first.pusher.stop();
  expect(first.sent).toHaveLength(3);
  const again = staged([7], () => TAKEN, { clock, state: first.saved.state });
  await clock.advance(MINUTE_MS);
  expect(again.sent).toEqual([]);
  await clock.advance(HOUR_MS);
  expect(again.sent).toMatchObject([{ id: "evt_hook_7", atMs: 5_000 + 35 * MINUTE_MS }]);
  expect(again.saved.state.tries).toEqual({});
});

test("a disabled endpoint stays so over a restart", async () => {
  const { sent, pusher } = staged([1], () => TAKEN, { state: { disabled: { why: "it was", atMs: 1 }, tries: {} } });
  await settled();
  expect(sent).toEqual([]);
  expect(pusher.disabled).toEqual({ why: "it was", atMs: 1 });
});

test("a calendar that is set ahead or back changes no delay", async () => {
  const { clock, sent } = staged([1], () => failure());
  await settled();
  clock.jump(-100 * HOUR_MS);
  await clock.advance(5_000);
  expect(sent).toHaveLength(2);
  clock.jump(100 * HOUR_MS);
  await clock.advance(MINUTE_MS);
  expect(sent).toHaveLength(2);
});

test("while the log fails, it is asked again, and what was taken is not sent twice", async () => {
  const { clock, consumer, ids, changes } = staged([1, 2], () => {
    if (consumer.acked.length === 0) consumer.faults.push(new Error("disk full"));
    return TAKEN;
  });
  consumer.faults.push(new Error("disk full"));
  await clock.advance(MINUTE_MS);
  expect(changes).toContain("fault");
  expect(ids()).toEqual(["evt_hook_1", "evt_hook_2"]);
  expect(consumer.acked).toEqual([1, 2]);
});

test("a gap is told before what follows it", async () => {
  const { consumer, sent, clock } = staged([], () => TAKEN);
  await settled();
  consumer.gap = { from: 1, to: 40, count: 12 };
  consumer.add(41);
  await clock.advance(0);
  const bodies = sent.map(({ id, body }) => [id, JSON.parse(body) as unknown]);
  expect(bodies[0]).toMatchObject([
    "evt_hook_to40",
    { type: "skipped", data: { type: "skipped", from: "1", to: "40", count: 12 } },
  ]);
  expect(bodies[1]?.[0]).toBe("evt_hook_41");
  expect(bodies.every(([, body]) => isObject(body))).toBe(true);
});

test("an end during an attempt acknowledges nothing that was not taken, and what was", async () => {
  const answer = Promise.withResolvers<Answered>();
  const { consumer, pusher, saved } = staged([1], () => answer.promise);
  await settled();
  const stopping = pusher.stop();
  answer.resolve(failure());
  await stopping;
  expect(consumer.acked).toEqual([]);
  expect(saved.state.tries).toEqual({});
  const late = Promise.withResolvers<Answered>();
  const other = staged([1], () => late.promise);
  await settled();
  const ending = other.pusher.stop();
  late.resolve(TAKEN);
  await ending;
  expect(other.consumer.acked).toEqual([1]);
});
