import { expect } from "vitest";
import type { Stage } from "../stage.ts";
import { wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";

const never = (): AbortSignal => new AbortController().signal;

async function joinsByName(stage: Stage): Promise<void> {
  const { session } = await stage.open();
  const [one, two] = stage.harness.channels;
  const refs = [await stage.join(session, one), await stage.join(session, two)];
  expect(refs[0], "two channels have two refs").not.toBe(refs[1]);
}

async function limitsMakeSense(stage: Stage): Promise<void> {
  const { session } = await stage.open();
  const joined = await stage.within(session.join(stage.harness.channels[0], never()), "a join");
  const limits = joined.ok ? joined.limits : undefined;
  const { textMax = 1, fileBytesMax = 1, editWithinMs = 0, reactions = [] } = limits ?? {};
  expect(Math.min(textMax, fileBytesMax), "what is limited to nothing is not there at all").toBeGreaterThan(0);
  expect(editWithinMs, "for how long a message can be edited").toBeGreaterThanOrEqual(0);
  expect(reactions, "emoji that can be put on, where there are reactions").not.toContain("");
}

async function joinIsIdempotent(stage: Stage): Promise<void> {
  const room = await stage.room();
  const again = await Promise.all([stage.join(room.session, room.channel), stage.join(room.session, room.channel)]);
  expect(again, "a channel has one ref, however often it is joined").toEqual([room.ref, room.ref]);
  await stage.deliver(room, { text: "once" });
  await stage.heard(room, 1);
  await stage.harness.settle();
  expect(room.person.heard(room.channel.name).length, "lines after a double join").toBe(1);
}

async function refusalIsAValue(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { refused } = stage.harness;
  if (refused === undefined) throw new Error("the harness offers `refused`, but there is no such channel");
  const joined = await stage.within(room.session.join(refused, never()), "the refusal of a join");
  if (joined.ok) throw new Error("we entered a channel that we may not enter");
  expect(joined.why.message, "the reason, for people").not.toBe("");
  expect(joined.retryInMs === null || joined.retryInMs > 0, "retryInMs").toBe(true);
  await stage.deliver(room, { text: "elsewhere all is well" });
}

async function joinGivenUpEnds(stage: Stage): Promise<void> {
  const { session } = await stage.open();
  const giveUp = new AbortController();
  const joining = session.join(stage.harness.channels[0], giveUp.signal);
  giveUp.abort();
  await stage.within(joining, "a join whose signal was aborted");
  await stage.within(session.join(stage.harness.channels[1], AbortSignal.abort()), "a join aborted before it began");
  await stage.join(session, stage.harness.channels[0]);
}

async function namesInjectNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { name, options } = room.channel;
  const tail = ["\r\nQUIT :injected", "\nQUIT :injected", "\0QUIT", " key\r\nQUIT", ",0", " :x"];
  for (const hostile of ["", "0", ...tail.map((end) => `${name}${end}`)]) {
    await stage.within(room.session.join({ name: hostile, options }, never()), `join of ${JSON.stringify(hostile)}`);
  }
  const keyed = { name, options: { ...options, key: "x\r\nQUIT :injected" } };
  await stage.within(room.session.join(keyed, never()), "join with a hostile option");
  await stage.deliver(room, { text: "still here" });
  await stage.heard(room, 1);
}

async function kickedAndBack(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.kick(room.channel.name, room.session.as, "out with you");
  const loss = await stage.until(
    () => room.host.losses[0] ?? null,
    () => "host.lost() after we were kicked",
  );
  expect(loss.channel, "which channel is lost").toBe(room.ref);
  expect(loss.why.message, "why it is lost, for people").not.toBe("");
  expect(loss.retryInMs, "retryInMs").toBeGreaterThanOrEqual(0);
  const other = await stage.join(room.session, stage.harness.channels[1]);
  expect(other, "other channels are as they were").not.toBe(room.ref);
  expect(await stage.join(room.session, room.channel), "the ref after joining again").toBe(room.ref);
  await stage.deliver(room, { text: "back" });
  await stage.heard(room, 1);
  await room.person.say(room.channel.name, "welcome back");
  await stage.taken(room.host, 1);
  expect(room.host.losses.length, "host.lost() once per loss").toBe(1);
}

