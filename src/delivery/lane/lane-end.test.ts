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
