import { expect, test } from "vitest";
import type { Cursor, OpId, Progress } from "../../contract/ids.ts";
import type { DiscordPostUnderWay } from "./link.ts";
import { firstIdAt } from "./model.ts";
import { DiscordPositions, marginBefore } from "./positions.ts";

const at = (ms: number): string => firstIdAt(Date.UTC(2024, 0, 1) + ms);

function again(positions: DiscordPositions): DiscordPositions {
  const cursor = positions.take();
  if (cursor === null) throw new Error("it has not moved");
  return new DiscordPositions(cursor);
}

test.each(["", "[]", "null", "{", '{"at":5,"channels":{"1":3,"2":[4]},"doing":[{},7],"recent":{"1":5}}'])(
  "a cursor that says nothing (%s) is none",
  (cursor) => {
    const positions = new DiscordPositions(cursor as Cursor);
    expect([positions.channels.at, positions.durable, positions.channels.ids, positions.take()]).toEqual([
      "",
      null,
      [],
      null,
    ]);
  },
);

test("cursors of earlier versions are read, and written as they were", () => {
  const post = { op: "op", upTo: "1", channel: "1", floor: "10", digest: "d", end: null };
  const since = {
    at: "1191000000000000000",
    session: "a",
    url: "wss://gateway",
    seq: 3,
    channels: { "1": ["1190000000000000000"], "2": ["", "1190500000000000000"] },
    absent: { "2": 1_704_000_000_000 },
    told: { "5": 1_704_000_000_001 },
    recent: { "1": "5 6" },
    doing: [post],
  };
  const positions = new DiscordPositions(JSON.stringify(since) as Cursor);
  const { channels, recent, durable } = positions;
  expect([channels.at, durable, positions.moved]).toEqual([since.at, { session: "a", url: since.url, seq: 3 }, false]);
  expect([channels.of("1"), channels.of("2")]).toEqual([
    { floor: "1190000000000000000", behind: null },
    { floor: "", behind: "1190500000000000000" },
  ]);
  expect([recent.of("1"), channels.wasTold("5", 1_704_000_000_001)]).toEqual([["5", "6"], true]);
  expect(positions.announced("op" as OpId, "1" as Progress)).toEqual(post);
  positions.followed({ session: "a", url: since.url, seq: 4 });
  expect(JSON.parse(positions.take() ?? "")).toEqual({ ...since, seq: 4 });
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

test("half a minute before an id is read again", () => {
  expect(marginBefore(at(60_000))).toBe(at(30_000));
});
