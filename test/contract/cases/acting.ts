import { expect } from "vitest";
import type { Event, Posted } from "../../../src/contract/events.ts";
import type { Handle } from "../fixture.ts";
import type { RecordingHost } from "../recording-host.ts";
import type { Room, Stage } from "../stage.ts";
import { wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";

type Act = Extract<Event, { kind: "edited" | "deleted" | "reacted" }>;

function acts<K extends Act["kind"]>({ events }: RecordingHost, kind: K): readonly Extract<Act, { kind: K }>[] {
  return events.filter((event) => event.kind === kind && event.echoOf === null) as unknown as Extract<
    Act,
    { kind: K }
  >[];
}

async function act<K extends Act["kind"]>(
  stage: Stage,
  { host }: Room,
  kind: K,
  count: number,
): Promise<Extract<Act, { kind: K }>> {
  return await stage.until(
    () => acts(host, kind)[count - 1] ?? null,
    () => `event ${count} of kind ${kind}; had: ${host.events.map((event) => event.kind).join(", ")}`,
  );
}

/** A person says something; the handle and the event of it. */
async function written(stage: Stage, room: Room, text: string): Promise<{ handle: Handle; event: Posted }> {
  const handle = await room.person.write?.(room.channel.name, text);
  if (handle === undefined) throw new Error("the harness offers what needs `Person.write`, but has none");
  const [event] = await stage.taken(room.host, 1);
  return { handle, event: event as Posted };
}

async function editsOfPeople(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { handle, event } = await written(stage, room, "frist");
  for (const [at, text] of ["first", "first of all"].entries()) {
    await room.person.edit?.(room.channel.name, handle, text);
    const edited = await act(stage, room, "edited", at + 1);
    expect(event.messages, "the edited message is one of the refs it came with").toContain(edited.message);
    expect([edited.author.id, edited.author.identity], "who edits is who wrote").toEqual([
      event.author.id,
      event.author.identity,
    ]);
    expect(wordsOf(edited.body), "the new text").toBe(text);
    expect(edited.channel).toBe(room.ref);
  }
  await stage.harness.settle();
  expect(acts(room.host, "edited").length, "edits, each once").toBe(2);
  expect(room.host.posted.length, "an edit is no message of its own").toBe(1);
}

async function deletionsOfPeople(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { handle, event } = await written(stage, room, "never said");
  await room.person.erase?.(room.channel.name, handle);
  const deleted = await act(stage, room, "deleted", 1);
  expect(event.messages, "the deleted message is one of the refs it came with").toContain(deleted.message);
  expect(deleted.by !== null || deleted.vouched, "a deletion by nobody is one that the network vouches for").toBe(true);
  if (deleted.by !== null && !deleted.vouched) {
    expect([deleted.by.id, deleted.by.identity], "who deletes is who wrote").toEqual([
      event.author.id,
      event.author.identity,
    ]);
  }
  await stage.harness.settle();
  expect(acts(room.host, "deleted").length, "the deletion, once").toBe(1);
  expect(room.host.posted.length, "a deletion is no message of its own").toBe(1);
}

async function reactionsOfPeople(stage: Stage): Promise<void> {
  const room = await stage.room();
  const ours = await stage.messagesOf(room, { text: "what do you think?" });
  const handle = await stage.until(
    () => room.person.heard(room.channel.name)[0]?.handle ?? null,
    () => "the handle of a message of ours",
  );
  for (const [at, [emoji, on]] of (
    [
      ["👍", true],
      ["🎉", true],
      ["👍", false],
    ] as const
  ).entries()) {
    await room.person.react?.(room.channel.name, handle, emoji, on);
    const reacted = await act(stage, room, "reacted", at + 1);
    expect([reacted.emoji, reacted.on]).toEqual([emoji, on]);
    expect(ours, "what somebody reacted to is among the refs of our receipt").toContain(reacted.message);
    expect(reacted.author.name).toBe(room.person.name);
    expect(reacted.channel).toBe(room.ref);
  }
  await stage.harness.settle();
  expect(acts(room.host, "reacted").length, "reactions, each once").toBe(3);
  expect(room.host.posted, "a reaction is no message").toEqual([]);
}

/** What people do is done by them: it has the author of what they say. */
export const acting: readonly Case[] = [
  { name: "edits of people are told", when: (_, features) => features.has("edit"), run: editsOfPeople },
  { name: "deletions of people are told", when: (_, features) => features.has("erase"), run: deletionsOfPeople },
  { name: "reactions of people are told", when: (_, features) => features.has("react"), run: reactionsOfPeople },
];
