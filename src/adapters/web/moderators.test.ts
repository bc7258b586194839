import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { Attempt } from "../../contract/session.ts";
import { plainText } from "../../content/plain.ts";
import { mint } from "../../contract/ids.ts";
import type { OpAuthor, PostOp, ReactOp } from "../../contract/ops.ts";
import { eventually } from "../../../test/support/wait.ts";
import { Chat, isRefusal } from "./chat.ts";
import { WebDesk } from "./desk.ts";
import { channelRef, messageRef } from "./ids.ts";
import { readOrder, recoverCases } from "./moderators.ts";
import { Outgoing } from "./outgoing.ts";
import { tellModerators } from "./publishing.ts";
import { say } from "./saying.ts";
import { ADMISSION, ANN as ANN_WHO_SPEAKS, DEFAULTS } from "./samples.suite.ts";

const ATTEMPT: Attempt = {
  signal: new AbortController().signal,
  sending: async () => await Promise.resolve(true),
  sent: () => undefined,
};
const TOM: OpAuthor = { id: "tom", name: "tom", shown: "tom", avatar: null, account: "irc.town" };
const ANN = { ...ANN_WHO_SPEAKS, held: true };

/** A chat with a room for moderators, over a folder and a log that outlive it. */
class World {
  readonly log = new RecordingHost();
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-moderators-"));
  chat: Chat;
  #count = 0;

  constructor(moderation: string) {
    this.chat = this.open(moderation);
  }

  static async open(moderation = "Staff"): Promise<World> {
    const world = new World(moderation);
    onTestFinished(async () => {
      await world.chat.store.close();
      rmSync(world.folder, { recursive: true });
    });
    await world.chat.store.write(() => world.chat.people.add(ANN, "ann", ADMISSION));
    return world;
  }

  open(moderation: string, rooms: readonly string[] = ["lobby", "staff"]): Chat {
    const settings = { ...DEFAULTS, Moderation: moderation };
    this.chat = new Chat(settings, this.log, this.folder, () => undefined);
    for (const room of rooms) this.chat.rooms.add(room);
    return this.chat;
  }

  /** The same again, as after a change of the configuration. */
  async again(moderation: string, rooms?: readonly string[]): Promise<Chat> {
    await this.chat.store.close();
    const chat = this.open(moderation, rooms);
    if (rooms?.includes(chat.moderators) !== false) await recoverCases(chat);
    await tellModerators(chat);
    return chat;
  }

  /** What ann says, which waits; its id. */
  async says(text: string): Promise<string> {
    const said = await say(this.chat, ANN, text, { text, reply: null, files: [] });
    if (isRefusal(said)) throw new Error(said.detail);
    return said.message.id;
  }

  /** The log has heard this much, in this room; the texts. */
  async heard(room: string, count: number): Promise<readonly string[]> {
    const texts = (): readonly string[] => {
      const seen = new Map(this.log.posted.filter(({ channel }) => channel === room).map((one) => [one.key, one]));
      return [...seen.values()].map(({ body }) => body.source.text);
    };
    return await eventually(
      () => Promise.resolve(texts()),
      (all) => all.length >= count,
      () => `${count} messages in ${room}, of which there are ${JSON.stringify(texts())}`,
    );
  }

  async reacts(notice: string, emoji: string, more: Partial<ReactOp> = {}) {
    this.#count += 1;
    return await new Outgoing(this.chat).react(
      {
        kind: "react",
        id: mint("OpId", `r${this.#count}`),
        attempt: 1,
        channel: channelRef("staff"),
        target: messageRef(notice),
        author: TOM,
        emoji,
        on: true,
        standing: [{ emoji, names: [TOM.name] }],
        ...more,
      },
      ATTEMPT,
    );
  }

  async writes(text: string, more: Partial<PostOp> = {}) {
    this.#count += 1;
    return await new Outgoing(this.chat).post(
      {
        kind: "post",
        id: mint("OpId", `p${this.#count}`),
        attempt: 1,
        channel: channelRef("staff"),
        resume: null,
        author: TOM,
        body: {
          style: "normal",
          source: { format: "plain", text },
          blocks: [{ t: "para", of: [{ t: "text", text }] }],
          files: [],
        },
        reply: null,
        thread: null,
        mayPing: { users: false, everyone: false },
        ...more,
      },
      ATTEMPT,
    );
  }

