import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { eventually } from "../../../test/support/wait.ts";
import { actAgain } from "./acts.ts";
import { Chat, isRefusal } from "./chat.ts";
import { WebDesk } from "./desk.ts";
import { react } from "./reacting.ts";
import { reword, say, takeBack } from "./saying.ts";
import { ADMISSION, ANN, DEFAULTS } from "./samples.suite.ts";
import { StoreClosed } from "./store/store.ts";

const ROOM = ANN.room;

/** A chat server over one folder and one log, which can die at any moment. */
class World {
  readonly log = new RecordingHost();
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-chat-acts-"));
  chat = this.#open();

  static async open(): Promise<World> {
    const world = new World();
    onTestFinished(async () => {
      await world.chat.store.close();
      rmSync(world.folder, { recursive: true });
    });
    await world.chat.store.write(() => world.chat.people.add(ANN, "ann", ADMISSION));
    return world;
  }

  async says(text: string): Promise<string> {
    const said = await say(this.chat, ANN, text, { text, reply: null, files: [] });
    if (isRefusal(said)) throw new Error(said.detail);
    return said.message.id;
  }

  /** As many wait for the log as may; they do once this resolves, and until `release`. */
  fill(): Promise<unknown> {
    const [event] = this.log.events;
    if (event === undefined) throw new Error("nothing was said");
    this.log.hold();
    return Promise.all(Array.from({ length: 256 }, async () => await this.chat.hand(event)));
  }

  async hears(text: string): Promise<void> {
    await eventually(
      () => Promise.resolve(this.edits()),
      (edits) => edits.includes(text),
      () => `the log to have ${text}`,
    );
  }

  edits(): readonly string[] {
    return this.log.events.flatMap((event) => (event.kind === "edited" ? [event.body.source.text] : []));
  }

  /** As a crash leaves it. */
  async leaves(message: string, text: string): Promise<void> {
    const act = { is: "edited", text, nonce: "n" } as const;
    await this.chat.store.write(() => this.chat.intents.add({ room: ROOM, message, act }));
  }

  /** Dies when the log has what is done, and the store has not; then there is another one. */
  async diesWithin(does: () => Promise<unknown>): Promise<void> {
    const before = this.log.events.length;
    this.log.hold();
    const done = does();
    await eventually(
      () => Promise.resolve(this.log.events.length),
      (count) => count > before,
      () => "the log to have it",
    );
    await this.chat.store.close();
    this.log.release();
    await done.catch(() => undefined);
    this.chat = this.#open();
  }

  #open(): Chat {
    const chat = new Chat(DEFAULTS, this.log, this.folder, () => undefined);
    chat.rooms.add(ROOM);
    return chat;
  }
}

test("a message that is taken back is gone everywhere, also when Rialto dies between the log and its store", async () => {
  const world = await World.open();
  const id = await world.says("frist");
  await world.diesWithin(async () => await takeBack(world.chat, ANN, id));
  expect(await actAgain(world.chat, ROOM)).toBe(true);
  expect(world.chat.timeline.find(id)).toMatchObject({ state: "gone", text: "", print: "deleted" });
  expect(world.chat.intents.all(ROOM)).toEqual([]);
  // The log has it once: it knows the key.
  const keys = world.log.events.filter(({ kind }) => kind === "deleted").map(({ key }) => key);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect(await takeBack(world.chat, ANN, id)).toBeNull();
});

test("so is what an operator deletes, and so do an edit and a reaction stand, in the order in which they were asked", async () => {
  const world = await World.open();
  const [one, two] = [await world.says("one"), await world.says("two")];
  await world.diesWithin(async () => await new WebDesk(world.chat).act(ANN.id, "purge"));
  await world.diesWithin(
    async () =>
      await Promise.all([
        reword(world.chat, ANN, two, "two, better"),
        react(world.chat, ANN, { message: two, emoji: "👍", on: true }),
      ]),
  );
  const again = actAgain(world.chat, ROOM);
  const best = reword(world.chat, ANN, two, "two, best");
  await Promise.all([again, best]);
  expect(world.chat.timeline.find(one)?.state).toBe("gone");
  expect(world.chat.timeline.find(two)).toMatchObject({ text: "two, best", state: "said" });
  expect(world.edits()).toEqual(["two, better", "two, better", "two, best"]);
});

test("an act that is given up while the room is joined again is not done either", async () => {
  const world = await World.open();
  const id = await world.says("as it was");
  const { chat } = world;
  const intent = await chat.store.write(() =>
    chat.intents.add({ room: ROOM, message: id, act: { is: "edited", text: "as it is", nonce: "n" } }),
  );
  const gaveUp = chat.turns.run(id, async () => await chat.store.write(() => chat.intents.remove(intent)));
  expect(await Promise.all([gaveUp, actAgain(chat, ROOM)])).toEqual([true, true]);
  expect(chat.timeline.find(id)?.text).toBe("as it was");
  expect(world.log.events.map(({ kind }) => kind)).toEqual(["posted"]);
});

