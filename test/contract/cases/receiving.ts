import { expect } from "vitest";
import type { Membership, Posted, Topic } from "../../../src/contract/events.ts";
import { RecordingAttempt } from "../recording-attempt.ts";
import type { RecordingHost } from "../recording-host.ts";
import type { Room, Stage } from "../stage.ts";
import { COMMANDS, MANNERS, wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";
import { expectSame } from "./same.ts";

function saidIn(events: readonly Posted[]): readonly string[] {
  return events.map(({ body }) => wordsOf(body));
}

async function whatAPersonSaysArrives(stage: Stage): Promise<void> {
  const room = await stage.room();
  const styles = (["normal", "action", "notice"] as const).filter(
    (style) =>
      (style !== "notice" || (stage.capabilities.notice === "native" && stage.harness.peopleSayNoNotices !== true)) &&
      (style !== "action" || stage.harness.peopleDoNotAct !== true),
  );
  for (const style of styles) await room.person.say(room.channel.name, `said as ${style}`, style);
  const events = await stage.taken(room.host, styles.length);
  for (const [at, style] of styles.entries()) {
    const event = events[at];
    expect(style === "notice" ? ["notice", "aside"] : [style], "the style").toContain(event?.body.style);
    expect(event === undefined ? "" : wordsOf(event.body), "the text of the blocks").toBe(`said as ${style}`);
    expect(event?.body.source.text, "the source").toContain(`said as ${style}`);
    expect(event?.channel, "the channel is the ref that join gave").toBe(room.ref);
    expect(event?.author.name, "the author's name").toBe(room.person.name);
    expect(event?.author.id, "the author's id").not.toBe("");
    expect(Math.abs((event?.atMs ?? 0) - Date.now()), "atMs is Unix milliseconds").toBeLessThan(3_600_000);
  }
}

async function textsArriveAsTheyAre(stage: Stage): Promise<void> {
  const room = await stage.room();
  const texts = [...MANNERS, ...COMMANDS].filter((text) => stage.harness.unsayable?.has(text) !== true);
  for (const text of texts) await room.person.say(room.channel.name, text);
  const events = await stage.taken(room.host, texts.length);
  expectSame(saidIn(events), texts, "texts of people");
  expect(new Set(events.map(({ body }) => body.style)), "plain lines are no actions").toEqual(new Set(["normal"]));
}

async function hundredLinesInOrder(stage: Stage): Promise<void> {
  const room = await stage.room();
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  for (const line of lines) await room.person.say(room.channel.name, line);
  await stage.taken(room.host, lines.length);
  await stage.harness.settle();
  const events = room.host.posted;
  expectSame(saidIn(events), lines, "lines of people");
  const keys = events.flatMap(({ key }) => key ?? []);
  expect(new Set(keys).size, "two events share a key").toBe(keys.length);
}

async function channelsAreToldApart(stage: Stage): Promise<void> {
  const room = await stage.room();
  const [, second] = stage.harness.channels;
  await room.person.join(second);
  const ref = await stage.join(room.session, second);
  await room.person.say(second.name, "in the second");
  await room.person.say(room.channel.name, "in the first");
  const events = await stage.taken(room.host, 2);
  expect(new Map(events.map(({ channel, body }) => [channel, wordsOf(body)]))).toEqual(
    new Map([
      [ref, "in the second"],
      [room.ref, "in the first"],
    ]),
  );
  await stage.deliver({ session: room.session, ref }, { text: "to the second" });
  await stage.heard({ person: room.person, channel: second }, 1);
  expect(room.person.heard(room.channel.name), "a post went to the wrong channel").toEqual([]);
}

async function ownPostsDoNotComeBack(stage: Stage): Promise<void> {
  const room = await stage.room();
  for (const text of ["ours 1", "ours 2", "ours 3"]) await stage.deliver(room, { text });
  await stage.deliver(room, { text: "ours 4", style: "action" });
  await room.person.say(room.channel.name, "theirs");
  await stage.taken(room.host, 1);
  await stage.harness.settle();
  expectSame(saidIn(room.host.posted), ["theirs"], "what we said ourselves came back as an event without echoOf");
}

function ofKind<K extends "member" | "topic">(
  host: RecordingHost,
  kind: K,
): readonly (K extends "member" ? Membership : Topic)[] {
  const found = host.events.filter((event) => event.kind === kind && event.echoOf === null);
  return found as unknown as readonly (K extends "member" ? Membership : Topic)[];
}

async function member(stage: Stage, room: Room, change: Membership["change"], count = 1): Promise<Membership> {
  return await stage.until(
    () => ofKind(room.host, "member").filter((event) => event.change === change)[count - 1] ?? null,
    () => `member event ${count} of change ${change}; had: ${JSON.stringify(ofKind(room.host, "member"))}`,
  );
}

async function peopleComeAndGo(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.harness.settle();
  expect(ofKind(room.host, "member"), "who was there before us, and we ourselves, are no events").toEqual([]);
  const bob = await stage.harness.person();
  const first = bob.name;
  await bob.join(room.channel);
  const join = await member(stage, room, "join");
  expect([join.author.name, join.channel]).toEqual([first, room.ref]);
  expect(join.text, "the wording for people").toContain(first);
  const renamed = await bob.rename();
  const rename = await member(stage, room, "rename");
  expect(rename.channel).toBe(room.ref);
  expect(rename.text, "the wording for people names both").toContain(first);
  expect(rename.text, "the wording for people names both").toContain(renamed);
  await bob.leave(room.channel.name, "so long");
  const leave = await member(stage, room, "leave");
  expect([leave.author.name, leave.channel]).toEqual([renamed, room.ref]);
  expect(leave.text, "the wording for people").toContain(renamed);
}

async function peopleAreKicked(stage: Stage): Promise<void> {
  const room = await stage.room();
  const bob = await stage.harness.person();
  await bob.join(room.channel);
  await member(stage, room, "join");
  await room.person.kick(room.channel.name, bob.name, "too loud");
  const leave = await member(stage, room, "leave");
  expect([leave.author.name, leave.channel]).toEqual([bob.name, room.ref]);
  expect(leave.text, "the wording for people says who was kicked").toContain(bob.name);
  expect(leave.text, "… who did it").toContain(room.person.name);
  if (stage.harness.kicksWithoutReason !== true) expect(leave.text, "… and why").toContain("too loud");
  expect(room.host.losses, "somebody else was kicked: the channel is not lost").toEqual([]);
}

async function topicsChange(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.setTopic(room.channel.name, "ships: three");
  const topic = await stage.until(
    () => ofKind(room.host, "topic")[0] ?? null,
    () => "a topic event",
  );
  expect(topic.channel).toBe(room.ref);
  expect(topic.text, "the wording for people").toContain("ships: three");
  expect(topic.topic, "the new topic and nothing else").toBe("ships: three");
  if (topic.author !== null) expect(topic.author.name).toBe(room.person.name);
}

/** Events that an adapter may have handed over while none was taken: a thousand, and what one read of 64 KiB brings. */
const PENDING_MAX = 2_500;
/** … and must have, if so many come, before it stops reading. */
const PENDING_LEAST = 500;

async function backPressure(stage: Stage): Promise<void> {
  const room = await stage.room();
  room.host.hold();
  const lines = Array.from({ length: stage.harness.burst }, (_, at) => `line ${at}`);
  const saying = (async () => {
    for (const line of lines) await room.person.say(room.channel.name, line);
  })();
  await stage.until(
    () => room.host.posted.length >= Math.min(lines.length, PENDING_LEAST),
    () => `the first lines of a burst; ${room.host.posted.length} came`,
  );
  await stage.harness.settle();
  expect(room.host.pendingMost, "events handed over while accept() had not resolved").toBeLessThanOrEqual(PENDING_MAX);
  room.host.release();
  await stage.within(saying, "the person to have said everything");
  const events = await stage.taken(room.host, lines.length);
  expectSame(saidIn(events), lines, "lines of people");
}

async function postsWhileNothingIsTaken(stage: Stage): Promise<void> {
  const room = await stage.room();
  room.host.hold();
  await room.person.say(room.channel.name, "waits");
  await stage.taken(room.host, 1);
  await stage.deliver(room, { text: "goes out all the same" });
  await stage.heard(room, 1);
  room.host.release();
}

/** A post that has to be in the cursor first. */
async function postsWaitForTheirCursor(stage: Stage): Promise<void> {
  const room = await stage.room();
  room.host.hold();
  await room.person.say(room.channel.name, "waits");
  await stage.taken(room.host, 1);
  const cursors = (): number => room.host.cursors.length;
  const before = cursors();
  const first = new RecordingAttempt();
  const given = stage.post(room, { text: "is on disk first" }, first);
  await stage.until(
    () => cursors() > before,
    () => "a cursor that has the post",
  );
  first.abort();
  expect((await given.outcome).is, "a post that was given up before its cursor was on disk").toBe("deferred");
  const again = stage.post(room, { id: given.op.id, attempt: 2, text: "is on disk first" });
  await stage.harness.settle();
  expect(again.ended(), "a post ended before its cursor was on disk").toBe(false);
  expect(room.person.heard(room.channel.name), "a post left before its cursor was on disk").toEqual([]);
  room.host.release();
  expect((await again.outcome).is).toBe("delivered");
  await stage.heard(room, 1);
  await stage.harness.settle();
  expect(room.person.heard(room.channel.name), "said once").toHaveLength(1);
}

export const receiving: readonly Case[] = [
  { name: "what a person says arrives: channel, author, text, style", run: whatAPersonSaysArrives },
  { name: "texts of all kinds arrive as they are", run: textsArriveAsTheyAre },
  { name: "100 lines arrive in order, once", run: hundredLinesInOrder },
  { name: "two channels are told apart", run: channelsAreToldApart },
  { name: "what we post does not come back as an event", run: ownPostsDoNotComeBack },
  {
    name: "people who join, change names and leave are told",
    when: ({ members }) => members !== "none",
    run: peopleComeAndGo,
  },
  {
    name: "people who are kicked are told, with by whom and why",
    when: ({ members }, features) => members !== "none" && features.has("kick"),
    run: peopleAreKicked,
  },
  { name: "a new topic is told", when: ({ topic }) => topic !== "none", run: topicsChange },
  { name: "while accept() waits intake is bounded, and nothing is lost", run: backPressure },
  {
    name: "while accept() waits posts go out",
    when: (_, features) => !features.has("announces"),
    run: postsWhileNothingIsTaken,
  },
  {
    name: "while accept() waits posts wait for it, and are said once when it goes on",
    when: (_, features) => features.has("announces"),
    run: postsWaitForTheirCursor,
  },
];
