import { expect, test } from "vitest";
import type { Cursor } from "../../contract/ids.ts";
import { ArchivePositions } from "./positions.ts";

test("a cursor reads back", () => {
  const positions = new ArchivePositions(null);
  expect(positions.take()).toBeNull();
  positions.move("a@r", { id: "1", atMs: 5 });
  positions.move("b@r", { id: null, atMs: 6 });
  const cursor = positions.take();
  expect(positions.moved).toBe(false);
  const again = new ArchivePositions(cursor);
  expect([again.get("a@r"), again.get("b@r"), again.get("c@r")]).toEqual([
    { id: "1", atMs: 5 },
    { id: null, atMs: 6 },
    null,
  ]);
});

test.each([
  "",
  "{",
  "[]",
  "null",
  '{"rooms":null}',
  '{"rooms":{"a":{"at":"x"}}}',
  '{"rooms":5}',
  '{"rooms":{"a":null}}',
  '{"rooms":{"a":{"at":1e999}}}',
  '{"rooms":{"a":{"at":-1}}}',
  '{"rooms":{"a":{"at":8.65e15}}}',
])("%j is none", (text) => {
  expect(new ArchivePositions(text as Cursor).get("a")).toBeNull();
});

test("the rooms that moved longest ago go first", () => {
  const positions = new ArchivePositions(null);
  for (let at = 0; at < 1002; at += 1) positions.move(at === 1 ? "0" : String(at), { id: "x", atMs: at });
  expect([positions.get("0"), positions.get("1001")].every((position) => position === null)).toBe(false);
  expect(positions.get("0")).toBeNull();
});
