import { expect } from "vitest";
import type { Capabilities } from "../../../src/contract/capabilities.ts";
import type { MessageRef } from "../../../src/contract/ids.ts";
import type { StandingReaction } from "../../../src/contract/ops.ts";
import type { Outcome } from "../../../src/contract/outcome.ts";
import { anAuthor, type Room, type Stage, textOf } from "../stage.ts";
import { withoutSpace } from "../texts.ts";
import type { Case } from "./case.ts";
import { longFor } from "./long.ts";

/** All that stands in the room of ours, white space left out. */
function standing({ person, channel }: Room): string {
  const heard = person.heard(channel.name);
  return withoutSpace(heard.map((line, at) => textOf(line, undefined, at === 0 ? "first" : "later")).join(""));
}

async function stands(stage: Stage, room: Room, text: string): Promise<void> {
  const wanted = withoutSpace(text);
  await stage.until(
    () => standing(room) === wanted,
    () => `"${text}" and nothing else to stand in the room; there is "${standing(room).slice(0, 200)}"`,
  );
}

/** Expects that it is delivered; the refs that stand from now on. */
function done(outcome: Outcome, before: readonly MessageRef[], what: string): readonly MessageRef[] {
  if (outcome.is !== "delivered") throw new Error(`${what} ended as ${outcome.is}: ${outcome.why.message}`);
  return outcome.receipt.messages.length > 0 ? outcome.receipt.messages : before;
}

async function posted(stage: Stage, room: Room, text: string): Promise<readonly MessageRef[]> {
  const refs = await stage.messagesOf(room, { text });
  if (refs.length === 0) throw new Error("a network whose messages can be changed gives them ids");
  return refs;
}

async function editsReplace(stage: Stage): Promise<void> {
  const room = await stage.room();
  let refs = await posted(stage, room, "first wording");
  for (const text of ["second wording", "third wording"]) {
    refs = done(await stage.edit(room, refs, { text }), refs, "an edit");
    await stands(stage, room, text);
  }
}

async function sameTextAgain(stage: Stage): Promise<void> {
  const room = await stage.room();
  const refs = await posted(stage, room, "as it was");
  done(await stage.edit(room, refs, { text: "as it was" }), refs, "an edit to the same text");
  await stage.harness.settle();
  await stands(stage, room, "as it was");
}

async function editsOfLongTexts(stage: Stage): Promise<void> {
  const room = await stage.room();
  let refs = await posted(stage, room, longFor(stage));
  refs = done(await stage.edit(room, refs, { text: "now it is short" }), refs, "an edit of a long message");
  await stands(stage, room, "now it is short");
  const long = longFor(stage);
  refs = done(await stage.edit(room, refs, { text: long }), refs, "an edit that makes a message long");
  await stands(stage, room, long);
  done(await stage.edit(room, refs, { text: "short again" }), refs, "an edit of a long message");
  await stands(stage, room, "short again");
}

async function deletionsTakeAll(stage: Stage): Promise<void> {
  const room = await stage.room();
  const refs = await posted(stage, room, longFor(stage));
  const stays = await posted(stage, room, "stays");
  done(await stage.erase(room, refs), refs, "a deletion");
  await stands(stage, room, "stays");
  done(await stage.erase(room, refs), refs, "a deletion of what is gone");
  await stands(stage, room, "stays");
  expect(stays.length, "messages of the other post").toBeGreaterThan(0);
}

function emojis({ person, channel }: Room): readonly string[] {
  return person.heard(channel.name).flatMap(({ reactions }) => reactions ?? []);
}

async function reactionsStand(stage: Stage): Promise<void> {
  const room = await stage.room();
  const [target] = await posted(stage, room, "what a day");
  if (target === undefined) return;
  const bob = anAuthor("bob");
  const react = async (
    emoji: string,
    on: boolean,
    names: readonly string[],
    author = bob,
    others: readonly StandingReaction[] = [],
  ): Promise<void> => {
    done(await stage.react(room, target, { emoji, on, author, names, others }), [], `a reaction ${emoji} ${on}`);
  };
  const stand = async (wanted: readonly string[]): Promise<void> => {
    await stage.until(
      () => new Set(emojis(room)).size === wanted.length && wanted.every((emoji) => emojis(room).includes(emoji)),
      () => `the reactions ${wanted.join(" ") || "to go"}; there are ${emojis(room).join(" ")}`,
    );
  };
  await react("👍", true, ["alice"], anAuthor("alice"));
  await stand(["👍"]);
  await react("👍", true, ["alice", "bob"]);
  await react("👍", true, ["alice", "bob"]);
  await react("👍", false, ["alice"]);
  await stage.harness.settle();
  await stand(["👍"]);
  await react("🎉", true, ["bob"], bob, [{ emoji: "👍", names: ["alice"] }]);
  await stand(["👍", "🎉"].slice(-(stage.harness.reactionsMost ?? 2)));
  await react("👍", false, [], anAuthor("alice"), [{ emoji: "🎉", names: ["bob"] }]);
  await stand(["🎉"]);
}

