import { describe, expect, test } from "vitest";
import type { CatchUp } from "../../config/config.ts";
import { EventLabel } from "../../contract/message.ts";
import { deferred, delivered, NONE, part, Stage, type StageOptions, unknown, WHY } from "../stage.suite.ts";

const SECOND = 1_000;

async function opened(catchUp: CatchUp, options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage({ catchUp, ...options });
  await stage.open();
  return stage;
}

/** What was said in an outage, a second apart, and how long ago the last of it was when the channel is back. */
async function outage(stage: Stage, texts: readonly string[], agoMs: number): Promise<void> {
  for (const text of texts) {
    await stage.say(text);
    await stage.clock.advance(SECOND);
  }
  await stage.clock.advance(agoMs - SECOND);
}

/** Ends every call with success, until no other comes. */
async function deliverAll(stage: Stage): Promise<void> {
  for (let number = 1; number <= stage.calls.length; number += 1) await stage.end(number, delivered);
}

async function states(stage: Stage): Promise<readonly string[]> {
  return (await stage.receipts()).map(({ seq, state }) => `${seq} ${state}`);
}

describe.each<[CatchUp, readonly string[], readonly string[]]>([
  [{ is: "none" }, ["4 expired in 3 s"], ["2 expired", "4 expired", "6 expired", "8 expired"]],
  [{ is: "newest", count: 1 }, ["3 expired in 2 s", "d"], ["2 expired", "4 expired", "6 expired"]],
  [{ is: "newest", count: 3 }, ["1 expired in 0 s", "b", "c", "d"], ["2 expired"]],
  [{ is: "newest", count: 4 }, ["a", "b", "c", "d"], []],
  [{ is: "newest", count: 900 }, ["a", "b", "c", "d"], []],
  [{ is: "younger", ms: 61_500 }, ["2 expired in 1 s", "c", "d"], ["2 expired", "4 expired"]],
  [{ is: "younger", ms: 3_600_000 }, ["a", "b", "c", "d"], []],
])("after an outage, with %j", (catchUp, expected, left) => {
  test("that much is delivered, and one line stands for the rest", async () => {
    const stage = await opened(catchUp);
    await outage(stage, ["a", "b", "c", "d"], 60 * SECOND);
    await stage.connect();
    await deliverAll(stage);
    expect(stage.texts).toEqual(expected);
    expect(await states(stage)).toEqual(left);
    expect(stage.cursorOnDisk).toBe(8);
  });

  test("what is not late is delivered, too", async () => {
    const stage = await opened(catchUp);
    await outage(stage, ["a", "b", "c", "d"], 29 * SECOND - 3 * SECOND);
    await stage.connect();
    await deliverAll(stage);
    expect(stage.texts).toEqual(["a", "b", "c", "d"]);
  });
});

test("the reason is on the receipt", async () => {
  const stage = await opened({ is: "none" });
  await outage(stage, ["a"], 60 * SECOND);
  await stage.connect();
  expect((await stage.receipts()).map(({ detail }) => detail)).toEqual([expect.stringContaining("CatchUp")]);
});

