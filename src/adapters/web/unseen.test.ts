import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { Chat, isRefusal } from "./chat.ts";
import { WebDesk } from "./desk.ts";
import { came, digestOf, join as joinRoom, leave, rename, went } from "./guests.ts";
import { decide } from "./moderators.ts";
import { react } from "./reacting.ts";
import { DEFAULTS } from "./samples.suite.ts";
import { reword, say, takeBack } from "./saying.ts";
import type { StoredChange, StoredGuest } from "./store/rows.ts";

const HOME = "192.0.2.0/24";

/** A room with invites of so many uses, and what its watchers see. */
async function open({ hold = false } = {}) {
  const log = new RecordingHost();
  const folder = mkdtempSync(join(tmpdir(), "rialto-unseen-"));
  const chat = new Chat(DEFAULTS, log, folder, () => undefined);
  chat.rooms.add("lobby");
  onTestFinished(async () => {
    await chat.store.close();
    rmSync(folder, { recursive: true });
  });
  const seen: StoredChange[] = [];
  chat.audience = {
    // What is told to one guest alone is no matter of the room.
    tell: (changes) => seen.push(...changes.filter(({ guest }) => guest === "")),
    typing: () => undefined,
    dismiss: () => undefined,
    watches: () => true,
    members: () => undefined,
    isOpen: () => false,
  };
  for (const id of ["one", "two"]) {
    const times = { createdMs: chat.nowMs, expiresMs: chat.nowMs + 2 * DEFAULTS.BanTime };
    await chat.store.write(() =>
      chat.people.addInvite(digestOf(id), { id, channel: "lobby", uses: 50, hold, ...times }),
    );
  }
  let count = 0;
  const enter = async (name: string, { invite = "one", net = HOME } = {}): Promise<StoredGuest> => {
    count += 1;
    const joined = await joinRoom(chat, { key: `key ${count}`, invite, name, net });
    if (isRefusal(joined)) throw new Error(joined.detail);
    return chat.people.find(joined.guest.id) ?? joined.guest;
  };
  const desk = new WebDesk(chat);
  return { chat, log, seen, enter, desk };
}

type Setting = Awaited<ReturnType<typeof open>>;

const says = async (chat: Chat, guest: StoredGuest, text: string) =>
  await say(chat, guest, text, { text, reply: null, files: [] });

/** Someone's message in the room, and one of the guest's own. */
async function withMessages({ chat, enter }: Setting, guest: StoredGuest) {
  const bob = await enter("bob", { invite: "two", net: "" });
  const [theirs, own] = [await says(chat, bob, "hello"), await says(chat, guest, "mine")];
  if (isRefusal(theirs) || isRefusal(own)) throw new Error("a message was refused");
  return { theirs: theirs.message.id, own: own.message.id };
}

const ACTS: readonly (readonly [
  string,
  (chat: Chat, guest: StoredGuest, ids: { readonly theirs: string; readonly own: string }) => Promise<object | null>,
])[] = [
  ["a new name", async (chat, guest) => await rename(chat, guest, "the admin is a thief")],
  [
    "a reaction",
    async (chat, guest, { theirs }) => await react(chat, guest, { message: theirs, emoji: "👍", on: true }),
  ],
  ["an edit", async (chat, guest, { own }) => await reword(chat, guest, own, "other words")],
  ["a deletion", async (chat, guest, { own }) => await takeBack(chat, guest, own)],
];

test.each(ACTS)("%s of a muted guest is refused, and nobody sees it", async (_what, act) => {
  const setting = await open();
  const { chat, log, seen, enter, desk } = setting;
  const eve = await enter("eve");
  const ids = await withMessages(setting, eve);
  await desk.act(eve.id, "mute");
  const before = [seen.length, log.events.length];
  expect(await act(chat, eve, ids)).toMatchObject({ refused: "muted" });
  expect([seen.length, log.events.length]).toEqual(before);
  await desk.act(eve.id, "unmute");
  const done = await act(chat, eve, ids);
  expect(done === null || !isRefusal(done)).toBe(true);
});

