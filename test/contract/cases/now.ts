import { expect } from "vitest";
import type { Hint } from "../../../src/contract/host.ts";
import type { ChannelRef } from "../../../src/contract/ids.ts";
import type { Member, TypingDisplay } from "../../../src/contract/session.ts";
import type { Room, Stage } from "../stage.ts";
import type { Case } from "./case.ts";

async function membersOf(stage: Stage, { session, ref }: Pick<Room, "session" | "ref">): Promise<readonly Member[]> {
  const asked = session.members?.(ref, AbortSignal.timeout(10_000));
  if (asked === undefined) throw new Error("there is no members(), though the network has lists");
  const members = await stage.within(asked, "members()");
  if (members === null) throw new Error("members() of a joined channel is null, though the network has lists");
  return members;
}

/** Until the list has these names, whoever else is there. */
async function untilThere(stage: Stage, room: Room, names: readonly string[]): Promise<readonly Member[]> {
  let members: readonly Member[] = [];
  for (const start = Date.now(); Date.now() - start < (stage.harness.patienceMs ?? 20_000);) {
    members = await membersOf(stage, room);
    if (names.every((name) => members.some((member) => member.name === name))) return members;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const there = members.map(({ name }) => name).join(", ");
  throw new Error(`the list has ${there || "nobody"}, and should have ${names.join(", ")}`);
}

async function whoIsThere(stage: Stage): Promise<void> {
  const room = await stage.room();
  const other = await stage.harness.person();
  await other.join(room.channel);
  await room.person.say(room.channel.name, "here");
  await other.say(room.channel.name, "here, too");
  const [first, second] = await stage.taken(room.host, 2);
  const members = await untilThere(stage, room, [room.person.name, other.name]);
  const names = members.map(({ name }) => name);
  expect(new Set(names).size, "everybody once").toBe(names.length);
  expect(names, "we ourselves are not in the list").not.toContain(room.session.as);
  const ids = members.map(({ id }) => id);
  for (const { author } of [first, second].filter((event) => event !== undefined))
    expect(ids, `the id of ${author.name} is that of what is said`).toContain(author.id);
}

async function whoHasLeft(stage: Stage): Promise<void> {
  const room = await stage.room();
  const other = await stage.harness.person();
  await other.join(room.channel);
  await other.say(room.channel.name, "here");
  await stage.taken(room.host, 1);
  await untilThere(stage, room, [other.name]);
  await other.leave(room.channel.name, "bye");
  await stage.until(
    () => room.host.events.some((event) => event.kind === "member" && event.change === "leave"),
    () => "the event of the leaving",
  );
  const names = (await membersOf(stage, room)).map(({ name }) => name);
  expect(names, "who has left is not in the list").not.toContain(other.name);
}

async function roomsToChooseFrom(stage: Stage): Promise<void> {
  const { session, channel } = await stage.room();
  if (session.rooms === undefined) throw new Error("there is no rooms(), though the network lists rooms");
  const rooms = await stage.within(session.rooms(AbortSignal.timeout(10_000)), "rooms()");
  expect(rooms, "a channel that we are in, as the configuration writes it").toContain(channel.name);
  const { pattern = "" } = stage.ground.adapter.manifest.channel ?? {};
  expect(
    rooms.filter((name) => !new RegExp(pattern, "u").test(name)),
    "what is no channel's name",
  ).toEqual([]);
  await stage.within(session.rooms(AbortSignal.abort()), "rooms() that was given up");
}

async function hinted(stage: Stage, { host }: Room, on: boolean): Promise<Hint> {
  return await stage.until(
    () => host.hints.findLast((hint) => hint.kind === "typing" && hint.on === on) ?? null,
    () => `a hint that somebody types${on ? "" : " no longer"}`,
  );
}

async function whoTypes(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { person, channel, host, ref } = room;
  await person.say(channel.name, "first");
  const [said] = await stage.taken(host, 1);
  await person.type?.(channel.name, true);
  const hint = await hinted(stage, room, true);
  expect([hint.channel, hint.author.id, hint.author.name]).toEqual([ref, said?.author.id, person.name]);
  await person.say(channel.name, "second");
  await stage.taken(host, 2);
  expect(host.posted.length, "typing is no message").toBe(2);
}

async function quiescedTellsNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.say(room.channel.name, "first");
  await stage.taken(room.host, 1);
  await room.person.type?.(room.channel.name, true);
  await hinted(stage, room, true);
  await stage.within(room.session.quiesce(), "quiesce()");
  const before = room.host.hints.length;
  await room.person.type?.(room.channel.name, false);
  await room.person.type?.(room.channel.name, true);
  await stage.harness.settle();
  expect(room.host.hints.length, "hints after quiesce()").toBe(before);
}

