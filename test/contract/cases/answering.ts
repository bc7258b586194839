import { expect } from "vitest";
import type { MessageRef } from "../../../src/contract/ids.ts";
import type { MayPing } from "../../../src/contract/ops.ts";
import type { Handle, Heard, How } from "../fixture.ts";
import { type Room, type Stage, textOf } from "../stage.ts";
import { wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";

/** A person says something to be spoken of; the handle and the refs of it. */
async function written(
  stage: Stage,
  room: Room,
  text: string,
  how?: How,
): Promise<{ readonly handle: Handle; readonly refs: readonly MessageRef[] }> {
  const { person, channel, host } = room;
  if (person.write === undefined) throw new Error("the harness offers what needs `Person.write`, but has none");
  const handle = await person.write(channel.name, text, how);
  const event = await stage.until(
    () => host.posted.find(({ body }) => wordsOf(body) === text) ?? null,
    () => `the event of "${text}"; had: ${JSON.stringify(host.posted.map(({ body }) => wordsOf(body)))}`,
  );
  expect(event.messages.length, "refs of a message that others may speak of").toBeGreaterThan(0);
  return { handle, refs: event.messages };
}

async function heardAs(stage: Stage, { person, channel }: Room, text: string): Promise<Heard> {
  return await stage.until(
    () => person.heard(channel.name).find((line) => textOf(line) === text) ?? null,
    () => `"${text}" to be seen; heard: ${JSON.stringify(person.heard(channel.name).slice(-5))}`,
  );
}

async function answersOut(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { handle, refs } = await written(stage, room, "who goes there?");
  const [target] = refs;
  if (target === undefined) return;
  await stage.deliver(room, {
    text: "a friend",
    reply: { target, name: room.person.name, excerpt: "who goes there?" },
  });
  expect((await heardAs(stage, room, "a friend")).reply, "the message that is answered").toBe(handle);
}

async function answersToOurs(stage: Stage): Promise<void> {
  const room = await stage.room();
  const target = (await stage.messagesOf(room, { text: "the first" }))[0] as MessageRef;
  await stage.deliver(room, { text: "the answer", reply: { target, name: "alice", excerpt: "the first" } });
  const first = await heardAs(stage, room, "the first");
  expect((await heardAs(stage, room, "the answer")).reply, "the message of ours that is answered").toBe(first.handle);
}

async function answersIn(stage: Stage): Promise<void> {
  const room = await stage.room();
  const ours = await stage.messagesOf(room, { text: "said by us" });
  const { handle } = await heardAs(stage, room, "said by us");
  const theirs = await written(stage, room, "said by them");
  if (handle === undefined) throw new Error("a person that can answer has handles for what it hears");
  await written(stage, room, "to us", { reply: handle });
  await written(stage, room, "to them", { reply: theirs.handle });
  const replies = room.host.posted.map(({ body, replyTo }) => ({ text: wordsOf(body), replyTo }));
  expect(replies.map(({ text }) => text)).toEqual(["said by them", "to us", "to them"]);
  expect(replies[0]?.replyTo, "replyTo of what answers nothing").toBeNull();
  expect(ours, "replyTo of an answer to us is among the refs of our receipt").toContain(replies[1]?.replyTo);
  expect(theirs.refs, "replyTo of an answer to a person is among the refs of its event").toContain(replies[2]?.replyTo);
}

async function threads(stage: Stage): Promise<void> {
  const room = await stage.room();
  const root = await written(stage, room, "a new thread");
  await written(stage, room, "in the thread", { thread: root.handle });
  const event = room.host.posted.at(-1);
  expect(root.refs, "the thread of the event").toContain(event?.thread);
  await stage.deliver(room, { text: "ours in the thread", thread: root.refs[0] as MessageRef });
  expect((await heardAs(stage, room, "ours in the thread")).thread, "the thread of ours").toBe(root.handle);
}

function notified({ person, channel }: Room): readonly string[] {
  if (person.notified === undefined)
    throw new Error("the harness offers `notified`, but there is no `Person.notified`");
  return person.notified(channel.name);
}

async function mentionsNotify(stage: Stage): Promise<void> {
  const room = await stage.room();
  if (stage.harness.callsSpeakers === true) {
    await room.person.say(room.channel.name, "here I am");
    await stage.taken(room.host, 1);
  }
  await stage.deliver(room, { text: "nobody is meant" });
  await stage.deliver(room, { text: `@${room.person.name} the ship is in`, mayPing: { users: true, everyone: false } });
  await stage.until(
    () => notified(room).some((text) => text.includes("the ship is in")),
    () => `the person to be notified; was of: ${JSON.stringify(notified(room))}`,
  );
  expect(notified(room).length, "how often somebody was notified who was mentioned once").toBe(1);
}

async function nothingElseNotifies(stage: Stage): Promise<void> {
  const room = await stage.room();
  const mayPing: MayPing = { users: false, everyone: false };
  const calls = ["@room", "@everyone", "@here", "@all", "@channel", `@${room.person.name}`];
  for (const call of calls) await stage.deliver(room, { text: `${call} listen`, mayPing });
  await stage.deliver(room, { text: "@room @everyone @here listen", mayPing: { users: true, everyone: false } });
  await stage.heard(room, calls.length + 1);
  await stage.harness.settle();
  expect(notified(room), "texts that notified although they may not").toEqual([]);
}

export const answering: readonly Case[] = [
  {
    name: "an answer of ours points to what it answers",
    when: ({ reply }, features) => reply !== "none" && features.has("reply"),
    run: answersOut,
  },
  {
    name: "an answer of ours points to a message of ours",
    when: ({ reply }, features) => reply !== "none" && features.has("reply"),
    run: answersToOurs,
  },
  { name: "people's answers say what they answer", when: (_, features) => features.has("reply"), run: answersIn },
  {
    name: "threads are kept both ways",
    when: ({ thread }, features) => thread === "native" && features.has("thread"),
    run: threads,
  },
  {
    name: "a mention of somebody present notifies, once",
    when: ({ mention }, features) => mention !== "none" && features.has("notified"),
    run: mentionsNotify,
  },
  {
    name: "nothing notifies that may not",
    when: ({ mention }, features) => mention === "native" && features.has("notified"),
    run: nothingElseNotifies,
  },
];
