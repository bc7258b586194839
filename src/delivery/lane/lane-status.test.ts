import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import type { LaneStatus } from "../status.ts";
import { withFiles } from "../plan.suite.ts";
import { connected, deferred, delivered, NONE, rejected, Stage, WHY } from "../stage.suite.ts";

async function apart(): Promise<Stage> {
  const stage = new Stage();
  await stage.open();
  return stage;
}

/** As it is now: where the log does not answer, time passes. */
async function statusOf(stage: Stage, passMs = 0): Promise<LaneStatus> {
  const status = stage.lane.status();
  await stage.clock.advance(passMs);
  return await status;
}

describe("the state of a lane", () => {
  test("nothing waits", async () => {
    const stage = await connected();
    expect(await statusOf(stage)).toEqual({
      gateway: "g",
      channel: "#to",
      state: "idle",
      waiting: 0,
      oldestMs: null,
      oldest: null,
      why: null,
      remedy: null,
      retryMs: null,
    });
  });

  test("a message was set aside: shown for a day, or until it was sent again", async () => {
    const stage = await connected();
    await stage.say("1", "2");
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await stage.end(stage.calls.length, stage.texts.at(-1) === "1" ? deferred(60_000) : delivered);
      await stage.clock.advance(stage.texts.at(-1) === "1" ? 60_000 : 0);
    }
    const atMs = expect.any(Number) as number;
    const why = { code: WHY.code, message: expect.stringContaining("set aside") as string };
    expect(await statusOf(stage)).toMatchObject({ state: "idle", setAside: [{ seq: 2, atMs, why }] });
    await stage.clock.advance(24 * 3_600_000);
    expect(await statusOf(stage)).not.toHaveProperty("setAside");
  });

  test("before the channel was ever joined there is a reason", async () => {
    const stage = await apart();
    expect(await statusOf(stage)).toMatchObject({ state: "idle", why: { code: "network" } });
    await stage.say("1");
    const oldestMs = stage.clock.nowMs();
    await stage.clock.advance(5_000);
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", waiting: 1, oldestMs, why: { code: "network" } });
  });

  test("the channel was lost", async () => {
    const stage = await connected();
    stage.lane.disconnect({ code: "forbidden", message: "banned" });
    await stage.say("1", "2");
    const status = await statusOf(stage);
    expect(status).toMatchObject({ state: "waiting", waiting: 2, why: { code: "forbidden", message: "banned" } });
    expect(status.remedy).toEqual(expect.any(String));
    await stage.connect();
    expect(await statusOf(stage)).toMatchObject({ state: "sending", waiting: 2, why: null });
  });

  test("files of a message are fetched: it goes on", async () => {
    const stage = await connected();
    stage.files.answers.set("slow", new Promise(() => undefined));
    await stage.say(withFiles("one", "slow"));
    expect(await statusOf(stage)).toMatchObject({ state: "sending", waiting: 1, why: null });
    stage.lane.disconnect(WHY);
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", why: WHY });
  });

  test("a rate limit, until it is over", async () => {
    const stage = await connected();
    await stage.say("1");
    await stage.end(1, deferred(5_000));
    const retryMs = stage.clock.nowMs() + 5_000;
    const oldest = { tries: 1 };
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", waiting: 1, oldest, why: WHY, retryMs });
    await stage.clock.advance(5_000);
    expect(await statusOf(stage)).toMatchObject({ state: "sending", why: null, retryMs: null });
    await stage.end(2, delivered);
    expect(await statusOf(stage)).toMatchObject({ state: "idle", waiting: 0, why: null });
  });

  test("another lane has closed the session's gate", async () => {
    const stage = await connected();
    const sink = await stage.connect();
    sink.gate.hold(stage.clock.monoMs() + 9_000);
    await stage.say("1");
    const retryMs = stage.clock.nowMs() + 9_000;
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", why: { code: "rate_limited" }, retryMs });
  });

  test("a network that is there and silent is a reason after a while", async () => {
    const stage = await connected();
    await stage.say("1");
    await stage.clock.advance(29_000);
    expect(await statusOf(stage)).toMatchObject({ state: "sending", why: null });
    await stage.clock.advance(2_000);
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", waiting: 1, why: { code: "timeout" } });
    stage.call(1).attempt.sent(END, []);
    expect(await statusOf(stage)).toMatchObject({ state: "sending", why: null });
  });

  test("a log that takes nothing stops a network without idempotency, and says so", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("1");
    stage.log.refuses = "disk_full";
    expect(await stage.call(1).attempt.sending(END)).toBe(false);
    await stage.end(1, deferred(0));
    const { state, why } = await statusOf(stage);
    expect([state, why?.message]).toEqual(["waiting", expect.stringContaining("log does not store")]);
  });

  test("and so it does where the network knows repeated messages for a time, once the disk has to follow", async () => {
    const stage = await connected({ inflightMax: 1, idempotency: { by: "key", windowMs: 60_000 } });
    stage.log.refuses = "disk_full";
    await stage.say(...Array.from({ length: 18 }, (_, at) => `${at}`));
    for (let call = 1; call <= 15; call += 1) await stage.end(call, delivered);
    expect(await statusOf(stage)).toMatchObject({ state: "sending", why: null });
    await stage.end(16, delivered);
    await stage.end(17, delivered);
    const { state, waiting, why } = await statusOf(stage);
    expect([state, waiting, why?.message]).toEqual(["waiting", 1, expect.stringContaining("log does not store")]);
  });

  test("a log that cannot count leaves the number out", async () => {
    const stage = await apart();
    await stage.say("1");
    stage.log.newest = () => Promise.reject(new Error("broken"));
    expect(await statusOf(stage)).toMatchObject({ state: "waiting", waiting: null });
  });

  test("a log that does not answer leaves the number out after two seconds", async () => {
    const stage = await apart();
    await stage.say("1");
    stage.log.newest = () => new Promise(() => undefined);
    expect(await statusOf(stage, 2_000)).toMatchObject({ state: "waiting", waiting: null });
  });
});

test("the meter hears of every call and every end, and how long they took", async () => {
  const stage = await connected();
  await stage.say("1", "2");
  await stage.clock.advance(1_000);
  await stage.end(1, deferred(2_000));
  await stage.clock.advance(2_000);
  await stage.end(2, delivered);
  await stage.end(3, rejected);
  await settled();
  expect(stage.metered).toEqual([
    ["answered", "deferred", 1_000],
    ["answered", "delivered", 0],
    ["ended", "sent", 3_000],
    ["answered", "rejected", 0],
    ["ended", "failed", 3_000],
  ]);
});
