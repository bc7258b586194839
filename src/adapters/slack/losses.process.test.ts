import { describe, expect, test } from "vitest";
import { CountingClock, RecordingHost } from "../../../test/contract/recording-host.ts";
import { begin, joinChannel, live, type SlackTown, slackTown, stop, toldBy, until } from "./town.suite.ts";

/** The time of the system, in which a sweep comes when a test says so. */
class SweepClock extends CountingClock {
  #aheadMs = 0;
  #sweep: (() => void) | null = null;
  #late: (() => void) | null = null;

  override monoMs(): number {
    return super.monoMs() + this.#aheadMs;
  }

  override after(ms: number, task: () => void): () => void {
    if (ms === 3_000) this.#late = task;
    if (ms !== 6_000) return super.after(ms, task);
    this.#sweep = task;
    return () => void (this.#sweep = null);
  }

  /** A minute later, or more, it is looked for what was not told. */
  sweep(town: SlackTown, ms = 61_000): void {
    this.pass(town, ms);
    this.#sweep?.();
  }

  /** A look has taken too long. */
  late(): void {
    this.#late?.();
  }

  pass({ server }: SlackTown, ms: number): void {
    this.#aheadMs += ms;
    server.world.clock.pass(ms);
  }
}

/** Until the turn of a channel comes where there are very many. */
const LONG_MS = 30 * 60_000;

const histories = (requests: readonly string[]): number =>
  requests.filter((one) => one.endsWith("/conversations.history")).length;

describe("what the socket loses", () => {
  test("is told by a sweep: messages, edits, deletions, reactions and replies, and nothing twice", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    const [changed, erased, liked] = [
      alice.say(channel, "one"),
      alice.say(channel, "two"),
      alice.say(channel, "three"),
    ];
    const root = alice.say(channel, "root");
    await until(host, "Alice: root");
    // It begins to count when a channel is seen.
    clock.sweep(town);
    server.hub.lose = 6;
    alice.say(channel, "lost");
    alice.edit(changed, "one, edited");
    alice.erase(erased);
    alice.react(liked, "heart");
    alice.say(channel, "lost answer", { thread: root });
    alice.say(channel, "lost for all", { thread: root, broadcast: true });
    server.world.clock.pass(30_000);
    alice.say(channel, "heard");
    await until(host, "Alice: heard");
    expect(toldBy(host)).toEqual(["Alice: one", "Alice: two", "Alice: three", "Alice: root", "Alice: heard"]);
    clock.sweep(town);
    await until(host, "deleted");
    expect(toldBy(host).slice(5)).toEqual([
      "Alice: lost",
      "Alice: lost answer",
      "Alice: lost for all",
      "Alice edits: one, edited",
      "Alice +❤️",
      "deleted",
    ]);
    const count = histories(server.requests);
    clock.sweep(town);
    await until(host, () => histories(server.requests) > count);
    alice.say(channel, "over");
    await until(host, "Alice: over");
    expect(toldBy(host)).toHaveLength(12);
  });

  test("is told by a sweep that comes to the channel much later, or by the next session", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const first = await live(town, { host: new RecordingHost(clock) });
    clock.sweep(town);
    server.hub.lose = 1;
    alice.say(channel, "lost");
    clock.pass(town, LONG_MS);
    for (let at = 1; at <= 250; at += 1) alice.say(channel, `heard ${at}`);
    await until(first.host, "Alice: heard 250");
    clock.sweep(town, LONG_MS);
    await until(first.host, "Alice: lost");
    server.hub.lose = 1;
    alice.say(channel, "lost again");
    clock.pass(town, LONG_MS);
    alice.say(channel, "heard");
    await until(first.host, "Alice: heard");
    await stop(first);
    const second = await live(town, { before: first });
    await until(second.host, "Alice: lost again");
    alice.say(channel, "over");
    await until(second.host, "Alice: over");
    expect(toldBy(second.host).slice(250)).toEqual(["Alice: lost", "Alice: heard", "Alice: lost again", "Alice: over"]);
  });