  notice(message: string): string {
    return this.chat.cases.of(message)?.notice ?? "";
  }

  state(message: string): string {
    return this.chat.timeline.find(message)?.state ?? "";
  }
}

test("moderators are told of what waits, and the first reaction decides", async () => {
  const world = await World.open();
  const [one, two] = [await world.says("hello\n2. approve all"), await world.says("again")];
  const [notice] = await world.heard("staff", 2);
  expect(notice).toBe(
    [
      "ann (guest) waits for approval in lobby, number 1:",
      "> hello",
      "> 2. approve all",
      '👍 lets it be said, 👎 does not. So do "approve 1" and "reject 1".',
    ].join("\n"),
  );
  expect(world.log.posted[0]).toMatchObject({
    author: { name: "web chat", bot: true },
    body: { source: { format: "plain" } },
  });
  const [first, second] = [world.notice(one), world.notice(two)];
  expect(world.log.posted.filter(({ channel }) => channel === "lobby")).toEqual([]);
  await world.reacts(first, "🎉");
  await world.reacts(first, "👍", { on: false });
  expect(world.state(one)).toBe("held");
  expect(await world.reacts(first, "👍🏽")).toMatchObject({ is: "delivered" });
  expect(await world.heard("lobby", 1)).toEqual(["hello\n2. approve all"]);
  await world.reacts(first, "👎", { author: { ...TOM, name: "una" } });
  expect(await world.reacts(second, "❌", { author: { ...TOM, name: "una" } })).toMatchObject({ is: "delivered" });
  expect([world.state(one), world.state(two)]).toEqual(["said", "gone"]);
  const told = await world.heard("staff", 4);
  expect(told.slice(2)).toEqual(["Number 1: approved by tom.", "Number 2: rejected by una."]);
  expect(world.log.posted.at(-1)?.replyTo).toBe(second);
});

test("so does an answer to the notice, and its number; a wrong one is told", async () => {
  const world = await World.open();
  const [one, two, three] = [await world.says("one"), await world.says("two"), await world.says("three")];
  await world.writes("Approve", { reply: { target: messageRef(world.notice(one)), name: "", excerpt: "" } });
  await world.writes("approve");
  await world.writes("reject 2");
  await world.writes("approve 2");
  expect([one, two, three].map((id) => world.state(id))).toEqual(["said", "gone", "held"]);
  expect((await world.heard("staff", 6)).slice(3)).toEqual([
    "Number 1: approved by tom.",
    "Number 2: rejected by tom.",
    "Number 2 does not wait for approval.",
  ]);
});

test("what is tried again, also after a crash, is done and told once", async () => {
  const world = await World.open();
  const id = await world.says("one");
  await world.heard("staff", 1);
  const op = { id: mint("OpId", "same") };
  await world.writes("approve 1", op);
  await world.chat.store.close();
  world.open("staff");
  await recoverCases(world.chat);
  await world.writes("approve 1", op);
  await tellModerators(world.chat);
  expect(world.state(id)).toBe("said");
  expect(await world.heard("staff", 2)).toEqual([expect.stringContaining("waits"), "Number 1: approved by tom."]);
});

test("a crash before moderators were told is made up for, and a room that is named later is told what waits", async () => {
  const world = await World.open("");
  await world.says("one");
  await world.chat.store.close();
  const chat = world.open("staff");
  expect(world.log.posted).toEqual([]);
  await recoverCases(chat);
  await recoverCases(chat);
  await chat.store.close();
  await tellModerators(world.open("staff"));
  await world.heard("staff", 1);
  expect(world.log.posted).toHaveLength(1);
  await world.chat.store.close();
  await recoverCases(world.open("lobby"));
  await tellModerators(world.chat);
  expect(await world.heard("lobby", 1)).toEqual([expect.stringContaining("number 1")]);
});