function displayOf({ typing }: Pick<Room["session"], "typing">): TypingDisplay {
  if (typing === undefined) throw new Error("there is no typing, though people see who types");
  return typing;
}

async function untilTypes(stage: Stage, { person, channel, session }: Room, on: boolean): Promise<void> {
  const seen = (): readonly string[] => person.typists?.(channel.name) ?? [];
  await stage.until(
    () => (on ? seen().includes(session.as) : seen().length === 0),
    () => `${session.as} to be shown as typing${on ? "" : " no longer"}; shown: ${seen().join(", ") || "nobody"}`,
  );
}

async function showsThatSomebodyTypes(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { session, ref, host, person, channel } = room;
  const typing = displayOf(session);
  expect(typing.lastsMs, "the core repeats it every 4 s at most").toBeGreaterThan(4_000);
  await stage.deliver(room, { text: "before" });
  typing.show(ref, true);
  await untilTypes(stage, room, true);
  typing.show(ref, false);
  if (stage.harness.typingStays !== true) await untilTypes(stage, room, false);
  await stage.harness.settle();
  expect(host.hints, "our own typing is no hint").toEqual([]);
  expect(host.posted, "nor a message").toEqual([]);
  expect(person.heard(channel.name).length, "nor anything that people read").toBe(1);
}

async function typesAndPosts(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { session, ref, person, channel } = room;
  const texts = Array.from({ length: 10 }, (_, nth) => `line ${nth}`);
  for (const text of texts) {
    for (const on of [true, false, true]) displayOf(session).show(ref, on);
    await stage.deliver(room, { text });
  }
  const heard = (): readonly string[] => person.heard(channel.name).map((one) => one.text);
  await stage.until(
    () => heard().length === texts.length,
    () => `all lines; heard: ${heard().join(", ")}`,
  );
  expect(heard().map((text) => text.replace(/^.*(?=line)/u, ""))).toEqual(texts);
}

async function typesNowhere(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { session, ref, person, channel } = room;
  const typing = displayOf(session);
  typing.show("never joined" as ChannelRef, true);
  await stage.within(session.quiesce(), "quiesce()");
  await stage.within(session.close(AbortSignal.timeout(2_000)), "close()");
  typing.show(ref, true);
  await stage.harness.settle();
  expect(person.typists?.(channel.name), "nobody types after the end").toEqual([]);
}

const lists: NonNullable<Case["when"]> = (_, features) => features.has("members");
const types: NonNullable<Case["when"]> = (_, features) => features.has("typing");
const shows: NonNullable<Case["when"]> = (_, features) => features.has("showsTyping");

export const now: readonly Case[] = [
  { name: "the list of a channel has those who are there, by the ids of what they say", when: lists, run: whoIsThere },
  {
    name: "who leaves is in the list no longer",
    when: ({ members }, features) => features.has("members") && members === "native",
    run: whoHasLeft,
  },
  {
    name: "the rooms to choose from have those that we are in, as they are written",
    when: (_, features) => features.has("rooms"),
    run: roomsToChooseFrom,
  },
  { name: "who types is told while it is so, and it is no event", when: types, run: whoTypes },
  { name: "after quiesce() nobody hears who types", when: types, run: quiescedTellsNothing },
  { name: "people see that we type, and it does not come back as a hint", when: shows, run: showsThatSomebodyTypes },
  { name: "typing neither holds up posts nor changes their order", when: shows, run: typesAndPosts },
  { name: "typing in a channel that is not joined, or after the end, shows nothing", when: shows, run: typesNowhere },
];
