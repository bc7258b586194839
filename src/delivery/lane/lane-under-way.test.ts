import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { connected, deferred, part, type Stage, unknown } from "../stage.suite.ts";

const made: Outcome = { is: "delivered", receipt: { messages: ["copy" as MessageRef], losses: [] } };

/** Whether what is under way now has ended, as it turns out. */
function watch(stage: Stage): { readonly over: () => boolean } {
  const state = { over: false };
  const underWay = stage.lane.underWay();
  if (underWay === null) throw new Error("nothing is under way");
  void underWay.then(() => (state.over = true));
  return { over: () => state.over };
}

describe("what a lane has under way", () => {
  test("is nothing while nobody was asked for anything, and after what left no trace", async () => {
    const stage = await connected();
    expect(stage.lane.underWay()).toBeNull();
    await stage.say("one", "two");
    await stage.end(1, deferred(60_000));
    expect(stage.lane.underWay()).toBeNull();
  });

  test("is a handler that has not ended, with its receipt on the disk; what begins later does not count", async () => {
    const stage = await connected({ inflightMax: 2 });
    await stage.say("one");
    const { over } = watch(stage);
    await stage.say("two");
    stage.log.refuses = "disk_full";
    await stage.end(1, made);
    expect(over()).toBe(false);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    expect(over()).toBe(true);
    expect(await stage.log.ids.refs(2, "g/net.b/#to")).toEqual(["copy"]);
  });

  test("is a receipt of which the write is under way", async () => {
    const disk: { writing: PromiseWithResolvers<void> | null } = { writing: null };
    const stage = await connected({ step: async () => await disk.writing?.promise });
    await stage.say("one");
    disk.writing = Promise.withResolvers();
    await stage.end(1, made);
    const { over } = watch(stage);
    await settled();
    expect(over()).toBe(false);
    disk.writing.resolve();
    await settled();
    expect([over(), stage.lane.underWay()]).toEqual([true, null]);
  });

  test("is what was sent in part, and what may have been sent, until its last try", async () => {
    const stage = await connected();
    await stage.say("one");
    stage.call(1).attempt.sent(part(1), ["first" as MessageRef]);
    await stage.end(1, deferred(1_000));
    const inPart = watch(stage);
    await stage.clock.advance(1_000);
    await stage.end(2, unknown);
    const inDoubt = watch(stage);
    await stage.clock.advance(60_000);
    expect([inPart.over(), inDoubt.over()]).toEqual([false, false]);
    await stage.end(3, made);
    expect([inPart.over(), inDoubt.over(), stage.lane.underWay()]).toEqual([true, true, null]);
  });

  test("ends with the lane", async () => {
    const stage = await connected();
    await stage.say("one");
    const { over } = watch(stage);
    const stopped = stage.lane.stop(AbortSignal.abort());
    await stage.clock.advance(10_000);
    await stopped;
    expect([over(), stage.lane.underWay()]).toEqual([true, null]);
  });
});