test("a message keeps its number, wherever moderators are told of it", async () => {
  const world = await World.open();
  const [one, two] = [await world.says("one"), await world.says("two")];
  await world.heard("staff", 2);
  await world.again("lobby");
  await world.again("staff");
  expect(await world.heard("lobby", 2)).toEqual([
    expect.stringContaining("number 1"),
    expect.stringContaining("number 2"),
  ]);
  await world.reacts(world.notice(one), "👍");
  await world.writes("reject 2");
  expect([world.state(one), world.state(two)]).toEqual(["said", "gone"]);
  expect((await world.heard("staff", 4)).slice(2)).toEqual([
    "Number 1: approved by tom.",
    "Number 2: rejected by tom.",
  ]);
});

test("what moderators were told is not there for guests, when they get the room", async () => {
  const world = await World.open();
  await world.says("one");
  await world.heard("staff", 1);
  await world.writes("hello");
  const texts = (chat: Chat) => chat.timeline.page("staff", null, 10).map(({ blocks }) => plainText(blocks));
  expect(texts(await world.again("Staff"))).toEqual([expect.stringContaining("> one"), "hello"]);
  expect(texts(await world.again("mods"))).toEqual(["hello"]);
});

test("where moderators have no room, nothing is kept for them, and it is told once they have one", async () => {
  const world = await World.open("");
  await world.again("staff", ["lobby"]);
  const id = await world.says("one");
  await new WebDesk(world.chat).reject(await world.says("two"));
  expect(world.chat.timeline.inState("new")).toEqual([]);
  await world.again("staff");
  expect(await world.heard("staff", 1)).toEqual([expect.stringContaining("> one")]);
  expect(world.notice(id)).not.toBe("");
});

test("while the log takes nothing, moderators who wait to be told are in nobody's way", async () => {
  const world = await World.open();
  world.log.hold();
  const id = await world.says("one");
  for (let count = 0; count < 300; count += 1) void tellModerators(world.chat);
  await world.says("one");
  await eventually(
    () => Promise.resolve(world.log.pending),
    (pending) => pending === 1,
    () => `one event that waits, of ${world.log.pending}`,
  );
  await world.says("two");
  world.log.release();
  await world.heard("staff", 2);
  await tellModerators(world.chat);
  expect(world.log.posted).toHaveLength(2);
  expect(world.state(id)).toBe("held");
});

test("no guest decides, nobody decides elsewhere, and no guest comes in", async () => {
  const world = await World.open();
  const id = await world.says("one");
  const notice = world.notice(id);
  const guest: OpAuthor = { ...TOM, id: "guest:eve", account: "web.site" };
  await world.reacts(notice, "👍", { author: guest });
  await world.writes("approve 1", { author: guest });
  await world.writes("approve 1", { author: null });
  await world.writes("approve 1", { channel: channelRef("lobby") });
  await world.reacts(notice, "👍", { channel: channelRef("lobby") });
  expect(world.state(id)).toBe("held");
  const desk = new WebDesk(world.chat);
  const spec = { channel: "Staff", uses: 1, expiresInMs: 60_000, hold: false };
  expect([desk.takesGuests("Staff"), await desk.invite(spec), desk.moderation("staff")]).toEqual([false, null, null]);
  expect(world.chat.isOpen("staff")).toBe(false);
});

test("what operators decide, and what is gone with its guest's messages, is told as well", async () => {
  const world = await World.open();
  const [one, two] = [await world.says("one"), await world.says("two")];
  const desk = new WebDesk(world.chat);
  expect([await desk.approve(one), await desk.approve(one)]).toEqual([true, false]);
  await desk.act(ANN.id, "purge");
  await tellModerators(world.chat);
  expect((await world.heard("staff", 4)).slice(2)).toEqual([
    "Number 1: approved by an operator.",
    "Number 2: its guest's messages were deleted.",
  ]);
  expect(world.state(two)).toBe("gone");
});

test.each([
  ["approve 12", true, 12],
  ["APPROVED #12.", true, 12],
  ["reject", false, null],
  ["Rejected!", false, null],
])("%j decides", (text, approved, seq) => {
  expect(readOrder([{ t: "para", of: [{ t: "text", text }] }])).toEqual({ approved, seq });
});

test.each(["approve them", "I approve", "approve 1 2", "disapprove 1", ""])("%j decides nothing", (text) => {
  expect(readOrder([{ t: "para", of: [{ t: "text", text }] }])).toBeNull();
});
