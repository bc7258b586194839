import { expect } from "vitest";
import type { Cursor, EventKey } from "../../../src/contract/ids.ts";
import type { Room, Stage } from "../stage.ts";
import { wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";
import { expectSame } from "./same.ts";

/** Somebody says something, and the network's cursor is there. */
async function begun(stage: Stage): Promise<{ readonly room: Room; readonly since: Cursor }> {
  const room = await stage.room();
  await room.person.say(room.channel.name, "before");
  await stage.taken(room.host, 1);
  await stage.harness.settle();
  const since = await stage.until(
    () => room.host.cursors.at(-1) ?? null,
    () => "a cursor behind what was said",
  );
  return { room, since };
}

/** What came that the keys of earlier sessions do not tell to be known, with the keys of all. */
function told({ host }: Room, known: ReadonlySet<EventKey> = new Set()) {
  const events = host.posted.filter(({ key }) => key === null || !known.has(key));
  return {
    texts: events.map(({ body }) => wordsOf(body)),
    keys: new Map(host.posted.map(({ body, key }) => [wordsOf(body), key])),
  };
}

function keysOf(room: Room): Set<EventKey> {
  return new Set(room.host.posted.flatMap(({ key }) => key ?? []));
}

async function expectMissed(stage: Stage, again: Room, known: Set<EventKey>, lines: readonly string[]): Promise<void> {
  await stage.until(
    () => told(again, known).texts.length >= lines.length,
    () => `${lines.length} missed lines; ${told(again, known).texts.length} came`,
  );
  await stage.harness.settle();
  expectSame(told(again, known).texts, lines, "lines that were missed, and those after them");
}

async function missedAfterAClose(stage: Stage): Promise<void> {
  const { room, since } = await begun(stage);
  await stage.within(room.session.quiesce(), "quiesce()");
  await stage.within(room.session.close(AbortSignal.timeout(2_000)), "close()");
  const missed = Array.from({ length: 5 }, (_, at) => `missed ${at}`);
  for (const line of missed) await room.person.say(room.channel.name, line);
  await stage.harness.settle();
  const again = await stage.reopen(room, since);
  await room.person.say(again.channel.name, "live again");
  await expectMissed(stage, again, keysOf(room), [...missed, "live again"]);
}

async function missedAfterACut(stage: Stage): Promise<void> {
  const { room, since } = await begun(stage);
  await stage.harness.cut();
  await stage.within(room.session.ended, "`ended` after the connection was cut");
  // More than networks give in one page.
  const missed = Array.from({ length: 120 }, (_, at) => `missed ${at}`);
  for (const line of missed) await room.person.say(room.channel.name, line);
  await stage.harness.settle();
  const again = await stage.reopen(room, room.host.cursors.at(-1) ?? since);
  await expectMissed(stage, again, keysOf(room), missed);
}

async function nothingMissed(stage: Stage): Promise<void> {
  const { room } = await begun(stage);
  const again = await stage.reopen(room, room.host.cursors.at(-1) ?? null);
  await room.person.say(again.channel.name, "after");
  await expectMissed(stage, again, keysOf(room), ["after"]);
}

async function repeatedKeys(stage: Stage): Promise<void> {
  const { room, since } = await begun(stage);
  if (stage.harness.confirms === true) room.host.hold();
  for (const line of ["one", "two"]) await room.person.say(room.channel.name, line);
  await stage.taken(room.host, 3);
  const again = await stage.reopen(room, since);
  await stage.until(
    () => told(again).texts.includes("two"),
    () => `what came after the cursor to come again; came: ${told(again).texts.join(", ")}`,
  );
  for (const line of ["one", "two"]) {
    expect(told(again).keys.get(line), `the key of "${line}" the second time`).toBe(told(room).keys.get(line));
    expect(told(room).keys.get(line), "a repeated event needs a key").not.toBeNull();
  }
}

async function firstTime(stage: Stage): Promise<void> {
  const person = await stage.harness.person();
  const [channel] = stage.harness.channels;
  await person.join(channel);
  for (const line of ["long ago", "yesterday"]) await person.say(channel.name, line);
  await stage.harness.settle();
  const { session, host } = await stage.open();
  const room: Room = { session, host, channel, ref: await stage.join(session, channel), person };
  await person.say(channel.name, "now");
  await expectMissed(stage, room, new Set(), ["now"]);
}

export const history: readonly Case[] = [
  { name: "without a cursor, nothing comes that was said before we entered", run: firstTime },
  {
    name: "what was said between two sessions comes, once and in order, before what is said next",
    when: ({ history: level }, features) => level !== "none" && features.has("history"),
    run: missedAfterAClose,
  },
  {
    name: "a long absence after a cut is caught up with",
    when: ({ history: level }, features) => level !== "none" && features.has("history"),
    run: missedAfterACut,
  },
  {
    name: "a new session that missed nothing says nothing twice",
    when: ({ history: level }, features) => level !== "none" && features.has("history"),
    run: nothingMissed,
  },
  {
    name: "an event that comes again has the same key",
    when: ({ history: level }, features) => level !== "none" && features.has("history"),
    run: repeatedKeys,
  },
];
