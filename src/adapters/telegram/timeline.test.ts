import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { type ChannelRef, type Cursor, mint } from "../../contract/ids.ts";
import type { Json } from "../kit/json.ts";
import { inWords } from "./event-words.suite.ts";
import { ALICE, BOB, CREW, NEWS, saidBy } from "./message.suite.ts";
import { TelegramPeople } from "./people.ts";
import { TelegramPositions } from "./positions.ts";
import { TelegramTimeline } from "./timeline.ts";

const TOWN: ChannelRef = mint("ChannelRef", "-1001");
const TOPIC: ChannelRef = mint("ChannelRef", "-1001/3");
const DOCK: ChannelRef = mint("ChannelRef", "-1003");
const HARBOUR = { id: -1_003, type: "supergroup", title: "Dock" };
const OLD = { id: -50, type: "group", title: "Dock" };
const ELSEWHERE = { id: -1_009, type: "supergroup", title: "Elsewhere" };

function stage({
  picture = Promise.resolve(null),
  since = null,
}: { picture?: Promise<null>; since?: Cursor | null } = {}) {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const positions = new TelegramPositions(since);
  const moves: string[] = [];
  const others: string[] = [];
  const api = {
    picture: async () => ({ ok: true, value: await picture }) as const,
    call: async () => await Promise.resolve({ ok: true, value: [{ emoji: "🦀" }] } as const),
  };
  const settings = { UseFirstName: true, UseFullName: false };
  const timeline = new TelegramTimeline({
    api,
    host,
    me: { id: 1 },
    positions,
    places: {
      refOf: (chat, topic) => {
        if (isDock(chat)) return DOCK;
        return chat !== CREW.id ? null : topic === null ? TOWN : topic === 3 ? TOPIC : null;
      },
      refsOf: (chat) => (isDock(chat) ? [DOCK] : chat === CREW.id ? [TOWN, TOPIC] : []),
      isJoined: (chat) => chat === CREW.id,
    },
    people: new TelegramPeople({ api, clock, settings }),
    onMoved: (from, to) => moves.push(`${from} ${to}`),
    onOther: (update) => others.push(Object.keys(update).join(" ")),
  });
  const told = (): readonly string[] => host.events.map(inWords);
  return { clock, host, positions, moves, others, timeline, told };
}

const isDock = (chat: number): boolean => chat === HARBOUR.id || chat === OLD.id;

let last = 100;
const message = (more: Json, kind = "message"): Json => ({ update_id: (last += 1), [kind]: saidBy(more) });

test("what is said is told, with the cursor behind it", async () => {
  const { timeline, told, positions, host } = stage();
  const [one, two] = [message({ text: "one" }), message({ message_id: 6, text: "two" })];
  timeline.push([one]);
  timeline.push([one, two]);
  await timeline.ready();
  expect(told()).toEqual(["-1001 Alice: one", "-1001 Alice: two"]);
  expect(positions.at).toBe(two["update_id"]);
  expect(host.cursors.at(-1)).toContain(`"at":${String(two["update_id"])}`);
});

test("what nobody wants, what is about us and what cannot be read is passed, and confirmed", async () => {
  const { timeline, told, positions, others } = stage();
  timeline.push([
    { message: saidBy({ text: "without a number" }) },
    "nothing",
    message({ text: "elsewhere", chat: ELSEWHERE }),
    message({ text: "in another topic", message_thread_id: 4, is_topic_message: true }),
    message({}, "my_chat_member"),
    message({ chat: { id: "x" } }),
    { update_id: (last += 1) },
  ]);
  await timeline.ready();
  expect(told()).toEqual([]);
  expect(others).toEqual(["update_id my_chat_member", "update_id message", "update_id"]);
  expect(positions.at).toBe(last);
});