  test("an edit that was told, of a message that so many follow that it is kept no more, is not told by a sweep", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    const row = alice.say(channel, "old");
    for (let at = 1; at <= 25; at += 1) alice.say(channel, `heard ${at}`);
    await until(host, "Alice: heard 25");
    clock.sweep(town);
    clock.pass(town, LONG_MS);
    alice.say(channel, "later");
    await until(host, "Alice: later");
    for (const text of ["old, edited", "over"]) {
      const count = histories(server.requests);
      clock.sweep(town);
      await until(host, () => histories(server.requests) > count);
      if (text === "over") alice.say(channel, text);
      else alice.edit(row, text);
      await until(host, () => toldBy(host).at(-1)?.endsWith(text) === true);
    }
    expect(toldBy(host).slice(26)).toEqual(["Alice: later", "Alice edits: old, edited", "Alice: over"]);
  });

  test("nor is it told by the next session", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    const first = await live(town);
    const row = alice.say(channel, "young");
    for (let at = 1; at <= 25; at += 1) alice.say(channel, `heard ${at}`);
    alice.edit(row, "young, edited");
    alice.say(channel, "later");
    await until(first.host, "Alice: later");
    await stop(first);
    const second = await live(town, { before: first });
    alice.say(channel, "over");
    await until(second.host, "Alice: over");
    expect(toldBy(second.host).slice(26)).toEqual(["Alice edits: young, edited", "Alice: later", "Alice: over"]);
  });

  test("an edit that was not told, of such a message, is told by a sweep, also where the message is young", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    const row = alice.say(channel, "young");
    for (let at = 1; at <= 25; at += 1) alice.say(channel, `heard ${at}`);
    await until(host, "Alice: heard 25");
    clock.sweep(town);
    server.hub.lose = 1;
    alice.edit(row, "young, edited");
    clock.sweep(town);
    await until(host, "Alice edits: young, edited");
    const count = histories(server.requests);
    clock.sweep(town);
    await until(host, () => histories(server.requests) > count);
    alice.say(channel, "over");
    await until(host, "Alice: over");
    expect(toldBy(host).slice(26)).toEqual(["Alice edits: young, edited", "Alice: over"]);
  });

  test("is told by several looks where one cannot ask for it all, be it in the channel or in a thread", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    server.history.smallPages = true;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    clock.sweep(town);
    const root = alice.say(channel, "root");
    server.hub.lose = 19;
    alice.say(channel, "lost");
    for (let at = 1; at <= 18; at += 1) alice.say(channel, `lost answer ${at}`, { thread: root });
    clock.pass(town, LONG_MS);
    for (let at = 1; at <= 40; at += 1) alice.say(channel, `heard ${at}`);
    await until(host, "Alice: heard 40");
    for (const method of ["conversations.history", "conversations.replies"]) server.limits.set(method, 1, 60_000);
    const words: string[] = [];
    const look = async (isCut: boolean): Promise<void> => {
      const { refused } = server.limits;
      clock.sweep(town, 600_000);
      if (isCut) await until(host, () => server.limits.refused > refused);
      if (isCut) clock.late();
      words.push(`Alice: look ${words.length + 1}`);
      alice.say(channel, words.at(-1)?.slice(7) ?? "");
      await until(host, words.at(-1) ?? "");
    };
    // Two pages of the channel, the last one and a page of the thread, and the rest of that.
    for (const isCut of [true, true, true, false]) await look(isCut);
    await until(host, "Alice: lost answer 18");
    const count = server.requests.length;
    clock.sweep(town, 600_000);
    await until(host, () => histories(server.requests.slice(count)) === 1);
    alice.say(channel, "over");
    await until(host, "Alice: over");
    const answers = Array.from({ length: 18 }, (_, at) => `Alice: lost answer ${at + 1}`);
    expect(toldBy(host).filter((one) => one.includes("lost"))).toEqual(["Alice: lost", ...answers]);
    expect(server.requests.slice(count).filter((one) => one.endsWith("/conversations.replies"))).toEqual([]);
    expect(toldBy(host)).toHaveLength(1 + 19 + 40 + words.length + 1);
  });

  test("what the history does not have yet is not taken for deleted, neither by a sweep nor after a gap", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const first = await live(town, { host: new RecordingHost(clock) });
    clock.sweep(town);
    const old = alice.say(channel, "old");
    await until(first.host, "Alice: old");
    clock.pass(town, 61_000);
    alice.say(channel, "young");
    await until(first.host, "Alice: young");
    const late = { json: { ok: true, messages: [old.wire], has_more: false } };
    const count = histories(server.requests);
    server.faults.answer({ path: "/conversations.history" }, late, 2);
    clock.sweep(town, 0);
    await until(first.host, () => histories(server.requests) === count + 1);
    // It waits for the look.
    const younger = alice.say(channel, "younger");
    await until(first.host, "Alice: younger");
    await stop(first);
    alice.erase(younger);
    const second = await live(town, { before: first });
    await until(second.host, () => histories(server.requests) === count + 3);
    alice.say(channel, "over");
    await until(second.host, "Alice: over");
    expect(second.host.events.find(({ kind }) => kind === "deleted")).toMatchObject({ message: younger.wire.ts });
    expect(toldBy(second.host)).toEqual(["Alice: old", "Alice: young", "Alice: younger", "deleted", "Alice: over"]);
  });

  test("what is said while a sweep asks is told once", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    clock.sweep(town);
    const row = alice.say(channel, "one");
    await until(host, "Alice: one");
    const release = server.faults.hold({ path: "/conversations.history" });
    const count = histories(server.requests);
    clock.sweep(town);
    await until(host, () => histories(server.requests) > count);
    alice.react(row, "heart");
    alice.say(channel, "two");
    release();
    await until(host, "Alice: two");
    expect(toldBy(host)).toEqual(["Alice: one", "Alice +❤️", "Alice: two"]);
  });

  test("while the history is limited, no sweep asks, and all the rest goes on", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const clock = new SweepClock();
    const { host } = await live(town, { host: new RecordingHost(clock) });
    clock.sweep(town);
    server.limit({ path: "/conversations.history" }, 30);
    const count = histories(server.requests);
    clock.sweep(town);
    await until(host, () => histories(server.requests) === count + 1);
    alice.say(channel, "one");
    await until(host, "Alice: one");
    clock.sweep(town);
    clock.sweep(town);
    alice.say(channel, "two");
    await until(host, "Alice: two");
    expect([histories(server.requests), server.limits.impatient]).toEqual([count + 1, 0]);
  });
});