test("of two tries at once under one key, both are told of the one message, also in slow mode and with a file", async () => {
  const world = await World.open();
  const { chat } = world;
  const file = { id: "f1", room: ROOM, guest: ANN.id, message: "", name: "a", mime: "", bytes: 1, atMs: chat.nowMs };
  await chat.store.write(() => {
    chat.records.addFile(file);
    chat.records.setRules(ROOM, { slowModeS: 60 });
  });
  const draft = { text: "once", reply: null, files: ["f1"] };
  const both = await Promise.all([say(chat, ANN, "key", draft), say(chat, ANN, "key", draft)]);
  expect(both.map((said) => (isRefusal(said) ? said.refused : said.message.text))).toEqual(["once", "once"]);
  expect(new Set(world.log.posted.map(({ key }) => key)).size).toBe(1);
  const other = await say(chat, ANN, "other", { ...draft, text: "the same file" });
  expect(other).toMatchObject({ refused: "not_found" });
});

test("what waits while the log takes nothing has a limit, and whoever comes then is told", async () => {
  const world = await World.open();
  const id = await world.says("much to say about it");
  world.log.hold();
  const texts = Array.from({ length: 257 }, (_, at) => `edit ${at}`);
  const edits = texts.map(async (text) => await reword(world.chat, ANN, id, text));
  expect(await edits.at(-1)).toMatchObject({ refused: "unavailable" });
  await world.hears("edit 0");
  // What waits its turn finds the store closed then.
  await world.chat.store.close();
  world.log.release();
  for (const edit of await Promise.all(edits)) expect(edit).toMatchObject({ refused: "unavailable" });
  expect(world.edits()).toEqual(["edit 0"]);
});

test("what a crash has left is done before anything newer, however many wait for the log", async () => {
  const world = await World.open();
  const [one, two] = [await world.says("one"), await world.says("two")];
  await world.leaves(one, "one, old");
  const full = world.fill();
  expect(await reword(world.chat, ANN, two, "two, new")).toMatchObject({ refused: "unavailable" });
  const again = actAgain(world.chat, ROOM);
  const newer = reword(world.chat, ANN, one, "one, new");
  await world.hears("one, old");
  world.log.release();
  expect(await again).toBe(true);
  await Promise.all([full, newer]);
  // Also where nothing of it was done until then.
  await world.leaves(two, "two, old");
  await reword(world.chat, ANN, two, "two, new");
  expect(await actAgain(world.chat, ROOM)).toBe(true);
  expect(world.edits()).toEqual(["one, old", "one, new", "two, old", "two, new"]);
  expect([one, two].map((id) => world.chat.timeline.find(id)?.text)).toEqual(["one, new", "two, new"]);
});

test("a session that ends while it does what a crash has left ends without trouble", async () => {
  const world = await World.open();
  const ids = [await world.says("one"), await world.says("two"), await world.says("three")];
  for (const id of ids) await world.leaves(id, "old");
  const { promise: busy, resolve } = Promise.withResolvers<void>();
  const turn = world.chat.inTurn(ids[2] ?? "", async () => await busy);
  const again = actAgain(world.chat, ROOM);
  world.log.hold();
  await world.hears("old");
  await world.chat.store.close();
  world.log.release();
  await new Promise(setImmediate);
  resolve();
  await turn;
  await expect(again).rejects.toThrow(StoreClosed);
});

test("slow mode does not count an edit that the log did not take", async () => {
  const world = await World.open();
  const id = await world.says("as it was");
  await world.chat.store.write(() => world.chat.records.setRules(ROOM, { slowModeS: 60 }));
  const full = world.fill();
  expect(await reword(world.chat, ANN, id, "as it is")).toMatchObject({ refused: "unavailable" });
  world.log.release();
  await full;
  expect(await reword(world.chat, ANN, id, "as it is")).toMatchObject({ text: "as it is" });
  expect(await reword(world.chat, ANN, id, "once more")).toMatchObject({ refused: "slow_mode" });
});

test("who is banned stays known, and the name stays taken, but no place in the room", async () => {
  const { chat } = await World.open();
  await chat.store.write(() => chat.people.set(ANN.id, "banned", true));
  await chat.prune();
  expect(chat.people.isFree(ROOM, "ann")).toBe(false);
  expect(chat.people.count(ROOM)).toBe(0);
  await chat.store.write(() => chat.people.set(ANN.id, "banned", false));
  await chat.prune();
  expect(chat.people.isFree(ROOM, "ann")).toBe(true);
});

test("what the log does not take is not done, and not done later", async () => {
  const world = await World.open();
  const id = await world.says("as it was");
  world.chat.quiet();
  expect(await takeBack(world.chat, ANN, id)).toMatchObject({ refused: "unavailable" });
  expect(await reword(world.chat, ANN, id, "as it is")).toMatchObject({ refused: "unavailable" });
  expect(world.chat.intents.all(ROOM)).toEqual([]);
  expect(world.chat.timeline.find(id)).toMatchObject({ text: "as it was", state: "said" });
});
