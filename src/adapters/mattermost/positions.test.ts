import { expect, test } from "vitest";
import type { Cursor } from "../../contract/ids.ts";
import { MattermostPositions } from "./positions.ts";

const positionsOf = (since: Cursor | null = null): MattermostPositions => new MattermostPositions(since, "token");

test("what is taken is read again, and is taken once", () => {
  const positions = positionsOf();
  expect([positions.take(), positions.stream, positions.seenMs]).toEqual([null, null, 0]);
  positions.begin("a", 5);
  positions.begin("b", 6);
  positions.seen(100);
  positions.fallBack("b");
  positions.seen(200);
  positions.seen(150);
  positions.followed({ connection: "c", next: 7 });
  positions.told("post", 90);
  const cursor = positions.take();
  expect(positions.take()).toBeNull();
  const again = positionsOf(cursor);
  expect(again.stream).toEqual({ connection: "c", next: 7 });
  expect(again.seenMs).toBe(200);
  expect([again.of("a"), again.of("b"), again.of("c")]).toEqual([
    { floorMs: 5, behindMs: null },
    { floorMs: 6, behindMs: 100 },
    null,
  ]);
  expect([again.wasTold("post", 90), again.wasTold("post", 91)]).toEqual([true, false]);
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
  positions.seen(100);
  expect(positions.take()).not.toMatch(/connection|next/u);
});

test("a channel that is behind stays where it is until it has caught up", () => {
  const positions = positionsOf();
  positions.seen(100);
  positions.begin("a", 0);
  positions.fallBack("a");
  positions.seen(200);
  positions.fallBack("a");
  expect(positions.of("a")?.behindMs).toBe(100);
  positions.caughtUp("a");
  expect(positions.of("a")?.behindMs).toBeNull();
  positions.forget("a");
  expect(positions.of("a")).toBeNull();
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

test("a channel that no session has joined for a week is forgotten, but none that was joined, or could not be yet", () => {
  const [minute, day] = [60_000, 24 * 3_600_000];
  const first = positionsOf();
  first.seen(day);
  for (const id of ["gone", "lost", "kept"]) first.begin(id, day);
  const later = (before: MattermostPositions): MattermostPositions => positionsOf(before.take());
  const life = (positions: MattermostPositions, fromMs: number, joined: readonly string[]): MattermostPositions => {
    for (const id of joined) positions.joined(id);
    for (let at = 0; at <= 30; at += 5) positions.seen(fromMs + at * minute);
    return later(positions);
  };
  // Nobody was there for a month, and what is not joined counts from then on.
  let positions = life(later(first), 31 * day, ["kept", "lost"]);
  positions = life(positions, 36 * day, ["kept"]);
  expect(positions.channels).toEqual(["gone", "lost", "kept"]);
  positions = life(positions, 39 * day, ["kept"]);
  expect(positions.channels).toEqual(["lost", "kept"]);
  // The next session does not last.
  positions.seen(60 * day);
  positions = later(positions);
  expect(positions.channels).toEqual(["lost", "kept"]);
  positions = life(positions, 60 * day, ["lost", "kept"]);
  positions = life(positions, 66 * day, ["lost", "kept"]);
  expect(positions.channels).toEqual(["lost", "kept"]);
});

test("what a post was told with is forgotten in time", () => {
  const positions = positionsOf();
  positions.told("post", 1000);
  positions.seen(100_000);
  expect(positions.wasTold("post", 1000)).toBe(false);
});

test.each(["", "null", "[]", "x", '{"at":"x","channels":{"a":7,"b":["x"]},"told":5}'])(
  "%j is no cursor of ours",
  (text) => {
    const positions = positionsOf(text as Cursor);
    expect([positions.seenMs, positions.stream, positions.channels]).toEqual([0, null, []]);
  },
);
