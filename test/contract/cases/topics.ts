import { expect } from "vitest";
import type { Outcome } from "../../../src/contract/outcome.ts";
import type { Room, Stage } from "../stage.ts";
import type { Case } from "./case.ts";

function done(outcome: Outcome, what: string): void {
  if (outcome.is !== "delivered") throw new Error(`${what} ended as ${outcome.is}: ${outcome.why.message}`);
}

async function shown(stage: Stage, { person, channel }: Room, topic: string): Promise<void> {
  await stage.until(
    () => person.topic?.(channel.name) === topic,
    () => `the topic "${topic}" to be shown; it is ${JSON.stringify(person.topic?.(channel.name))}`,
  );
}

/** What may be seen of topics that are set: nothing that anybody would relay. */
function expectNoEvent({ host }: Room, theirs: number): void {
  const topics = host.events.filter(({ kind, echoOf }) => kind === "topic" && echoOf === null);
  expect(topics.length, "topics of others; what we set ourselves is none").toBe(theirs);
}

async function topicsAreSet(stage: Stage): Promise<void> {
  const room = await stage.room();
  for (const topic of ["ships: three", "2 * 3 * 4 <b> & _so_ on", ""]) {
    done(await stage.setTopic(room, topic), "setting a topic");
    await shown(stage, room, topic);
  }
  await stage.harness.settle();
  expectNoEvent(room, 0);
}

async function theSameTopicAgain(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.setTopic(room.channel.name, "theirs");
  await stage.until(
    () => room.host.events.some(({ kind }) => kind === "topic"),
    () => "a topic event",
  );
  done(await stage.setTopic(room, "theirs"), "setting the topic that stands");
  done(await stage.setTopic(room, "ours"), "setting a topic");
  done(await stage.setTopic(room, "ours"), "setting it again");
  await shown(stage, room, "ours");
  await room.person.say(room.channel.name, "seen");
  await stage.taken(room.host, 1);
  await stage.harness.settle();
  expectNoEvent(room, 1);
}

async function topicsWithoutAConnection(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.harness.cut();
  await stage.within(room.session.ended, "`ended` after the connection was cut");
  const outcome = await stage.setTopic(room, "late");
  expect(outcome.is, "a topic on a session that has ended").toBe("deferred");
}

const when: NonNullable<Case["when"]> = ({ ops }, features) => ops.topic === "native" && features.has("setTopic");

export const topics: readonly Case[] = [
  { name: "topics are set as they are, and taken away, and do not come back as events", when, run: topicsAreSet },
  { name: "a topic that stands already is no event", when, run: theSameTopicAgain },
  { name: "topics on a session that has ended are deferred", when, run: topicsWithoutAConnection },
];