test.each(ACTS)("%s of a guest who is held after speaking is refused and stays unseen", async (_what, act) => {
  const setting = await open();
  const { chat, log, seen, enter } = setting;
  const eve = await enter("eve");
  const ids = await withMessages(setting, eve);
  await chat.store.write(() => chat.people.set(eve.id, "held", true));
  const before = [seen.length, log.events.length];
  expect(await act(chat, eve, ids)).toMatchObject({ refused: "forbidden" });
  expect([seen.length, log.events.length]).toEqual(before);
});

test("a new name of a held guest is refused, also as a second try to join, until somebody approves", async () => {
  const { chat, log, seen, enter } = await open({ hold: true });
  const eve = await enter("eve");
  const refused = { refused: "forbidden" };
  expect(await rename(chat, eve, "the admin is a thief")).toMatchObject(refused);
  const again = { key: "key 1", invite: "one", name: "the admin is a thief", net: HOME };
  expect(await joinRoom(chat, again)).toMatchObject(refused);
  const said = await says(chat, eve, "let me in");
  expect(await rename(chat, eve, "the admin is a thief")).toMatchObject(refused);
  expect([seen, log.events]).toEqual([[], []]);
  if (isRefusal(said)) throw new Error(said.detail);
  await decide(chat, said.message.id, { approved: true, by: "bob" });
  expect(await rename(chat, eve, "evelyn")).toMatchObject({ name: "evelyn" });
});

test("a held guest comes and goes unseen, and has come once somebody approves what was said", async () => {
  const { chat, log, seen, enter, desk } = await open({ hold: true });
  const eve = await enter("the admin is a thief");
  expect(eve.present).toBe(false);
  await leave(chat, eve);
  expect([seen, log.events]).toEqual([[], []]);
  const ann = await enter("ann");
  expect(desk.guests("lobby").find(({ id }) => id === ann.id)).toMatchObject({ held: true, present: true });
  const said = await says(chat, ann, "let me in");
  if (isRefusal(said)) throw new Error(said.detail);
  await decide(chat, said.message.id, { approved: true, by: "bob" });
  expect(log.events.map(({ kind }) => kind)).toEqual(["member", "posted"]);
  expect(chat.people.find(ann.id)?.present).toBe(true);
});

test("guests who wait have come as soon as the room holds nothing any more", async () => {
  const { chat, enter, desk } = await open();
  const ann = await enter("ann");
  await went(chat, ann);
  await desk.moderate("lobby", { hold: true });
  await came(chat, ann);
  expect(chat.people.find(ann.id)?.present).toBe(false);
  await desk.moderate("lobby", { hold: false });
  expect(chat.people.find(ann.id)?.present).toBe(true);
});

test.each([
  ["by the same invite from the same address", {}, true],
  ["by another invite", { invite: "two" }, false],
  ["from another address", { net: "198.51.100.0/24" }, false],
  ["from an address that is not known", { net: "" }, false],
])("after a mute, a guest who joins %s is muted as well or not", async (_what, how, isMuted) => {
  const { log, enter, desk } = await open();
  const mallory = await enter("mallory");
  await desk.act(mallory.id, "mute");
  const before = log.events.length;
  const again = await enter("mallory2", how);
  expect(again.muted).toBe(isMuted);
  expect(log.events.length > before).toBe(!isMuted);
});

test("to unmute one of them lifts the mute for all whom it has muted, and for nobody else", async () => {
  const { chat, enter, desk } = await open();
  const mallory = await enter("mallory");
  const other = await enter("other");
  await desk.act(mallory.id, "mute");
  const again = await enter("mallory2");
  const third = await enter("mallory3");
  await desk.act(other.id, "mute");
  await desk.act(third.id, "unmute");
  const states = [mallory, again, third, other].map(({ id }) => chat.people.find(id)?.muted);
  expect(states).toEqual([false, false, false, true]);
});

test("newcomers are muted for as long as nobody joins from the address of a banned guest", async () => {
  const { chat, log, enter, desk } = await open();
  const mallory = await enter("mallory");
  await desk.act(mallory.id, "mute");
  const later = chat.nowMs + DEFAULTS.BanTime;
  vi.spyOn(log.clock, "nowMs").mockReturnValue(later);
  expect((await enter("mallory2")).muted).toBe(false);
  expect(chat.people.find(mallory.id)?.muted).toBe(true);
});
