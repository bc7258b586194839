import { expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import { END } from "../contract/ids.ts";
import type { Batch, NewEntry } from "../log/log.ts";
import type { LaneRoute } from "../gateway/routes.ts";
import { Lanes } from "./lanes.ts";
import { delivered, LANE, NONE, Stage, SUBJECT } from "./stage.suite.ts";

const said = (payload: string, more: Partial<NewEntry> = {}): NewEntry => {
  return { subject: SUBJECT, key: null, label: "", payload, ...more };
};

interface Scene {
  readonly stage: Stage;
  readonly lanes: Lanes;
  readonly batches: readonly Batch[];
}

/** A joined lane behind the way in. */
async function aScene(
  given = new Stage({ idempotency: NONE, inflightMax: 2, clock: new FakeClock() }),
): Promise<Scene> {
  const batches: Batch[] = [];
  const { log } = given;
  const appendThen = log.appendThen.bind(log);
  log.appendThen = (batch, done) => {
    batches.push(batch);
    appendThen(batch, (outcome) => {
      lanes.wake(given.disk.entries);
      done(outcome);
    });
  };
  const lanes = new Lanes(log);
  await given.open();
  await lanes.add({ subjects: [SUBJECT] } as unknown as LaneRoute, given.lane);
  await given.connect();
  return { stage: given, lanes, batches };
}

const append = async ({ lanes }: Scene, ...entries: readonly NewEntry[]): Promise<void> => {
  await lanes.append({ account: "net.a", entries });
  await settled();
};

const intentOf = ({ stage }: Scene): string | undefined => stage.disk.marks.get(`intent/${LANE}`);

test("a message for an idle lane leaves after one commit", async () => {
  const scene = await aScene();
  const { stage } = scene;
  const before = stage.log.commits;
  await append(scene, said("hello"));
  expect(await stage.call(1).attempt.sending(END)).toBe(true);
  expect(stage.log.commits).toBe(before + 1);
  stage.call(1).end(delivered);
  await settled();
  expect(intentOf(scene)).toBe("");
  await append(scene, said("again"));
  expect(await stage.call(2).attempt.sending(END)).toBe(true);
});

test("that all of it is confirmed, and its end, are one commit; and a late end does not hold the first up", async () => {
  const scene = await aScene();
  const { stage } = scene;
  for (const number of [1, 2]) {
    await append(scene, said("hello"));
    await stage.call(number).attempt.sending(END);
    const before = stage.log.commits;
    stage.call(number).attempt.sent(END, []);
    await settled();
    expect(stage.log.commits).toBe(before);
    if (number === 2) await stage.clock.advance(50);
    else stage.call(number).end(delivered);
    await settled();
    expect(stage.log.commits).toBe(before + 1);
  }
});

test("of several entries, the first goes with its intent, and those after it announce theirs", async () => {
  const scene = await aScene();
  const { stage, batches } = scene;
  await append(scene, said("!not for this lane", { label: "unwanted" }), said("one"), said("two"));
  expect(batches.map(({ seqMarks }) => seqMarks?.map(({ entry }) => entry))).toEqual([[1]]);
  const before = stage.log.commits;
  expect(await stage.call(1).attempt.sending(END)).toBe(true);
  expect(stage.log.commits).toBe(before);
  expect(await stage.call(2).attempt.sending(END)).toBe(true);
  expect(stage.log.commits).toBe(before + 1);
});

test("a lane that is busy has no intent with an entry", async () => {
  const scene = await aScene();
  await append(scene, said("one"));
  await append(scene, said("two"));
  expect(scene.batches.map(({ seqMarks }) => seqMarks?.length)).toEqual([1, 0]);
});

test("an entry that the log refuses leaves nothing behind", async () => {
  const scene = await aScene();
  const { stage } = scene;
  stage.log.refuses = "disk_full";
  await expect(append(scene, said("one"))).rejects.toMatchObject({ code: "disk_full" });
  expect(intentOf(scene) ?? "").toBe("");
  stage.log.refuses = null;
  await append(scene, said("one"));
  expect(await stage.call(1).attempt.sending(END)).toBe(true);
  expect(scene.batches.map(({ seqMarks }) => seqMarks?.length)).toEqual([1, 1]);
});

test("an intent that is void, because another node has the account, is announced before anything leaves", async () => {
  const scene = await aScene();
  const { log } = scene.stage;
  const appendThen = log.appendThen.bind(log);
  const owners: unknown[] = [];
  log.appendThen = (batch, done) => {
    owners.push(batch.seqMarks?.map(({ account }) => account));
    appendThen({ ...batch, seqMarks: [] }, (outcome) =>
      done("is" in outcome && outcome.is === "stored" ? { ...outcome, voidMarks: [0] } : outcome),
    );
  };
  await append(scene, said("one"));
  expect(intentOf(scene) ?? "").toBe("");
  const write = log.append.bind(log);
  log.append = async (batch) => {
    owners.push(batch.account);
    return await write(batch);
  };
  expect(await scene.stage.call(1).attempt.sending(END)).toBe(true);
  expect(intentOf(scene)).not.toBe("");
  // Of the destination, not of who spoke.
  expect(owners).toEqual([["net.b"], "net.b"]);
});

test("after a kill the message is unconfirmed, and neither sent again nor lost", async () => {
  const scene = await aScene();
  await append(scene, said("one"));
  const next = await aScene(scene.stage.next());
  expect((await next.stage.receipts()).map(({ seq, state }) => [seq, state])).toEqual([[1, "unconfirmed"]]);
  await append(next, said("two"));
  expect(next.stage.calls.map(({ text }) => text)).toEqual(["two"]);
});

test("after a kill more than a moment later, one that nothing was sent of is sent", async () => {
  const scene = await aScene();
  await append(scene, said("one"));
  await scene.stage.clock.advance(1_000);
  const next = await aScene(scene.stage.next());
  expect(await next.stage.receipts()).toEqual([]);
  expect(next.stage.calls.map(({ text }) => text)).toEqual(["one"]);
});

test("a stop leaves nothing in doubt that was not sent", async () => {
  const scene = await aScene();
  await append(scene, said("one"));
  const stopping = scene.stage.lane.stop(AbortSignal.abort());
  await scene.stage.clock.advance(500);
  await stopping;
  expect(intentOf(scene)).toBe("");
  const next = await aScene(scene.stage.next());
  expect(next.stage.calls.map(({ text }) => text)).toEqual(["one"]);
});
