import { expect } from "vitest";
import type { Room, Stage, Try } from "../stage.ts";
import type { Case } from "./case.ts";
import { expectNothingLeft, sockets } from "./leftovers.ts";

async function lostConnectionEnds(stage: Stage): Promise<void> {
  const person = await stage.harness.person();
  await person.join(stage.harness.channels[0]);
  const before = sockets();
  const { session, host } = await stage.open();
  const ref = await stage.join(session, stage.harness.channels[0]);
  await stage.harness.cut();
  const ended = await stage.within(session.ended, "`ended` after the connection was cut");
  expect(ended.cause).toBe("lost");
  expect(ended.why.message, "why, for people").not.toBe("");
  const late = await stage.post({ session, ref }, { text: "too late" }).outcome;
  expect(late.is, "a post on a session that has ended").toBe("deferred");
  const joined = await stage.within(
    session.join(stage.harness.channels[1], new AbortController().signal),
    "a join on a session that has ended",
  );
  expect(joined.ok, "a join on a session that has ended").toBe(false);
  await stage.within(session.close(AbortSignal.timeout(2_000)), "close() after the end");
  expect((await session.ended).cause, "the cause stays what it was").toBe("lost");
  await expectNothingLeft(stage, host, before);
}

/** How often the person heard the text of each post; posts are told by their whole text. */
function arrivals(room: Room, tries: readonly Try[]): readonly number[] {
  const heard = room.person.heard(room.channel.name).map(({ text }) => text);
  return tries.map(({ op }) => heard.filter((text) => text.endsWith(op.body.source.text)).length);
}

async function postsUnderWayEndAsWhatTheyAre(stage: Stage): Promise<void> {
  const room = await stage.room();
  const tries = Array.from({ length: stage.capabilities.limits.inflightMax }, (_, at) =>
    stage.post(room, { text: `of many ${at}.` }),
  );
  await Promise.race(tries.map(async ({ outcome }) => await outcome));
  await stage.harness.cut();
  const outcomes = await Promise.all(tries.map(async ({ outcome }) => await outcome));
  await stage.harness.settle();
  const counts = arrivals(room, tries);
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.is === "delivered")
      expect(counts[at], `post ${at} ended as ${outcome.is}; how often it arrived`).toBe(1);
    else if (outcome.is === "deferred")
      expect(counts[at], `post ${at} ended as ${outcome.is}; how often it arrived`).toBe(
        tries[at]?.attempt.confirmed.length,
      );
    else expect(counts[at], `post ${at} ended as ${outcome.is}; how often it arrived`).toBeLessThanOrEqual(1);
    expect(outcome.is, "a lost connection is no reason to reject a post").not.toBe("rejected");
  }
}

async function worksAfterALoss(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.harness.cut();
  await stage.within(room.session.ended, "`ended` after the connection was cut");
  const { session, host } = await stage.open();
  const ref = await stage.join(session, room.channel);
  expect(ref, "a channel's ref is the same for every session").toBe(room.ref);
  await stage.deliver({ session, ref }, { text: "back again" });
  await stage.heard(room, 1);
  await room.person.say(room.channel.name, "good to see you");
  await stage.taken(host, 1);
}

async function stalledServerLosesNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.deliver(room, { text: "before" });
  const resume = await stalled(stage);
  const tries = ["a", "b", "c"].map((name) => stage.post(room, { text: `meanwhile ${name}` }));
  await stage.harness.settle();
  if (stage.capabilities.proof !== "handed-over") {
    expect(tries.filter(({ ended }) => ended()).length, "posts that ended while the server answered nothing").toBe(0);
  }
  await resume();
  const outcomes = await Promise.all(tries.map(async ({ outcome }) => await outcome));
  expect(outcomes.map(({ is }) => is)).toEqual(["delivered", "delivered", "delivered"]);
  await stage.heard(room, 4);
  await stage.harness.settle();
  expect(arrivals(room, tries), "how often each arrived").toEqual([1, 1, 1]);
}

async function stalled(stage: Stage): Promise<() => Promise<void>> {
  const resume = await stage.harness.stall?.();
  if (resume === undefined) throw new Error("the harness offers `stall`, but has none");
  return resume;
}

async function stalledServerDelaysNoStop(stage: Stage): Promise<void> {
  const person = await stage.harness.person();
  const before = sockets();
  const { session, host } = await stage.open();
  const ref = await stage.join(session, stage.harness.channels[0]);
  const resume = await stalled(stage);
  const { outcome } = stage.post({ session, ref }, { text: "in the middle" });
  await stage.within(session.close(AbortSignal.timeout(300)), "close() while the server answers nothing");
  expect(["unknown", "deferred"], "a post under way at a close").toContain((await outcome).is);
  expect((await session.ended).cause).toBe("asked");
  await resume();
  await expectNothingLeft(stage, host, before);
  expect(person.name).not.toBe("");
}

async function abortEndsAPostInDoubt(stage: Stage): Promise<void> {
  const room = await stage.room();
  const resume = await stalled(stage);
  const { outcome, attempt } = stage.post(room, { text: "in doubt" });
  await stage.harness.settle();
  attempt.abort();
  const ended = await outcome;
  await resume();
  await stage.deliver(room, { text: "and on" });
  await stage.until(
    () => room.person.heard(room.channel.name).some(({ text }) => text.endsWith("and on")),
    () => "the next post",
  );
  const arrived = room.person.heard(room.channel.name).filter(({ text }) => text.endsWith("in doubt")).length;
  if (ended.is !== "unknown")
    expect(arrived, `a post ended as ${ended.is}; how often it arrived`).toBe(ended.is === "delivered" ? 1 : 0);
}

export const losing: readonly Case[] = [
  { name: "a cut connection ends the session as lost, and leaves nothing", run: lostConnectionEnds },
  { name: "posts under way at a cut end as what they are", run: postsUnderWayEndAsWhatTheyAre },
  { name: "after a cut another session works", run: worksAfterALoss },
  {
    name: "a server that answers nothing for a while loses and doubles nothing",
    when: (_, features) => features.has("stall"),
    run: stalledServerLosesNothing,
  },
  {
    name: "an abort ends a post that the server does not answer",
    when: (_, features) => features.has("stall"),
    run: abortEndsAPostInDoubt,
  },
  {
    name: "a server that answers nothing does not delay close()",
    when: (_, features) => features.has("stall"),
    run: stalledServerDelaysNoStop,
  },
];