async function refsOutliveSessions(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { ops } = stage.capabilities;
  const edited = await posted(stage, room, "one");
  const deleted = await posted(stage, room, "two");
  const again = await stage.reopen(room);
  if (ops.react === "native") {
    const outcome = await stage.react(again, edited[0] as MessageRef, { emoji: "👍", on: true, names: ["alice"] });
    done(outcome, [], "a reaction by another session");
    await stage.until(
      () => emojis(room).includes("👍"),
      () => "the reaction of another session",
    );
  }
  if (ops.delete === "native") done(await stage.erase(again, deleted), [], "a deletion by another session");
  if (ops.edit === "native") done(await stage.edit(again, edited, { text: "three" }), [], "an edit by another session");
  await stands(stage, room, `${ops.edit === "native" ? "three" : "one"}${ops.delete === "native" ? "" : "two"}`);
}

async function changesDoNotComeBack(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { ops } = stage.capabilities;
  const refs = await posted(stage, room, "ours");
  if (ops.react === "native")
    await stage.react(room, refs[0] as MessageRef, { emoji: "👍", on: true, names: ["alice"] });
  if (ops.edit === "native") await stage.edit(room, refs, { text: "ours, changed" });
  if (ops.delete === "native") await stage.erase(room, refs);
  await room.person.say(room.channel.name, "theirs");
  await stage.taken(room.host, 1);
  await stage.harness.settle();
  const kinds = room.host.events.filter(({ echoOf }) => echoOf === null).map(({ kind }) => kind);
  expect(kinds, "what we changed ourselves came back as an event without echoOf").toEqual(["posted"]);
}

async function changesWithoutAConnection(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { ops } = stage.capabilities;
  const refs = await posted(stage, room, "before the storm");
  await stage.harness.cut();
  await stage.within(room.session.ended, "`ended` after the connection was cut");
  const outcomes = [
    ...(ops.edit === "native" ? [await stage.edit(room, refs, { text: "late" })] : []),
    ...(ops.delete === "native" ? [await stage.erase(room, refs)] : []),
    ...(ops.react === "native"
      ? [await stage.react(room, refs[0] as MessageRef, { emoji: "👍", on: true, names: ["alice"] })]
      : []),
  ];
  for (const outcome of outcomes) expect(outcome.is, "a change on a session that has ended").toBe("deferred");
}

const changesMessages = ({ ops }: Capabilities): boolean =>
  [ops.edit, ops.delete, ops.react].some((level) => level === "native");

export const changing: readonly Case[] = [
  {
    name: "an edit replaces the message, again and again",
    when: ({ ops }) => ops.edit === "native",
    run: editsReplace,
  },
  { name: "an edit to the same text is delivered", when: ({ ops }) => ops.edit === "native", run: sameTextAgain },
  {
    name: "an edit of a message in several parts leaves nothing of it behind",
    when: ({ ops }) => ops.edit === "native",
    run: editsOfLongTexts,
  },
  { name: "a deletion takes all parts away", when: ({ ops }) => ops.delete === "native", run: deletionsTakeAll },
  {
    name: "a reaction stands as long as somebody keeps it",
    when: ({ ops }) => ops.react === "native",
    run: reactionsStand,
  },
  {
    name: "a later session changes what an earlier one posted",
    when: changesMessages,
    run: refsOutliveSessions,
  },
  {
    name: "what we change does not come back as an event",
    when: changesMessages,
    run: changesDoNotComeBack,
  },
  {
    name: "changes on a session that has ended are deferred",
    when: changesMessages,
    run: changesWithoutAConnection,
  },
];