async function postsIntoALostChannel(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.kick(room.channel.name, room.session.as, "out with you");
  const tries = Array.from({ length: stage.capabilities.limits.inflightMax }, (_, at) =>
    stage.post(room, { text: `line ${at}` }),
  );
  const outcomes = await Promise.all(tries.map(async ({ outcome }) => await outcome));
  await stage.until(
    () => room.host.losses.length > 0,
    () => "host.lost() after we were kicked",
  );
  await stage.harness.settle();
  const heard = room.person.heard(room.channel.name).map(({ text }) => text);
  for (const [at, outcome] of outcomes.entries()) {
    const arrived = heard.filter((text) => text.endsWith(`line ${at}`)).length;
    expect(arrived, `post ${at} ended as ${outcome.is}; how often it arrived`).toBeLessThanOrEqual(1);
    if (outcome.is === "delivered") expect(arrived, `post ${at} was delivered; how often it arrived`).toBe(1);
    if (outcome.is === "deferred") expect(arrived, `post ${at} was deferred; how often it arrived`).toBe(0);
    expect(outcome.is, "a channel that can be joined again is no reason to reject a post").not.toBe("rejected");
  }
}

async function leftIsSilent(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { session, host, person, channel } = room;
  const other = stage.harness.channels[1];
  await person.join(other);
  const otherRef = await stage.join(session, other);
  await person.say(channel.name, "before");
  await stage.taken(host, 1);
  if (session.leave === undefined) throw new Error("the harness offers `leave`, but the session has none");
  await stage.within(session.leave(room.ref, never()), "leave()");
  await person.say(channel.name, "among us");
  await person.say(other.name, "elsewhere");
  await stage.taken(host, 2);
  const texts = (): readonly string[] => host.posted.map(({ body }) => wordsOf(body));
  expect(texts(), "nothing of the channel that was left").toEqual(["before", "elsewhere"]);
  expect((await stage.post(room, { text: "too late" }).outcome).is, "a post to it").toBe("deferred");
  await stage.deliver({ session, ref: otherRef }, { text: "elsewhere all is well" });
  await stage.within(session.leave(room.ref, never()), "a second leave()");
  expect(host.losses, "host.lost() of a channel that was left").toEqual([]);
  expect(await stage.join(session, channel), "its ref after joining again").toBe(room.ref);
  await stage.deliver(room, { text: "back" });
  await stage.heard(room, 1);
  await person.say(channel.name, "welcome back");
  await stage.taken(host, 3);
  await stage.harness.settle();
  expect(texts(), "what was said without us is none of ours").toEqual(["before", "elsewhere", "welcome back"]);
}

async function leaveGivenUpEnds(stage: Stage): Promise<void> {
  const room = await stage.room();
  const resume = await stage.harness.stall?.();
  if (resume === undefined) throw new Error("the harness offers `stall`, but has none");
  await stage.within(
    Promise.resolve(room.session.leave?.(room.ref, AbortSignal.timeout(100))),
    "a leave that is given up",
  );
  await resume();
  await stage.join(room.session, stage.harness.channels[1]);
}

export const joining: readonly Case[] = [
  { name: "channels are joined by their configured names", run: joinsByName },
  { name: "what a channel takes less of makes sense", run: limitsMakeSense },
  { name: "join is idempotent", run: joinIsIdempotent },
  {
    name: "a channel that we may not enter is a value, and harms no other",
    when: (_, features) => features.has("refused"),
    run: refusalIsAValue,
  },
  { name: "a join that is given up ends as a value", run: joinGivenUpEnds },
  { name: "a channel's name and options inject nothing", run: namesInjectNothing },
  {
    name: "kicked from a channel: it is lost, can be joined again, and works",
    when: (_, features) => features.has("kick"),
    run: kickedAndBack,
  },
  {
    name: "posts into a channel that we were kicked from end as what they are",
    when: (_, features) => features.has("kick"),
    run: postsIntoALostChannel,
  },
  {
    name: "a channel that is left is silent, harms no other, and can be joined again",
    when: (_, features) => features.has("leave"),
    run: leftIsSilent,
  },
  {
    name: "leaving is over when its signal is aborted, though the server answers nothing",
    when: (_, features) => features.has("leave") && features.has("stall"),
    run: leaveGivenUpEnds,
  },
];
