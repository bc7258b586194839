import { describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import {
  connected,
  deferred,
  delivered,
  NONE,
  outletOf,
  part,
  rejected,
  sendWhole,
  Stage,
  unknown,
  WHY,
} from "../stage.suite.ts";

describe("what people are told", () => {
  test("that a message waits, and not what is not for the lane anyway", async () => {
    const stage = new Stage({ outageNoticeMs: 60_000 });
    await stage.open();
    await stage.say("1", "!join", "!join", "2");
    expect(await stage.lane.waiting()).toBe(2);
    await stage.clock.advance(60_000);
    expect(stage.lines).toMatchObject([{ message: "messages wait for delivery", fields: { waiting: 2 } }]);
  });

  test("no reason that has passed", async () => {
    const stage = await connected({ outageNoticeMs: 60_000 });
    await stage.say("1");
    await stage.end(1, deferred(1_000));
    await stage.clock.advance(1_000);
    await stage.end(2, delivered);
    await stage.say("2");
    await stage.clock.advance(60_000);
    const [line] = stage.lines;
    expect(line).toMatchObject({ message: "messages wait for delivery" });
    expect(line?.fields["why"]).not.toBe(WHY.message);
  });

  test("in detail, what became of each message, and never its text", async () => {
    const stage = await connected();
    await stage.say("some text", "other text");
    await stage.end(1, delivered);
    await stage.end(2, rejected);
    const [first, second] = stage.details;
    expect(first).toMatchObject({ level: "debug", fields: { gateway: "g", channel: "#to", state: "sent" } });
    expect(second).toMatchObject({ fields: { state: "failed", why: WHY.message } });
    expect(JSON.stringify([stage.details, stage.lines])).not.toContain("text");
  });

  test("that a part is unconfirmed, once", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    await stage.call(1).attempt.sending(part(1));
    await stage.end(1, unknown);
    await stage.clock.advance(60_000);
    await sendWhole(stage.call(2).attempt);
    await stage.end(2, delivered);
    expect(stage.lines).toHaveLength(1);
    expect(await stage.receipts()).toMatchObject([{ state: "unconfirmed" }]);
  });

  test.each([
    ["delivered", delivered, true],
    ["refused", rejected, false],
  ])("that messages expired, also when the line for the channel was %s", async (_, outcome, told) => {
    const stage = new Stage({ maxAgeMs: 60_000 });
    await stage.open();
    await stage.say("1", "2");
    await stage.clock.advance(60_001);
    await stage.connect();
    await stage.end(1, outcome);
    const left = stage.lines.filter(({ message }) => message.includes("MaxAge"));
    expect(left).toMatchObject([{ level: "warn", fields: { messages: 2, told } }]);
  });
});

test("more messages expire than receipts may wait: the lane goes on when they are on disk", async () => {
  const clock = new FakeClock();
  const slow = (): Promise<void> => new Promise((resolve) => void clock.after(50, resolve));
  const stage = new Stage({ clock, step: slow, maxAgeMs: 60_000, idempotency: NONE });
  void stage.open();
  await clock.advance(1_000);
  for (let number = 0; number < 1_500; number++) stage.put(`old ${number}`);
  await clock.advance(60_001);
  stage.put("young");
  stage.lane.wake();
  const heard: string[] = [];
  stage.lane.connect(
    outletOf(async ({ body }, attempt) => {
      await sendWhole(attempt);
      heard.push(body.source.text);
      return delivered;
    }),
  );
  await clock.advance(10_000);
  expect(heard).toEqual(["1500 expired in 0 s", "young"]);
  expect(await stage.receipts()).toHaveLength(1_500);
});

describe("a message that was certainly not sent, while one after it was", () => {
  async function deferredBehind(): Promise<Stage> {
    const stage = await connected({ idempotency: NONE, inflightMax: 3 });
    await stage.say("1", "2", "3");
    for (const number of [1, 2, 3]) await stage.call(number).attempt.sending(END);
    stage.call(2).attempt.sent(END, []);
    await stage.end(1, deferred(60_000));
    await stage.end(2, delivered);
    return stage;
  }

  test("is sent after a stop and a start", async () => {
    const stage = await deferredBehind();
    stage.call(3).attempt.sent(END, []);
    await stage.end(3, delivered);
    await stage.lane.stop(AbortSignal.abort());
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.texts).toEqual(["1"]);
    expect(await again.receipts()).toEqual([]);
    await sendWhole(again.call(1).attempt);
    await again.end(1, delivered);
    expect(again.cursorOnDisk).toBe(again.log.head);
  });

  test("is sent after a crash, also after two; only what was in doubt is unconfirmed", async () => {
    const stage = await deferredBehind();
    await settled();
    const again = stage.next();
    await again.open();
    const third = stage.next();
    await third.open();
    await third.connect();
    expect(third.texts).toEqual(["1"]);
    expect(await third.receipts()).toMatchObject([{ seq: 6, state: "unconfirmed" }]);
  });
});
