import { expect, test } from "vitest";
import type { Cursor, OpId, Progress } from "../../contract/ids.ts";
import type { DiscordPostUnderWay } from "./link.ts";
import { firstIdAt } from "./model.ts";
import { DiscordPositions, marginBefore } from "./positions.ts";

const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2024, 0, 1);
const at = (ms: number): string => firstIdAt(START_MS + ms);

function again(positions: DiscordPositions): DiscordPositions {
  const cursor = positions.take();
  if (cursor === null) throw new Error("it has not moved");
  return new DiscordPositions(cursor);
}

test.each(["", "[]", "null", "{", '{"at":5,"channels":{"1":3,"2":[4]},"doing":[{},7],"recent":{"1":5}}'])(
  "a cursor that says nothing (%s) is none",
  (cursor) => {
    const positions = new DiscordPositions(cursor as Cursor);
    expect([positions.at, positions.durable, positions.channels, positions.take()]).toEqual(["", null, [], null]);
  },
);

test("channels are as far as the newest message, but for those that are behind", () => {
  const positions = new DiscordPositions(null);
  positions.begin("1", at(0));
  positions.begin("2", at(0));
  positions.seen(at(1000));
  positions.fallBack("2");
  positions.seen(at(2000));
  positions.seen(at(500));
  const next = again(positions);
  expect(next.at).toBe(at(2000));
  expect(next.of("1")).toEqual({ floor: at(0), behind: null });
  expect(next.of("2")).toEqual({ floor: at(0), behind: at(1000) });
  next.fallBack("2");
  expect(next.of("2")?.behind, "it stays where it is behind").toBe(at(1000));
  next.caughtUp("2");
  expect(next.of("2")?.behind).toBeNull();
});

test("the gateway is taken up from what the disk has, and from nothing of another session", () => {
  const positions = new DiscordPositions(null);
  const resume = (session: string, seq: number) => ({ session, url: "wss://gateway", seq });
  positions.followed(resume("a", 3));
  const cursor = positions.take();
  positions.followed(resume("a", 9));
  expect(positions.durable, "nothing is on disk yet").toBeNull();
  if (cursor !== null) positions.confirmed(cursor);
  expect(positions.durable).toEqual(resume("a", 3));
  positions.followed(resume("b", 1));
  expect(positions.durable).toBeNull();
  if (cursor !== null) positions.confirmed(cursor);
  expect(positions.durable, "of a session that is no more").toBeNull();
});

test("the number of events alone moves the cursor now and then", () => {
  const positions = new DiscordPositions(null);
  positions.followed({ session: "a", url: "", seq: 1 });
  positions.take();
  positions.followed({ session: "a", url: "", seq: 50 });
  expect(positions.moved).toBe(false);
  positions.followed({ session: "a", url: "", seq: 51 });
  expect(positions.moved).toBe(true);
  positions.take();
  positions.followed({ session: "a", url: "", seq: 52 });
  expect(positions.take(), "with events, it goes along whenever it is another").not.toBeNull();
  expect(positions.take()).toBeNull();
});

test("posts under way outlive the program, the newest of each channel", () => {
  const positions = new DiscordPositions(null);
  const post = (op: string, channel: string): DiscordPostUnderWay => ({
    op: op as OpId,
    upTo: "1" as Progress,
    channel,
    floor: "10",
    digest: "",
    end: null,
  });
  positions.announce(post("other", "2"));
  for (let count = 0; count < 17; count += 1) positions.announce(post(`op${count}`, "1"));
  positions.announce({ ...post("op16", "1"), floor: "99" });
  const next = again(positions);
  const floorOf = (op: string): string | undefined => next.announced(op as OpId, "1" as Progress)?.floor;
  expect(["op0", "op1", "op16", "other"].map(floorOf)).toEqual([undefined, "10", "10", "10"]);
});

test("the newest messages are remembered, so that they can be missed", () => {
  const positions = new DiscordPositions(null);
  for (let id = 1; id <= 25; id += 1) positions.keep("1", String(id));
  positions.drop("1", "25");
  const next = again(positions);
  expect(next.kept("1")).toEqual(Array.from({ length: 19 }, (_, index) => String(index + 6)));
  for (let channel = 2; channel < 40; channel += 1) {
    for (let id = 1; id <= 20; id += 1) next.keep(String(channel), String(id));
  }
  const last = again(next);
  const count = Array.from({ length: 40 }, (_, channel) => last.kept(String(channel)).length);
  expect(count.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(256);
  expect(last.kept("39")).toHaveLength(20);
});

test("an edit that was part of what was told is not told again", () => {
  const positions = new DiscordPositions(null);
  positions.seen(at(0));
  positions.told("5", START_MS);
  const next = again(positions);
  expect([next.wasTold("5", START_MS), next.wasTold("5", START_MS + 1)]).toEqual([true, false]);
  next.seen(at(DAY_MS));
  expect(next.wasTold("5", START_MS)).toBe(false);
});

test("a channel that no session has joined for a week is forgotten, and one that is joined is not", () => {
  let positions = new DiscordPositions(null);
  positions.begin("1", at(0));
  positions.begin("2", at(0));
  positions.joined("2");
  for (let ms = 0; ms <= 8 * DAY_MS; ms += DAY_MS / 2) {
    positions.seen(at(ms + 1));
    positions = again(positions);
    positions.joined("2");
    positions.seen(at(ms + 2));
    positions.seen(at(ms + 700_000));
  }
  expect(positions.channels).toEqual(["2"]);
});

test("half a minute before an id is read again", () => {
  expect(marginBefore(at(60_000))).toBe(at(30_000));
});
