import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END, type MessageRef } from "../../contract/ids.ts";
import {
  connected,
  deferred,
  delivered,
  KEY,
  LANE,
  NONE,
  outletOf,
  part,
  rejected,
  Stage,
  unknown,
  WHY,
} from "../stage.suite.ts";

describe("what a lane sends", () => {
  test("a new lane starts at the head, durably", async () => {
    const stage = new Stage();
    stage.put("before");
    await stage.open();
    expect(stage.cursorOnDisk).toBe(2);
    await stage.connect();
    await stage.say("after");
    expect(stage.texts).toEqual(["after"]);
  });

  test("an op has a stable id, the channel and the attempt", async () => {
    const stage = await connected();
    await stage.say("one");
    const { id } = stage.call(1).op;
    expect(id).toBe(`${LANE}/2/${stage.clock.nowMs()}`);
    expect(stage.call(1).op).toMatchObject({ kind: "post", channel: "room", attempt: 1, resume: null });
    await stage.end(1, deferred(1_000));
    await stage.clock.advance(1_000);
    expect(stage.call(2).op).toMatchObject({ id, attempt: 2 });
  });

  test("what was said while nobody was connected comes in order", async () => {
    const stage = new Stage();
    await stage.open();
    await stage.say("one", "two");
    expect(stage.calls).toHaveLength(0);
    await stage.connect();
    await stage.end(1, delivered);
    await stage.end(2, delivered);
    expect(stage.texts).toEqual(["one", "two"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("what the plan does not admit is passed over, and holds up nothing", async () => {
    const stage = await connected();
    await stage.say("!join", "one", "!leave");
    await stage.end(1, delivered);
    expect(stage.texts).toEqual(["one"]);
    expect(stage.lane.cursor).toBe(stage.log.head);
    expect(stage.lane.waitingSince).toBeNull();
  });

  test("a message that cannot be read is recorded as failed, and the next one goes", async () => {
    const stage = await connected();
    await stage.say("garbage", "one");
    expect(stage.texts).toEqual(["one"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "failed" }]);
  });

  test("a long backlog is read in chunks", async () => {
    const stage = new Stage({ inflightMax: 4 });
    await stage.open();
    const texts = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    const { reads } = stage.log;
    await stage.say(...texts);
    expect(stage.log.reads).toBe(reads + 1);
    const heard: string[] = [];
    await stage.connect(
      outletOf(async ({ body }) => {
        heard.push(body.source.text);
        return await Promise.resolve(delivered);
      }),
    );
    await stage.clock.advance(0);
    expect(heard).toEqual(texts);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });
});

describe("order with a window", () => {
  test("as many at once as the network takes, called in order", async () => {
    const stage = await connected({ inflightMax: 3 });
    await stage.say("1", "2", "3", "4", "5");
    expect(stage.texts).toEqual(["1", "2", "3"]);
    await stage.end(2, delivered);
    expect(stage.texts).toEqual(["1", "2", "3", "4"]);
    expect(stage.lane.cursor).toBe(0);
    await stage.end(1, delivered);
    expect(stage.lane.cursor).toBe(4);
  });

  test("after a deferral the others end first, then all begins again in order, but for what is delivered", async () => {
    const stage = await connected({ inflightMax: 3 });
    await stage.say("1", "2", "3", "4");
    await stage.end(1, deferred(200));
    await stage.clock.advance(60_000);
    expect(stage.calls).toHaveLength(3);
    await stage.end(2, delivered);
    await stage.end(3, deferred(1));
    await stage.clock.advance(200);
    expect(stage.texts.slice(3)).toEqual(["1", "3", "4"]);
    for (const number of [4, 5, 6]) await stage.end(number, delivered);
    expect(stage.lane.cursor).toBe(8);
  });

  test("nothing is sent before an older one that waits again", async () => {
    const stage = await connected({ inflightMax: 2, idempotency: NONE });
    await stage.say("1", "2");
    await stage.end(1, deferred(200));
    expect(await stage.call(2).attempt.sending(END)).toBe(false);
    await stage.end(2, deferred(3_000_000));
    await stage.clock.advance(200);
    expect(stage.texts.slice(2)).toEqual(["1", "2"]);
    const both = [stage.call(3), stage.call(4)].map(({ attempt }) => attempt.sending(END));
    expect(await Promise.all(both)).toEqual([true, true]);
  });
});

describe("outcomes", () => {
  test("delivered without ids leaves no receipt, with ids or losses it does", async () => {
    const stage = await connected();
    await stage.say("1", "2", "3");
    await stage.end(1, delivered);
    stage.call(2).attempt.sent(part(1), ["a" as MessageRef]);
    await stage.end(2, { is: "delivered", receipt: { messages: ["a", "b"] as MessageRef[], losses: [] } });
    await stage.end(3, { is: "delivered", receipt: { messages: [], losses: [{ what: "file", note: "too big" }] } });
    const receipts = await stage.receipts();
    expect(receipts.map(({ seq, state, detail }) => [seq, state, JSON.parse(detail) as unknown])).toEqual([
      [4, "sent", { messages: ["a", "b"] }],
      [6, "sent", { losses: [{ what: "file", note: "too big" }] }],
    ]);
  });

  test("rejected is recorded with its reason, and the next one goes", async () => {
    const stage = await connected();
    await stage.say("1", "2");
    await stage.end(1, rejected);
    expect(stage.texts).toEqual(["1", "2"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "failed", detail: JSON.stringify({ why: WHY }) }]);
    expect(stage.lines).toMatchObject([{ level: "warn", fields: { account: "net.B", why: WHY.message } }]);
  });

  test("a rate limit of the channel holds this lane, one of the session its gate", async () => {
    const stage = new Stage();
    await stage.open();
    const sink = await stage.connect();
    await stage.say("1");
    await stage.end(1, deferred(5_000));
    expect(sink.gate.untilMs).toBe(0);
    await stage.clock.advance(4_999);
    expect(stage.calls).toHaveLength(1);
    await stage.clock.advance(1);
    await stage.end(2, deferred(7_000, "session"));
    expect(sink.gate.untilMs).toBe(stage.clock.monoMs() + 7_000);
    await stage.clock.advance(7_000);
    expect(stage.calls).toHaveLength(3);
  });

  test("a gate that another lane closed holds", async () => {
    const stage = await connected();
    const sink = stage.sink();
    await stage.connect(sink);
    sink.gate.hold(stage.clock.monoMs() + 5_000);
    await stage.say("1");
    expect(stage.calls).toHaveLength(0);
    await stage.clock.advance(5_000);
    expect(stage.texts).toEqual(["1"]);
  });

  test.each([
    ["unknown", (stage: Stage) => stage.call(1).end(unknown)],
    ["a throw", (stage: Stage) => stage.call(1).fail(new Error("a bug"))],
  ])("%s with a key: again with the same id after a back-off", async (_, end) => {
    const stage = await connected({ idempotency: KEY });
    await stage.say("1");
    expect(await stage.call(1).attempt.sending(END)).toBe(true);
    end(stage);
    await settled();
    expect(stage.calls).toHaveLength(1);
    await stage.clock.advance(500);
    expect(stage.call(2).op).toMatchObject({ id: stage.call(1).op.id, attempt: 2 });
    await stage.end(2, delivered);
    expect(await stage.receipts()).toEqual([]);
  });

  test("a throw is logged with its stack", async () => {
    const stage = await connected();
    await stage.say("1");
    stage.call(1).fail(new Error("a bug"));
    await settled();
    expect(stage.lines).toMatchObject([
      { level: "error", fields: { seq: 2, error: expect.stringContaining("a bug") as string } },
    ]);
  });

  test("with a key whose time is over a message in doubt is not sent again", async () => {
    const stage = await connected({ idempotency: { by: "key", windowMs: 60_000 } });
    await stage.say("1", "2");
    await stage.end(1, unknown);
    stage.lane.disconnect(WHY);
    await stage.clock.advance(61_000);
    await stage.connect();
    expect(stage.texts).toEqual(["1", "2"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
  });

  test("unknown without idempotency: announced and unconfirmed is not sent again", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1", "2");
    await stage.call(1).attempt.sending(END);
    await stage.end(1, unknown);
    expect(stage.texts).toEqual(["1", "2"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
  });

  test("unknown without idempotency, and nothing announced: again", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    await stage.end(1, unknown);
    await stage.clock.advance(500);
    expect(stage.call(2).op.attempt).toBe(2);
    expect(await stage.receipts()).toEqual([]);
  });

  test("a part in doubt is left out, and the rest follows", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    const { attempt } = stage.call(1);
    await attempt.sending(part(1));
    attempt.sent(part(1), ["a" as MessageRef]);
    await attempt.sending(part(2));
    await stage.end(1, unknown);
    expect(await stage.receipts()).toMatchObject([{ state: "unconfirmed" }]);
    await stage.clock.advance(500);
    expect(stage.call(2).op).toMatchObject({ resume: part(2) });
    await stage.call(2).attempt.sending(END);
    stage.call(2).attempt.sent(END, ["c" as MessageRef]);
    await stage.end(2, delivered);
    const detail = JSON.stringify({ messages: ["a", "c"], why: WHY, gap: true });
    expect(await stage.receipts()).toMatchObject([{ state: "unconfirmed", detail }]);
  });

  test("a deferral after some parts resumes after them", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    const { attempt } = stage.call(1);
    await attempt.sending(part(1));
    attempt.sent(part(1), []);
    await attempt.sending(part(2));
    await stage.end(1, deferred(1_000));
    await stage.clock.advance(1_000);
    expect(stage.call(2).op).toMatchObject({ resume: part(1), attempt: 2 });
  });
});

describe("sending", () => {
  test("without idempotency the intent is on disk before it resolves", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    const before = stage.log.commits;
    expect(await stage.call(1).attempt.sending(part(1))).toBe(true);
    expect(stage.log.commits).toBe(before + 1);
    expect(JSON.parse(stage.disk.marks.get(`intent/${LANE}`) ?? "")).toEqual({
      seq: 2,
      progress: part(1),
      alone: true,
    });
  });

  test("what turns out not to have been sent is in doubt no longer, also on disk", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    await stage.call(1).attempt.sending(part(1));
    await stage.end(1, deferred(1_000));
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.call(1).op).toMatchObject({ resume: null });
    expect(await again.receipts()).toEqual([]);
  });

  test("with a key nothing is written for it", async () => {
    const stage = await connected({ idempotency: KEY });
    await stage.say("1");
    const before = stage.log.commits;
    expect(await stage.call(1).attempt.sending(END)).toBe(true);
    expect(stage.log.commits).toBe(before);
    expect(stage.disk.marks.has(`intent/${LANE}`)).toBe(false);
  });

  test("many at once share a write", async () => {
    const stage = await connected({ idempotency: NONE, inflightMax: 50 });
    await stage.say(...Array.from({ length: 50 }, (_, at) => `${at}`));
    const before = stage.log.commits;
    const answers = await Promise.all(stage.calls.map(({ attempt }) => attempt.sending(END)));
    expect(answers.every(Boolean)).toBe(true);
    expect(stage.log.commits - before).toBeLessThanOrEqual(2);
  });

  test("an attempt that is over announces nothing more", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    await stage.end(1, deferred(1_000));
    expect(await stage.call(1).attempt.sending(END)).toBe(false);
    stage.call(1).attempt.sent(END, []);
    await stage.clock.advance(1_000);
    expect(stage.call(2).op).toMatchObject({ resume: null });
  });
});
