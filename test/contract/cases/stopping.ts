import { expect } from "vitest";
import type { Stage } from "../stage.ts";
import type { Case } from "./case.ts";
import { expectNothingLeft, sockets } from "./leftovers.ts";

async function quiesceStopsEvents(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.say(room.channel.name, "before");
  await stage.taken(room.host, 1);
  await stage.within(room.session.quiesce(), "quiesce()");
  const known = room.host.events.length;
  await room.person.say(room.channel.name, "after");
  await stage.deliver(room, { text: "handlers still work" });
  await stage.heard(room, 1);
  await stage.harness.settle();
  expect(room.host.events.length, "events handed over after quiesce() had resolved").toBe(known);
}

async function closeIsAnEnd(stage: Stage): Promise<void> {
  const person = await stage.harness.person();
  await person.join(stage.harness.channels[0]);
  const before = sockets();
  const { session, host } = await stage.open();
  const ref = await stage.join(session, stage.harness.channels[0]);
  await stage.within(session.quiesce(), "quiesce()");
  await stage.within(
    Promise.all([session.close(AbortSignal.timeout(2_000)), session.close(AbortSignal.timeout(2_000))]),
    "two calls of close()",
  );
  expect((await stage.within(session.ended, "`ended` after close()")).cause).toBe("asked");
  await stage.within(session.close(AbortSignal.timeout(2_000)), "a late call of close()");
  expect((await stage.post({ session, ref }, { text: "too late" }).outcome).is, "a post after close()").toBe(
    "deferred",
  );
  await stage.within(session.quiesce(), "quiesce() after close()");
  await expectNothingLeft(stage, host, before);
  await person.say(stage.harness.channels[0].name, "anybody?");
  await stage.harness.settle();
  expect(host.posted, "events after close()").toEqual([]);
  expect(host.losses, "channels are not lost by a close()").toEqual([]);
}

async function closeEndsWithItsSignal(stage: Stage): Promise<void> {
  const before = sockets();
  const { session, host } = await stage.open();
  await stage.within(session.close(AbortSignal.abort()), "close() with an aborted signal");
  expect((await session.ended).cause).toBe("asked");
  await expectNothingLeft(stage, host, before);
}

async function closeEndsWhatIsUnderWay(stage: Stage): Promise<void> {
  const room = await stage.room();
  const tries = Array.from({ length: stage.capabilities.limits.inflightMax }, (_, at) =>
    stage.post(room, { text: `line ${at}.` }),
  );
  await stage.within(room.session.close(AbortSignal.timeout(2_000)), "close()");
  const outcomes = await Promise.all(tries.map(async ({ outcome }) => await outcome));
  await stage.harness.settle();
  const heard = room.person.heard(room.channel.name).map(({ text }) => text);
  for (const [at, outcome] of outcomes.entries()) {
    const count = heard.filter((text) => text.endsWith(`line ${at}.`)).length;
    if (outcome.is === "deferred")
      expect(count, `post ${at} ended as ${outcome.is}; how often it arrived`).toBe(
        tries[at]?.attempt.confirmed.length,
      );
    else if (outcome.is === "delivered")
      expect(count, `post ${at} ended as ${outcome.is}; how often it arrived`).toBe(1);
    else expect(count, `post ${at} ended as ${outcome.is}; how often it arrived`).toBeLessThanOrEqual(1);
  }
}

async function logsHoldNoTexts(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.say(room.channel.name, "heard-in-confidence");
  await stage.taken(room.host, 1);
  await stage.deliver(room, { text: "said-in-confidence" });
  await stage.heard(room, 1);
  await stage.within(room.session.close(AbortSignal.timeout(2_000)), "close()");
  const log = JSON.stringify(room.host.records.filter(({ level }) => level !== "trace"));
  expect(log, "the text of a message in the log").not.toContain("in-confidence");
  for (const secret of stage.harness.secrets) {
    expect(JSON.stringify(room.host.records), "a secret in the log").not.toContain(secret);
  }
}

export const stopping: readonly Case[] = [
  { name: "after quiesce() no event comes, and posts still go out", run: quiesceStopsEvents },
  { name: "close() is an end: asked, idempotent, nothing left", run: closeIsAnEnd },
  { name: "close() is over when its signal is aborted", run: closeEndsWithItsSignal },
  { name: "posts under way at a close end as what they are", run: closeEndsWhatIsUnderWay },
  { name: "logs hold no texts and no secrets", run: logsHoldNoTexts },
];
