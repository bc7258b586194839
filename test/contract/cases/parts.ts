import { expect } from "vitest";
import { END } from "../../../src/contract/ids.ts";
import type { Outcome } from "../../../src/contract/outcome.ts";
import { RecordingAttempt } from "../recording-attempt.ts";
import { type Room, type Stage, textOf } from "../stage.ts";
import { withoutSpace } from "../texts.ts";
import type { Case } from "./case.ts";
import { longFor } from "./long.ts";

/** All that the person has heard of one post, white space left out. */
function whole({ person, channel }: Room): string {
  const lines = person.heard(channel.name);
  return withoutSpace(lines.map((heard, at) => textOf(heard, undefined, at === 0 ? "first" : "later")).join(""));
}

async function expectWhole(stage: Stage, room: Room, text: string): Promise<void> {
  const wanted = withoutSpace(text);
  await stage.until(
    () => whole(room).length >= wanted.length,
    () => `the whole text of ${wanted.length} characters; ${whole(room).length} are there`,
  );
  await stage.harness.settle();
  expect(whole(room)).toBe(wanted);
}

async function longTextsArriveWhole(stage: Stage): Promise<void> {
  const room = await stage.room();
  const text = longFor(stage);
  await stage.deliver(room, { text });
  await expectWhole(stage, room, text);
  expect(room.person.heard(room.channel.name).length, "the text is longer than one part").toBeGreaterThan(1);
}

async function textsWithoutSpaceArriveWhole(stage: Stage): Promise<void> {
  const room = await stage.room();
  const text = withoutSpace(longFor(stage));
  await stage.deliver(room, { text });
  await expectWhole(stage, room, text);
}

async function newlinesArrive(stage: Stage): Promise<void> {
  const room = await stage.room();
  const lines = ["first line", "second line", "", "  indented", "last line"];
  await stage.deliver(room, { text: lines.join("\n") });
  await expectWhole(stage, room, lines.join("\n"));
  const rows = room.person.heard(room.channel.name).flatMap((heard) => heard.text.split("\n"));
  for (const line of lines.filter((one) => one !== "")) {
    expect(rows.filter((row) => row.endsWith(line.trimStart())).length, `rows that end with "${line}"`).toBe(1);
  }
}

async function partsOfTwoPostsDoNotMix(stage: Stage): Promise<void> {
  const room = await stage.room();
  const texts = [longFor(stage), "between", longFor(stage)];
  await Promise.all(texts.map(async (text) => await stage.deliver(room, { text })));
  await expectWhole(stage, room, texts.join(""));
}

/** A gate per announcement: the test opens them one by one. */
class Gates {
  readonly #gates: PromiseWithResolvers<boolean>[] = [];
  readonly answer = async (nth: number): Promise<boolean> => await this.#at(nth).promise;

  open(nth: number): void {
    this.#at(nth).resolve(true);
  }

  #at(nth: number): PromiseWithResolvers<boolean> {
    return (this.#gates[nth] ??= Promise.withResolvers());
  }
}

async function nothingLeavesUnannounced(stage: Stage): Promise<void> {
  const room = await stage.room();
  const text = longFor(stage);
  const gates = new Gates();
  const attempt = new RecordingAttempt(gates.answer);
  const { outcome, ended } = stage.post(room, { text }, attempt);
  const counts: number[] = [];
  for (let open = 0; !ended(); open += 1) {
    await stage.until(
      () => ended() || attempt.announced.length > open,
      () => `announcement ${open + 1}, or the outcome`,
    );
    if (ended()) break;
    await stage.harness.settle();
    counts.push(room.person.heard(room.channel.name).length);
    gates.open(open);
  }
  expect((await outcome).is, "how the post ended").toBe("delivered");
  expect(counts.length, "the post ended before its announcements had been answered").toBe(attempt.announced.length);
  await expectWhole(stage, room, text);
  const all = room.person.heard(room.channel.name).length;
  expect(counts.length, "a post in several parts announces each of them").toBeGreaterThan(1);
  expect(counts[0], "lines that left before the first announcement was durable").toBe(0);
  expect(counts.at(-1), "lines that left before the last announcement was durable").toBeLessThan(all);
  expect(attempt.announced.at(-1), "the last announcement is END").toBe(END);
  expect(attempt.announced.indexOf(END), "END is announced last").toBe(attempt.announced.length - 1);
}

async function refusedAnnouncementSendsNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  const outcome = await stage.post(room, { text: "not now" }, new RecordingAttempt(() => false)).outcome;
  expect(outcome.is, "a post whose announcement was refused").toBe("deferred");
  await stage.harness.settle();
  expect(room.person.heard(room.channel.name), "something left without leave").toEqual([]);
  await stage.deliver(room, { text: "now", attempt: 2 });
  await stage.heard(room, 1);
}