describe("the newest few", () => {
  test("are found after a backlog of which the lane has only read the beginning", async () => {
    const stage = await opened({ is: "newest", count: 2 });
    const texts = Array.from({ length: 3_000 }, (_, at) => `${at}`);
    await stage.say(...texts);
    await stage.clock.advance(60 * SECOND);
    await stage.connect();
    await stage.clock.advance(0);
    await deliverAll(stage);
    expect(stage.texts).toEqual(["2998 expired in 0 s", "2998", "2999"]);
  });

  test("are messages that are for the lane, and no changes of one", async () => {
    const stage = await opened({ is: "newest", count: 2 });
    await outage(stage, ["a", "b", "c", "!join"], SECOND);
    await stage.act("edit", 6, "c, mended");
    await stage.act("reaction", 6);
    await stage.clock.advance(60 * SECOND);
    await stage.connect();
    await deliverAll(stage);
    expect(stage.texts.slice(0, 3)).toEqual(["1 expired in 0 s", "b", "c, mended"]);
  });

  test("stay the newest few of the outage while they go out slowly and others come", async () => {
    const stage = await opened({ is: "newest", count: 2 });
    await outage(stage, ["a", "b", "c"], 60 * SECOND);
    await stage.connect();
    await stage.end(1, delivered);
    expect(stage.texts).toEqual(["1 expired in 0 s", "b"]);
    await stage.say("d");
    await stage.end(2, deferred(10 * SECOND));
    await stage.clock.advance(10 * SECOND);
    await stage.end(3, delivered);
    await stage.end(4, delivered);
    await stage.end(5, delivered);
    expect(stage.texts).toEqual(["1 expired in 0 s", "b", "b", "c", "d"]);
  });

  test("are asked for again in the next outage", async () => {
    const stage = await opened({ is: "newest", count: 1 });
    for (const texts of [
      ["a", "b"],
      ["c", "d"],
    ]) {
      await outage(stage, texts, 60 * SECOND);
      await stage.connect();
      await deliverAll(stage);
      stage.lane.disconnect(WHY);
    }
    expect(stage.texts).toEqual(["1 expired in 0 s", "b", "1 expired in 0 s", "d"]);
  });

  test("a log that does not answer is asked again, and nothing is sent meanwhile", async () => {
    const stage = await opened({ is: "newest", count: 1 });
    await outage(stage, ["a", "b"], 60 * SECOND);
    const newest = stage.log.newest.bind(stage.log);
    stage.log.newest = () => Promise.reject(new Error("broken"));
    await stage.connect();
    await stage.clock.advance(10 * SECOND);
    expect(stage.texts).toEqual([]);
    expect(await stage.lane.status()).toMatchObject({ state: "waiting", why: { code: "network" } });
    stage.log.newest = newest;
    await stage.clock.advance(120 * SECOND);
    await deliverAll(stage);
    expect(stage.texts).toEqual(["1 expired in 0 s", "b"]);
  });

  test("a stop while the log is asked", async () => {
    const stage = await opened({ is: "newest", count: 1 });
    await outage(stage, ["a", "b"], 60 * SECOND);
    const newest = stage.log.newest.bind(stage.log);
    const answer = Promise.withResolvers<void>();
    stage.log.newest = async (query) => await answer.promise.then(() => newest(query));
    await stage.connect();
    await stage.lane.stop(new AbortController().signal);
    answer.resolve();
    await stage.clock.advance(60 * SECOND);
    expect(stage.texts).toEqual([]);
    expect(stage.cursorOnDisk).toBe(0);
  });
});

describe("what CatchUp leaves alone", () => {
  test("a message of which a part was sent", async () => {
    const stage = await opened({ is: "none" }, { idempotency: NONE });
    await stage.connect();
    await stage.say("a");
    await stage.call(1).attempt.sending(part(1));
    stage.call(1).attempt.sent(part(1), []);
    await stage.end(1, deferred(60 * SECOND));
    await stage.clock.advance(60 * SECOND);
    expect(stage.texts).toEqual(["a", "a"]);
    expect(stage.call(2).op).toMatchObject({ resume: part(1) });
  });

  test("a message that may have been sent", async () => {
    const stage = await opened({ is: "none" });
    await stage.connect();
    await stage.say("a");
    await stage.end(1, unknown);
    stage.lane.disconnect(WHY);
    await stage.clock.advance(60 * SECOND);
    await stage.connect();
    expect(stage.texts).toEqual(["a", "a"]);
  });

  test("the edit of a message that was delivered before the outage", async () => {
    const stage = await opened({ is: "none" });
    await stage.connect();
    await stage.say("a");
    await stage.end(1, delivered);
    stage.lane.disconnect(WHY);
    await stage.act("edit", 2, "a, mended");
    await stage.clock.advance(60 * SECOND);
    await stage.connect();
    expect(stage.texts).toEqual(["a", "* a, mended"]);
  });
});

test("what changes a message that was left out goes with it", async () => {
  const stage = await opened({ is: "none" });
  await outage(stage, ["a"], 60 * SECOND);
  stage.put("b");
  await stage.act("edit", 2, "a, mended");
  await stage.act("delete", 2);
  await stage.connect();
  await deliverAll(stage);
  expect(stage.texts).toEqual(["1 expired in 0 s", "b"]);
  expect(await states(stage)).toEqual(["2 expired", "6 omitted", "8 omitted"]);
  expect(stage.disk.entries.at(-1)?.label).toBe(EventLabel.delete);
});
