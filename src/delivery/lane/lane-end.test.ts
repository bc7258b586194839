import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { connected, deferred, delivered, WHY, type Stage } from "../stage.suite.ts";

/** Whether all is done, as it is now. */
async function watch(stage: Stage): Promise<() => boolean> {
  let done = false;
  void stage.lane.drained().then(() => (done = true));
  await settled();
  return () => done;
}

test("a lane that has stopped is at rest once its last write is on the disk", async () => {
  const gate = Promise.withResolvers<void>();
  let step = (): Promise<void> => Promise.resolve();
  const stage = await connected({ step: () => step() });
  await stage.say("one");
  step = () => gate.promise;
  await stage.end(1, delivered);
  const done: string[] = [];
  void stage.lane.stop(AbortSignal.abort()).then(() => done.push("stopped"));
  void stage.lane.atRest().then(() => done.push("at rest"));
  await stage.clock.advance(500);
  expect(done).toEqual(["stopped"]);
  gate.resolve();
  await settled();
  expect(done).toEqual(["stopped", "at rest"]);
});

describe("a lane whose bridge is taken out of the configuration", () => {
  test("brings what was said before, and nothing that is said from then on", async () => {
    const stage = await connected({ inflightMax: 1 });
    await stage.say("one", "two");
    stage.lane.endAt(stage.log.head);
    await stage.say("three");
    const isDone = await watch(stage);
    await stage.end(1, deferred(1_000));
    expect(isDone()).toBe(false);
    await stage.clock.advance(1_000);
    await stage.end(2, delivered);
    expect(isDone()).toBe(false);
    await stage.end(3, delivered);
    expect(isDone()).toBe(true);
    expect(stage.texts).toEqual(["one", "one", "two"]);
    expect(stage.lane.waitingSince).toBeNull();
  });

  test("waits for nothing while its channel is gone", async () => {
    const stage = await connected({ inflightMax: 1 });
    await stage.say("one", "two");
    const isDone = await watch(stage);
    stage.lane.disconnect(WHY);
    await settled();
    expect(isDone()).toBe(true);
  });
});