async function resumesAfterRefusal(stage: Stage): Promise<void> {
  const room = await stage.room();
  const text = longFor(stage);
  const attempt = new RecordingAttempt((nth) => nth === 0);
  const { op, outcome } = stage.post(room, { text }, attempt);
  expect((await outcome).is, "a post whose second announcement was refused").toBe("deferred");
  const first = attempt.confirmed.at(-1);
  if (first === undefined)
    throw new Error("a post ended as deferred while its first part was in doubt: sent() was not called");
  expect(first, "what was confirmed is what was announced").toBe(attempt.allowed.at(-1));
  await stage.deliver(room, { text, id: op.id, attempt: 2, resume: first });
  await expectWhole(stage, room, text);
}

async function resumesAfterAbort(stage: Stage): Promise<void> {
  const room = await stage.room();
  const text = longFor(stage);
  const attempt = new RecordingAttempt();
  attempt.onSent = () => attempt.abort();
  const { op, outcome } = stage.post(room, { text }, attempt);
  const ended = await outcome;
  if (ended.is === "delivered") return await expectWhole(stage, room, text);
  expect(["deferred", "unknown"], "how an aborted post ends").toContain(ended.is);
  const resume = afterwards(ended, attempt);
  if (resume === END) return;
  await stage.deliver(room, { text, id: op.id, attempt: 2, resume });
  await expectWhole(stage, room, text);
}

/**
 * Where the core goes on: behind what is in doubt where a repetition would show, behind what is confirmed elsewhere.
 */
function afterwards(ended: Outcome, attempt: RecordingAttempt): (typeof attempt.confirmed)[number] | null {
  if (ended.is === "unknown" && ended.upTo !== undefined) return ended.upTo;
  const behind = ended.is === "unknown" && attempt.allowed.length > 0 ? attempt.allowed : attempt.confirmed;
  return behind.at(-1) ?? null;
}

async function abortEndsAWait(stage: Stage): Promise<void> {
  const room = await stage.room();
  const hanging = new RecordingAttempt(async () => await new Promise(() => undefined));
  const { outcome } = stage.post(room, { text: "never sent" }, hanging);
  await stage.until(
    () => hanging.announced.length > 0,
    () => "the announcement",
  );
  hanging.abort();
  expect((await outcome).is, "a post aborted before it was sent").toBe("deferred");
  const early = new RecordingAttempt();
  early.abort();
  expect((await stage.post(room, { text: "never sent" }, early).outcome).is, "a post aborted before it began").toBe(
    "deferred",
  );
  await stage.harness.settle();
  expect(room.person.heard(room.channel.name), "something left after the abort").toEqual([]);
  await stage.deliver(room, { text: "and on" });
  await stage.heard(room, 1);
}

async function oneHangingPostStopsNoOtherChannel(stage: Stage): Promise<void> {
  const room = await stage.room();
  const [, second] = stage.harness.channels;
  await room.person.join(second);
  const ref = await stage.join(room.session, second);
  const hanging = new RecordingAttempt(async () => await new Promise(() => undefined));
  const { outcome } = stage.post(room, { text: "never sent" }, hanging);
  await stage.until(
    () => hanging.announced.length > 0,
    () => "the announcement",
  );
  const { outcome: other } = stage.post({ session: room.session, ref }, { text: "elsewhere" });
  await stage.harness.settle();
  hanging.abort();
  await outcome;
  expect((await other).is, "a post in another channel").toBe("delivered");
  await stage.heard({ person: room.person, channel: second }, 1);
}

const none: NonNullable<Case["when"]> = ({ idempotency }) => idempotency.by === "none";

export const parts: readonly Case[] = [
  { name: "a long text arrives whole", run: longTextsArriveWhole },
  { name: "a long text without a space arrives whole, no character broken", run: textsWithoutSpaceArriveWhole },
  { name: "lines arrive as lines", run: newlinesArrive },
  {
    name: "the parts of posts at the same time do not mix",
    when: ({ limits }) => limits.inflightMax >= 3,
    run: partsOfTwoPostsDoNotMix,
  },
  { name: "nothing leaves before its announcement is durable", when: none, run: nothingLeavesUnannounced },
  { name: "a refused announcement: deferred, and nothing left", when: none, run: refusedAnnouncementSendsNothing },
  { name: "a post goes on behind what was confirmed", when: none, run: resumesAfterRefusal },
  { name: "a post aborted between its parts goes on behind them", run: resumesAfterAbort },
  { name: "an abort ends a post that waits, and nothing leaves", when: none, run: abortEndsAWait },
  {
    name: "a post that waits delays other channels, and no more than that",
    when: none,
    run: oneHangingPostStopsNoOtherChannel,
  },
];
