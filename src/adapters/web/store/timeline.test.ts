import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import type { NewStored } from "./rows.ts";
import { prepareTables } from "./schema.ts";
import { RoomTimeline } from "./timeline.ts";

const DAY = 24 * 60 * 60_000;
const NOW = 100 * DAY;

const message = (room: string, id: string, atMs: number): NewStored => ({
  id,
  room,
  atMs,
  state: "said",
  guest: "",
  author: { id: "irc/eve", name: "eve", network: "irc" },
  style: "normal",
  text: "",
  blocks: [],
  reply: null,
  files: [],
  print: "",
});

function timelineOf(...messages: readonly NewStored[]): RoomTimeline {
  const db = new BetterSqlite3(":memory:");
  prepareTables(db);
  const timeline = new RoomTimeline(db);
  for (const one of messages) timeline.add(one);
  return timeline;
}

const shown = (timeline: RoomTimeline, room: string): readonly string[] =>
  timeline.page(room, null, 10_000).map(({ id }) => id);

test("what is too old goes, with its reactions, also of a room that is not joined any more", () => {
  const timeline = timelineOf(
    message("lobby", "old", NOW - 8 * DAY),
    message("closed", "left", NOW - 8 * DAY),
    message("lobby", "new", NOW),
    message("lobby", "older", NOW - 40 * DAY),
  );
  for (const id of ["old", "new"]) timeline.react(id, "👍", "bea", true);
  timeline.prune(["lobby"], NOW - 7 * DAY, NOW - 30 * DAY);
  expect(shown(timeline, "lobby")).toEqual(["new"]);
  expect(shown(timeline, "closed")).toEqual([]);
  expect(timeline.find("old")).toMatchObject({ state: "gone", author: { name: "" } });
  expect(timeline.find("older")).toBeNull();
  expect(["old", "new"].map((id) => timeline.reactions(id).length)).toEqual([0, 1]);
});

test("the newest 5000 messages of each room stay", () => {
  const many = Array.from({ length: 5_003 }, (_, at) => message("lobby", `m${at}`, NOW));
  const timeline = timelineOf(...many, message("harbour", "other", NOW));
  timeline.prune(["lobby", "harbour"], 0, 0);
  expect(shown(timeline, "lobby").slice(0, 2)).toEqual(["m3", "m4"]);
  expect(shown(timeline, "lobby")).toHaveLength(5_000);
  expect(shown(timeline, "harbour")).toEqual(["other"]);
});

test("of the changes so many stay that each page can be told what it has missed; a look at them comes due once each time", () => {
  const timeline = timelineOf();
  for (let count = 0; count < 200; count += 1) timeline.change("lobby", NOW, { is: "room" });
  expect([timeline.comesDue(), timeline.comesDue()]).toEqual([true, false]);
  timeline.prune(["lobby"], 0, 0);
  expect(timeline.after("lobby", 0, 1_000)).toHaveLength(200);
});
