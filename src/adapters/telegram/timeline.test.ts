import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { Json } from "../kit/json.ts";
import { ALICE, BOB, CREW, NEWS, saidBy } from "./message.suite.ts";
import { lastUpdate, message, nextUpdate, stage } from "./timeline.suite.ts";

const ELSEWHERE = { id: -1_009, type: "supergroup", title: "Elsewhere" };

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
    { update_id: nextUpdate() },
  ]);
  await timeline.ready();
  expect(told()).toEqual([]);
  expect(others).toEqual(["update_id my_chat_member", "update_id message", "update_id"]);
  expect(positions.at).toBe(lastUpdate());
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
  expect(positions.at).toBe(lastUpdate());
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

  test("that change nothing are not told in a later session either", async () => {
    const first = stage();
    first.timeline.push([message({ text: "hi" }), message({ message_id: 6, text: "ho" }), edit({ text: "hey" })]);
    await first.timeline.ready();
    const { timeline, told } = stage({ since: first.host.cursors.at(-1) ?? null });
    timeline.push([
      edit({ text: "hey", edit_date: 300 }),
      edit({ message_id: 6, text: "ho", reply_markup: { inline_keyboard: [] } }),
      edit({ message_id: 6, text: "hello" }),
      edit({ text: "hi" }),
    ]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice edits 6: hello", "-1001 Alice edits 5: hi"]);
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
    update_id: nextUpdate(),
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
    update_id: nextUpdate(),
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
  expect(positions.at).toBe(lastUpdate());
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
    if (positions.at !== lastUpdate()) await poll();
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
  expect(positions.at).toBe(lastUpdate());
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
  expect(host.events[2]).toMatchObject({ change: "rename", newName: "Ally" });
  expect(host.events[2]?.key).toBe(`n/-1001/${lastUpdate() - 1}`);
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