describe("connections", () => {
  test("a refresh in the middle of a burst loses and doubles nothing", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const { host } = await live(town);
    server.sockets.graceMs = 500;
    const words: string[] = [];
    for (let at = 0; at < 300; at += 1) {
      if (at === 100) server.sockets.disconnect("refresh_requested");
      if (at % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      alice.say(channel, `m${at}`);
      words.push(`Alice: m${at}`);
    }
    await until(host, "Alice: m299");
    await until(host, () => toldBy(host).length >= 300 && server.sockets.greeted === 2);
    // Two connections at once keep no order between them, but for what comes of both within a moment.
    expect(toldBy(host).toSorted()).toEqual(words.toSorted());
  });

  test("what is not on the disk is not acknowledged", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    server.hub.ackMs = 60_000;
    const { host } = await live(town);
    await until(host, () => server.hub.waiting === 0);
    host.hold();
    alice.say(channel, "one");
    await until(host, "Alice: one");
    expect(server.hub.waiting).toBe(1);
    host.release();
    await until(host, () => server.hub.waiting === 0);
  });

  test("what is too much to wait for the history is read from it, and acknowledged", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    server.hub.ackMs = 60_000;
    const first = await live(town);
    await stop(first);
    alice.say(channel, "missed");
    const release = server.faults.hold({ path: "/conversations.history" });
    const second = await live(town, { before: first });
    const words = Array.from({ length: 2_100 }, (_, at) => `Alice: ${at}`);
    for (let at = 0; at < words.length; at += 1) alice.say(channel, String(at));
    await until(second.host, () => server.hub.acknowledged.length >= 2_000);
    release();
    await until(second.host, `Alice: ${words.length - 1}`);
    await until(second.host, () => server.hub.waiting === 0);
    expect(toldBy(second.host)).toEqual(["Alice: missed", ...words]);
  });

  test("an event that comes again to the next session is told once", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    server.hub.ignoreAcks = true;
    server.hub.retryMs = [0, 50, 50];
    const row = alice.say(channel, "one");
    alice.react(row, "heart");
    await until(first.host, "Alice +❤️");
    await stop(first);
    server.hub.ignoreAcks = false;
    const second = await live(town, { before: first });
    await until(second.host, () => server.hub.waiting === 0);
    alice.say(channel, "two");
    await until(second.host, "Alice: two");
    expect(toldBy(second.host)).toEqual(["Alice: one", "Alice +❤️", "Alice: two"]);
  });

  test("three hundred channels are joined, and what was missed in them is told", async () => {
    const town = await slackTown();
    const { alice, app, server, team } = town;
    server.limits.set("conversations.history", 1000, 1000);
    const names = Array.from({ length: 300 }, (_, at) => `room${at}`);
    const rooms = names.map((name) => server.world.addChannel(team.id, name, alice.id));
    for (const room of rooms) room.members.add(app.user.id);
    const first = await begin(town);
    await Promise.all(names.map(async (name) => await joinChannel(first, name)));
    await stop(first);
    for (const room of rooms) alice.say(room, `in ${room.name}`);
    const second = await begin(town, { before: first });
    await Promise.all(names.map(async (name) => await joinChannel(second, name)));
    await until(second.host, () => toldBy(second.host).length >= 300);
    expect(toldBy(second.host).toSorted()).toEqual(names.map((name) => `Alice: in ${name}`).toSorted());
    expect(server.requests.filter((one) => one.includes("/users.conversations")).length).toBeLessThan(10);
    // Named by their ids, too, only a few are asked for one by one.
    await stop(second);
    const third = await begin(town, { before: second });
    await Promise.all(rooms.map(async ({ id }) => await joinChannel(third, `ID:${id}`)));
    expect(server.requests.filter((one) => one.includes("/conversations.info"))).toHaveLength(5);
  });
});