test("a fault in one update holds nothing up", async () => {
  const { timeline, told, positions, host } = stage();
  const trap = message({ text: "trap" });
  const held = trap["message"] as Record<string, unknown>;
  Object.defineProperty(held, "forward_origin", {
    get: () => {
      throw new Error("a fault");
    },
  });
  timeline.push([trap, message({ text: "after" })]);
  await timeline.ready();
  expect(told()).toEqual(["-1001 Alice: after"]);
  expect(positions.at).toBe(last);
  expect(host.records.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("ids of updates may begin anew, lower", async () => {
  const { timeline, told, positions } = stage();
  timeline.push([message({ text: "before the week" })]);
  await timeline.ready();
  timeline.push([{ update_id: 3, message: saidBy({ message_id: 9, text: "after it" }) }]);
  await timeline.ready();
  expect(told()).toEqual(["-1001 Alice: before the week", "-1001 Alice: after it"]);
  expect(positions.at).toBe(3);
});

describe("an album", () => {
  const member = (id: number, more: Json = {}): Json =>
    message({ message_id: id, media_group_id: "g", photo: [{ file_id: `f${id}`, file_unique_id: `u${id}` }], ...more });

  test("that comes in two answers is told once, and keeps the cursor back until then", async () => {
    const { timeline, told, positions, clock } = stage();
    const [said, first, second, after] = [
      message({ text: "look" }),
      member(6, { caption: "tea" }),
      member(7),
      message({ message_id: 8, text: "after" }),
    ];
    timeline.push([said, first]);
    const again = timeline.ready();
    await clock.advance(300);
    await again;
    timeline.push([first, second, after]);
    expect(told()).toEqual(["-1001 Alice: look"]);
    expect(positions.at).toBe(said["update_id"]);
    await clock.advance(600);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: look", "-1001 Alice: tea [photo-6.jpg] [photo-7.jpg]", "-1001 Alice: after"]);
    expect(positions.at).toBe(after["update_id"]);
  });

  test("of which a caption is changed is told whole; of one that is not known, the words alone", async () => {
    const { timeline, told, clock } = stage();
    timeline.push([member(6, { caption: "tea" }), member(7)]);
    await clock.advance(600);
    timeline.push([
      message({ ...(member(7, { caption: "and milk" })["message"] as Json) }, "edited_message"),
      message({ ...(member(20, { caption: "coffee" })["message"] as Json) }, "edited_message"),
      message({ ...(member(20, { caption: "coffee", edit_date: 5 })["message"] as Json) }, "edited_message"),
      message({ ...(member(21)["message"] as Json) }, "edited_message"),
    ]);
    await timeline.ready();
    expect(told().slice(1)).toEqual([
      "-1001 Alice edits 7: tea\nand milk [photo-6.jpg] [photo-7.jpg]",
      "-1001 Alice edits 20: coffee",
    ]);
  });

  test("with words below several files is told whole by a later session, too, without the files that stand", async () => {
    const first = stage();
    first.timeline.push([member(6, { caption: "tea" }), member(7, { caption: "milk" }), member(8)]);
    await first.clock.advance(600);
    const { timeline, told, host } = stage({ since: first.host.cursors.at(-1) ?? null });
    const edit = (more: Json): Json => message({ media_group_id: "g", ...more }, "edited_message");
    timeline.push([
      edit({ message_id: 7, caption: "oat milk", photo: [{ file_id: "f7" }] }),
      edit({ message_id: 8, caption: "sugar", photo: [{ file_id: "f8" }] }),
      edit({ message_id: 6, photo: [{ file_id: "f6" }] }),
    ]);
    await timeline.ready();
    expect(told()).toEqual([
      "-1001 Alice edits 7: tea\noat milk",
      "-1001 Alice edits 8: tea\noat milk\nsugar",
      "-1001 Alice edits 6: oat milk\nsugar",
    ]);
    expect(host.cursors.at(-1)).toContain("oat milk");
  });

  test("keeps the cursor back also for what is told of other chats, which is not told again", async () => {
    const first = stage();
    const held = member(6, { chat: HARBOUR });
    const said = [message({ text: "one" }), held, message({ message_id: 6, text: "two" })];
    first.timeline.push(said);
    await first.clock.advance(0);
    expect(first.told()).toEqual(["-1001 Alice: one", "-1001 Alice: two"]);
    const { timeline, told, positions, clock } = stage({ since: first.host.cursors.at(-1) ?? null });
    expect(positions.at).toBe(said[0]?.["update_id"]);
    const more = [member(7, { chat: HARBOUR }), message({ message_id: 7, text: "three" })];
    timeline.push([...said.slice(1), ...more]);
    await clock.advance(600);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: three", "-1003 Alice: [photo-6.jpg] [photo-7.jpg]"]);
    expect([positions.at, positions.ahead]).toEqual([last, []]);
  });

  test("of a group that moves meanwhile comes before what is said after it", async () => {
    const { timeline, told, clock } = stage();
    timeline.push([
      member(6, { chat: OLD }),
      message({ migrate_to_chat_id: HARBOUR.id, chat: OLD }),
      message({ migrate_from_chat_id: OLD.id, chat: HARBOUR }),
      message({ message_id: 2, text: "larger", chat: HARBOUR }),
    ]);
    await clock.advance(599);
    expect(told()).toEqual([]);
    await clock.advance(1);
    expect(told()).toEqual(["-1003 Alice: [photo-6.jpg]", "-1003 Alice: larger"]);
  });

  test("that is under way when the session stops is left to the next", async () => {
    const { timeline, told, positions, clock } = stage();
    timeline.push([member(6)]);
    await timeline.quiesce();
    await clock.advance(10_000);
    expect(told()).toEqual([]);
    expect(positions.at).toBe(0);
    await timeline.ready();
  });
});

describe("edits", () => {
  const edit = (more: Json): Json => message({ edit_date: 200, ...more }, "edited_message");

  test("that change nothing that people see are not told", async () => {
    const { timeline, told } = stage();
    timeline.push([
      message({ text: "see https://example.org" }),
      edit({ text: "see https://example.org", link_preview_options: { is_disabled: true } }),
      edit({ text: "look" }),
      edit({ text: "look", reply_markup: { inline_keyboard: [] } }),
      edit({ text: "look", entities: [{ type: "bold", offset: 0, length: 4 }] }),
    ]);
    await timeline.ready();
    expect(told()).toEqual([
      "-1001 Alice: see https://example.org",
      "-1001 Alice edits 5: look",
      "-1001 Alice edits 5: <strong>look</strong>",
    ]);
  });

  test("of polls and places are quiet, also of those that were never told", async () => {
    const { timeline, told } = stage();
    timeline.push([
      edit({ poll: { question: "Tea?", options: [], total_voter_count: 3 } }),
      edit({ message_id: 6, location: { latitude: 1, longitude: 2, live_period: 60 } }),
    ]);
    await timeline.ready();
    expect(told()).toEqual([]);
  });

  test("of what was said before are told once", async () => {
    const { timeline, told } = stage();
    timeline.push([edit({ text: "new" }), edit({ text: "new", edit_date: 201 })]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice edits 5: new"]);
  });

  test("of channels are edits as well", async () => {
    const { timeline, told } = stage();
    timeline.push([
      message({ text: "a" }, "channel_post"),
      message({ text: "b", edit_date: 3 }, "edited_channel_post"),
    ]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: a", "-1001 Alice edits 5: b"]);
  });
});

describe("reactions", () => {
  const react = (id: number, ...types: readonly Json[]): Json => ({
    update_id: (last += 1),
    message_reaction: { chat: CREW, message_id: id, date: 5, user: BOB, old_reaction: [], new_reaction: types },
  });

  test("go where the message is; to all rooms of the chat where that is not known", async () => {
    const { timeline, told } = stage();
    timeline.push([
      message({ text: "in a topic", message_thread_id: 3, is_topic_message: true }),
      react(5, { type: "emoji", emoji: "❤" }),
      react(4, { type: "paid" }),
    ]);
    await timeline.ready();
    expect(told()).toEqual(["-1001/3 Alice: in a topic", "-1001/3 Bob +❤️", "-1001 Bob +⭐", "-1001/3 Bob +⭐"]);
  });

  test("of pictures are the emoji that these stand for", async () => {
    const { timeline, told, clock } = stage();
    timeline.push([message({ text: "hi" }), react(5, { type: "custom_emoji", custom_emoji_id: "77" })]);
    await clock.advance(0);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: hi", "-1001 Bob +🦀"]);
  });
});

describe("who comes and goes", () => {
  const became = (before: string, now: string, date: number): Json => ({
    update_id: (last += 1),
    chat_member: {
      chat: CREW,
      from: BOB,
      date,
      old_chat_member: { status: before, user: BOB },
      new_chat_member: { status: now, user: BOB },
    },
  });

  test("is told once, whichever way is first", async () => {
    const { timeline, told } = stage();
    timeline.push([
      became("left", "member", 100),
      message({ new_chat_members: [BOB], from: BOB, date: 100 }),
      message({ message_id: 6, left_chat_member: BOB, from: BOB, date: 103 }),
      became("member", "left", 103),
      became("left", "member", 104),
      became("member", "administrator", 105),
      became("left", "member", 900),
    ]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Bob joins", "-1001 Bob leaves", "-1001 Bob joins", "-1001 Bob joins"]);
  });
});

test("where a group moves to is said when it comes, from both sides", () => {
  const { timeline, moves } = stage();
  timeline.push([
    message({ migrate_to_chat_id: -1_050, chat: { id: -50, type: "group" } }),
    message({ migrate_from_chat_id: -50, chat: { id: -1_050, type: "supergroup" } }),
  ]);
  expect(moves).toEqual(["-50 -1050", "-50 -1050"]);
});

test("a message waits a second for a picture, and what comes after it in its chat as well; others go on", async () => {
  const { timeline, told, clock, positions } = stage({ picture: new Promise(() => undefined) });
  timeline.push([
    message({ text: "one" }),
    message({ message_id: 6, text: "two" }),
    message({ message_id: 7, text: "news", chat: NEWS, from: undefined }),
  ]);
  await clock.advance(999);
  expect(told()).toEqual([]);
  await clock.advance(1);
  expect(told()).toEqual(["-1001 Alice: one", "-1001 Alice: two"]);
  await settled();
  expect(positions.at).toBe(last);
  timeline.push([message({ message_id: 8, text: "three", from: ALICE })]);
  expect(told()).toContain("-1001 Alice: three");
});

test("while nothing goes to disk, nothing is confirmed, and more is asked for ever more rarely", async () => {
  const { timeline, host, positions, clock, told } = stage();
  host.hold();
  timeline.push([message({ text: "one" })]);
  await settled();
  let asked = 0;
  const poll = async (): Promise<void> => {
    await timeline.ready();
    asked += 1;
    if (positions.at !== last) await poll();
  };
  const polls = poll();
  await clock.advance(1_750);
  expect([asked, positions.at]).toEqual([3, 0]);
  timeline.push([message({ message_id: 6, text: "two" })]);
  await settled();
  expect(told()).toEqual(["-1001 Alice: one", "-1001 Alice: two"]);
  await clock.advance(60_000);
  expect(asked).toBeLessThan(20);
  host.release();
  await clock.advance(0);
  await polls;
  expect(positions.at).toBe(last);
});

test("that somebody has another name is told where they were heard", async () => {
  const { timeline, told, host } = stage();
  const ally = { ...ALICE, first_name: "Ally" };
  timeline.push([
    message({ text: "hello" }),
    message({ message_id: 6, text: "hi", from: BOB }),
    message({ message_id: 7, text: "again", from: ally }),
    message({ message_id: 8, text: "once more", from: ally }),
  ]);
  await timeline.ready();
  expect(told().slice(2)).toEqual(["-1001 Alice is now known as Ally", "-1001 Ally: again", "-1001 Ally: once more"]);
  expect(host.events[2]?.key).toBe(`n/-1001/${last - 1}`);
});

test("after its end nothing is handed over, and nobody waits", async () => {
  const { timeline, host, told } = stage();
  host.hold();
  timeline.push([message({ text: "one" })]);
  await settled();
  const ready = timeline.ready();
  timeline.end();
  await ready;
  timeline.push([message({ text: "two" })]);
  await settled();
  expect(told()).toEqual(["-1001 Alice: one"]);
});
