import { describe, expect, test } from "vitest";
import { END } from "../../contract/ids.ts";
import { deferred, delivered, KEY, LANE, NONE, part, Stage, type StageOptions, unknown, WHY } from "../stage.suite.ts";

const MAX_AGE_MS = 3_600_000;

async function opened(options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage({ maxAgeMs: MAX_AGE_MS, ...options });
  await stage.open();
  return stage;
}

/** A lane with two messages that are too old, 10 s apart, and one that is not. */
async function late(options: StageOptions = {}): Promise<Stage> {
  const stage = await opened(options);
  await stage.say("old 1");
  await stage.clock.advance(10_000);
  await stage.say("old 2");
  await stage.clock.advance(MAX_AGE_MS - 5_000);
  await stage.say("young");
  await stage.clock.advance(5_001);
  return stage;
}

describe("messages older than MaxAge", () => {
  test("are expired when their turn comes, and one line stands for them", async () => {
    const stage = await late();
    expect(await stage.receipts()).toEqual([]);
    await stage.connect();
    expect(stage.texts).toEqual(["2 expired in 10 s"]);
    expect(stage.call(1).op).toMatchObject({ author: null, resume: null, attempt: 1 });
    await stage.end(1, delivered);
    expect(stage.texts).toEqual(["2 expired in 10 s", "young"]);
    await stage.end(2, delivered);
    expect(await stage.receipts()).toMatchObject([
      { seq: 2, state: "expired" },
      { seq: 4, state: "expired" },
    ]);
    expect(stage.cursorOnDisk).toBe(6);
    expect(stage.lines.filter(({ message }) => message.includes("MaxAge"))).toMatchObject([
      { level: "warn", fields: { messages: 2 } },
    ]);
  });

  test("nothing comes after them: the line comes all the same", async () => {
    const stage = await opened();
    await stage.say(...Array.from({ length: 500 }, (_, at) => `${at}`));
    await stage.clock.advance(MAX_AGE_MS + 1);
    await stage.connect();
    expect(stage.texts).toEqual(["500 expired in 0 s"]);
    expect(await stage.receipts()).toHaveLength(500);
  });

  test("what is under way ends first", async () => {
    const stage = await opened({ inflightMax: 2 });
    await stage.say("1");
    await stage.clock.advance(MAX_AGE_MS / 2);
    await stage.connect();
    stage.disk.entries.push({ ...stage.disk.entries[0]!, seq: 4, at: 0, payload: "old" });
    stage.lane.wake();
    await stage.clock.advance(0);
    expect(stage.texts).toEqual(["1"]);
    expect(await stage.receipts()).toEqual([]);
    await stage.end(1, delivered);
    expect(stage.texts).toEqual(["1", "1 expired in 0 s"]);
  });

  test("one that waits to be tried again expires, too", async () => {
    const stage = await opened();
    await stage.connect();
    await stage.say("1");
    await stage.end(1, deferred(60_000));
    stage.lane.disconnect(WHY);
    await stage.clock.advance(MAX_AGE_MS + 1);
    await stage.connect();
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "expired" }]);
  });

  test("one in doubt is unconfirmed, and in no line", async () => {
    const stage = await opened({ idempotency: { by: "echo" } });
    await stage.connect();
    await stage.say("1");
    await stage.end(1, unknown);
    stage.lane.disconnect(WHY);
    await stage.clock.advance(MAX_AGE_MS + 1);
    await stage.connect();
    expect(stage.texts).toEqual(["1"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
  });

  test("one of which a part is unconfirmed stays so", async () => {
    const stage = await opened({ idempotency: NONE });
    await stage.connect();
    await stage.say("1");
    await stage.call(1).attempt.sending(part(1));
    await stage.end(1, unknown);
    stage.lane.disconnect(WHY);
    await stage.clock.advance(MAX_AGE_MS + 1);
    await stage.connect();
    expect(stage.texts).toEqual(["1", "1 expired in 0 s"]);
    expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "unconfirmed" }]);
  });
});

describe("the line that stands for them", () => {
  const mark = (stage: Stage): string => stage.disk.marks.get(`summary/${LANE}`) ?? "";

  test("is on disk with the receipts, and off it before it is sent", async () => {
    const stage = await late();
    const sink = stage.sink();
    sink.gate.hold(stage.clock.monoMs() + 1);
    await stage.connect(sink);
    expect(mark(stage)).toBe("");
    await stage.clock.advance(1);
    expect(stage.calls).toHaveLength(1);
    expect(mark(stage)).toBe("");
    await stage.end(1, deferred(10_000));
    expect(JSON.parse(mark(stage))).toMatchObject({ count: 2 });
    await stage.clock.advance(10_000);
    expect(stage.call(2).op).toMatchObject({ attempt: 2, id: stage.call(1).op.id });
    expect(mark(stage)).toBe("");
  });

  test("comes after a restart when it was not begun", async () => {
    const stage = await late();
    await stage.connect();
    await stage.end(1, deferred(10_000));
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.texts).toEqual(["2 expired in 10 s"]);
  });

  test("does not come after a restart when it was begun", async () => {
    const stage = await late();
    await stage.connect();
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(again.texts).toEqual(["young"]);
  });

  test.each([
    ["may have been sent, without idempotency: not again", NONE, true, ["young"]],
    ["certainly was not sent: again", NONE, false, ["2 expired in 10 s"]],
    ["may have been sent, with a key: again", KEY, true, ["2 expired in 10 s"]],
  ] as const)("%s", async (_, idempotency, announce, then) => {
    const stage = await late({ idempotency });
    await stage.connect();
    if (announce) expect(await stage.call(1).attempt.sending(END)).toBe(true);
    await stage.end(1, unknown);
    await stage.clock.advance(60_000);
    expect(stage.texts.slice(1)).toEqual(then);
  });

  test("that is never answered does not stop the lane: its session is to be ended, and it goes on", async () => {
    const stage = await late();
    await stage.connect();
    expect(stage.texts).toEqual(["2 expired in 10 s"]);
    await stage.clock.advance(10 * 60_000);
    expect(stage.stalls).toMatchObject([{ code: "timeout" }]);
    stage.lane.disconnect(WHY);
    await stage.connect();
    await stage.clock.advance(60_000);
    expect(stage.texts).toEqual(["2 expired in 10 s", "2 expired in 10 s"]);
    await stage.end(2, delivered);
    expect(stage.texts.at(-1)).toBe("young");
  });

  test.each([
    ["is in doubt each time", (stage: Stage, number: number) => stage.call(number).end(unknown)],
    ["throws each time", (stage: Stage, number: number) => stage.call(number).fail(new Error("a bug"))],
  ])("that %s is given up, and what comes after it goes", async (_, end) => {
    const stage = await late();
    await stage.connect();
    for (let number = 1; number <= 5; number += 1) {
      expect(stage.texts).toEqual(Array<string>(number).fill("2 expired in 10 s"));
      end(stage, number);
      await stage.clock.advance(60_000);
    }
    expect(stage.texts.at(-1)).toBe("young");
    expect(stage.lines.filter(({ message }) => message.includes("left out"))).toMatchObject([
      { fields: { messages: 2, told: false } },
    ]);
  });

  test("waits for a log that takes marks, while the others go on", async () => {
    const stage = await late({ idempotency: { by: "echo" } });
    stage.log.refuses = "disk_full";
    await stage.connect();
    await stage.clock.advance(0);
    expect(stage.texts).toEqual(["young"]);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    await stage.end(1, delivered);
    expect(stage.texts).toEqual(["young", "2 expired in 10 s"]);
  });
});
