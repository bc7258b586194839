import { expect, test } from "vitest";
import type { Cursor } from "../../contract/ids.ts";
import { MattermostPositions } from "./positions.ts";

const positionsOf = (since: Cursor | null = null): MattermostPositions => new MattermostPositions(since, "token");

test("cursors of earlier versions are read, and written as they were", () => {
  const since = {
    at: 200_000,
    connection: "c",
    next: 7,
    by: "token",
    channels: { a: [5], b: [6, 100] },
    absent: { b: 150 },
    told: { post: 190_000 },
  };
  const positions = positionsOf(JSON.stringify(since) as Cursor);
  const { channels, stream } = positions;
  expect([channels.at, stream]).toEqual([200_000, { connection: "c", next: 7 }]);
  expect([channels.of("a"), channels.of("b")]).toEqual([
    { floor: 5, behind: null },
    { floor: 6, behind: 100 },
  ]);
  expect(channels.wasTold("post", 190_000)).toBe(true);
  channels.seen(200_001);
  expect(JSON.parse(positions.take() ?? "")).toEqual({ ...since, at: 200_001 });
});

test("what is taken is read again, and is taken once", () => {
  const positions = positionsOf();
  expect([positions.take(), positions.stream, positions.channels.at]).toEqual([null, null, 0]);
  positions.channels.seen(200);
  positions.followed({ connection: "c", next: 7 });
  const cursor = positions.take();
  expect(positions.take()).toBeNull();
  const again = positionsOf(cursor);
  expect([again.stream, again.channels.at]).toEqual([{ connection: "c", next: 7 }, 200]);
});

test.each(["token", "another", null])("a stream is taken up by the login alone that followed it: %j", (by) => {
  const positions = positionsOf();
  positions.followed({ connection: "c", next: 7 });
  expect(new MattermostPositions(positions.take(), by).stream).toEqual(
    by === "token" ? { connection: "c", next: 7 } : null,
  );
});

test("a login that is another one each time stores no stream", () => {
  const positions = new MattermostPositions(null, null);
  positions.followed({ connection: "c", next: 7 });
  expect([positions.moved, positions.take()]).toEqual([false, null]);
  positions.channels.seen(100);
  expect(positions.take()).not.toMatch(/connection|next/u);
});

test("events that say nothing move the cursor now and then only", () => {
  const positions = positionsOf();
  positions.followed({ connection: "c", next: 1 });
  expect(positions.take()).not.toBeNull();
  positions.followed({ connection: "c", next: 10 });
  expect(positions.moved).toBe(false);
  positions.followed({ connection: "c", next: 60 });
  expect(positions.moved).toBe(true);
});

test.each(["", "null", "[]", "x", '{"at":"x","channels":{"a":7,"b":["x"]},"told":5}'])(
  "%j is no cursor of ours",
  (text) => {
    const positions = positionsOf(text as Cursor);
    expect([positions.channels.at, positions.stream, positions.channels.ids]).toEqual([0, null, []]);
  },
);
