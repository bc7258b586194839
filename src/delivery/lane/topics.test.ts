import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { EventLabel } from "../../contract/message.ts";
import { topicPayload } from "../plan.suite.ts";
import { connected, deferred, delivered, NONE, rejected, Stage, unknown, WHY } from "../stage.suite.ts";

async function topic(stage: Stage, words: string): Promise<void> {
  stage.put(topicPayload(words), EventLabel.topic);
  stage.lane.wake();
  await settled();
}

const asked = (stage: Stage): readonly string[] =>
  stage.calls.map(({ op, text }) => (op.kind === "topic" ? `topic ${op.topic}` : `${op.kind} ${text}`));

/** How the topics and messages have ended of which there is more to say than "sent", by their place in the log. */
async function ends(stage: Stage): Promise<readonly string[]> {
  return (await stage.receipts()).map(({ seq, state }) => `${seq} ${state}`);
}

describe("topics", () => {
  test("are set in their place among what is said", async () => {
    const stage = await connected();
    await stage.say("one");
    await topic(stage, "a");
    await stage.say("two");
    for (const call of [1, 2, 3]) await stage.end(call, delivered);
    expect(asked(stage)).toEqual(["post one", "topic a", "post two"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("of those that wait, only the newest counts", async () => {
    const stage = await connected();
    await stage.say("one");
    for (const words of ["a", "b", "c"]) await topic(stage, words);
    await stage.end(1, delivered);
    await stage.end(2, delivered);
    expect(asked(stage)).toEqual(["post one", "topic c"]);
    expect(await ends(stage)).toEqual(["4 omitted", "6 omitted"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("one that has to wait makes room for a newer one", async () => {
    const stage = await connected();
    await topic(stage, "a");
    await stage.end(1, deferred(10_000));
    await topic(stage, "b");
    await stage.clock.advance(10_000);
    await stage.end(2, delivered);
    expect(asked(stage)).toEqual(["topic a", "topic b"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("hold up what comes behind them, whatever else is under way", async () => {
    const stage = await connected({ inflightMax: 4 });
    await stage.say("one");
    await topic(stage, "a");
    await stage.say("two");
    expect(asked(stage)).toEqual(["post one", "topic a"]);
    await stage.end(2, delivered);
    await topic(stage, "b");
    expect(asked(stage)).toEqual(["post one", "topic a", "post two", "topic b"]);
  });

  test.each([{}, { idempotency: NONE }])("one in doubt is set again: %j", async (options) => {
    const stage = await connected(options);
    await topic(stage, "a");
    await stage.end(1, unknown);
    await stage.clock.advance(60_000);
    await stage.end(2, delivered);
    expect(asked(stage)).toEqual(["topic a", "topic a"]);
    expect(await ends(stage)).toEqual([]);
  });

  test.each([{}, { idempotency: NONE }])("after a crash as well: %j", async (options) => {
    const stage = await connected(options);
    await topic(stage, "a");
    const again = stage.next();
    await again.open();
    await again.connect();
    await again.end(1, delivered);
    expect(asked(again)).toEqual(["topic a"]);
    expect(again.cursorOnDisk).toBe(again.log.head);
  });
});

test.each([{ inflightMax: 4 }, { inflightMax: 4, idempotency: NONE }])(
  "after a crash, one that may have been set does not come back behind a newer one: %j",
  async (options) => {
    const stage = await connected(options);
    await topic(stage, "a");
    await topic(stage, "b");
    const again = stage.next();
    await again.open();
    await again.connect();
    await again.end(1, delivered);
    expect(asked(again)).toEqual(["topic b"]);
    expect(again.cursorOnDisk).toBe(again.log.head);
  },
);

describe("a topic that the network refuses", () => {
  test.each([{}, { idempotency: NONE }, { inflightMax: 4 }])(
    "is said in words, in its place, and the next one is tried: %j",
    async (how) => {
      const stage = await connected(how);
      await topic(stage, "a");
      await stage.say("one");
      await stage.end(1, rejected);
      expect(asked(stage).slice(0, 2)).toEqual(["topic a", "post the topic is now: a"]);
      await stage.end(2, delivered);
      await stage.end(3, delivered);
      await topic(stage, "b");
      expect(asked(stage).slice(2)).toEqual(["post one", "topic b"]);
      expect(stage.lines).toMatchObject([{ level: "warn", fields: { seq: 2, why: WHY.message } }]);
    },
  );

  test("is words from then on: they wait, and may be refused", async () => {
    const stage = await connected();
    await topic(stage, "a");
    await stage.end(1, rejected);
    await stage.end(2, deferred(1_000));
    await topic(stage, "b");
    await stage.clock.advance(1_000);
    await stage.end(3, rejected);
    expect(asked(stage)).toEqual(["topic a", "post the topic is now: a", "post the topic is now: a", "topic b"]);
    expect(await ends(stage)).toEqual(["2 failed"]);
  });
});

test("where a room lets nobody set it, it is said in words, and each counts", async () => {
  const stage = new Stage();
  await stage.open();
  for (const words of ["a", "b"]) await topic(stage, words);
  await stage.connect(stage.sink(["topic"]));
  await stage.end(1, delivered);
  expect(asked(stage)).toEqual(["post the topic is now: a", "post the topic is now: b"]);
});

describe("a topic that comes late", () => {
  test("is set whatever CatchUp leaves out", async () => {
    const stage = new Stage({ catchUp: { is: "none" } });
    await stage.open();
    await stage.say("one");
    await topic(stage, "a");
    await stage.clock.advance(60_000);
    await stage.connect();
    await stage.end(1, delivered);
    expect(asked(stage)).toEqual(["post 1 expired in 0 s", "topic a"]);
  });

  test("is no message that is left out once it is too old", async () => {
    const stage = new Stage({ maxAgeMs: 1_000 });
    await stage.open();
    await topic(stage, "a");
    await stage.clock.advance(2_000);
    await stage.connect();
    expect(asked(stage)).toEqual([]);
    expect(await ends(stage)).toEqual(["2 expired"]);
  });
});
