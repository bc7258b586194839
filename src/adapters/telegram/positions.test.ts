import { expect, test } from "vitest";
import { mint } from "../../contract/ids.ts";
import { channelRef } from "./ids.ts";
import { TelegramPositions } from "./positions.ts";

const room = channelRef({ chat: -100123, topic: 5 });
const cursor = (text: string) => mint("Cursor", text);

test("what was taken is there again", () => {
  const positions = new TelegramPositions(null);
  expect([positions.at, positions.moved]).toEqual([0, false]);
  positions.seen(7);
  positions.keep(room);
  expect(positions.move(-5, -1005)).toBe(true);
  expect(positions.moved).toBe(true);
  const taken = positions.take();
  expect([positions.at, positions.moved]).toEqual([0, false]);
  positions.durable(7);
  expect(positions.at).toBe(7);
  const again = new TelegramPositions(taken);
  expect([again.at, [...again.rooms], again.now(-5), again.now(-6)]).toEqual([7, [room], -1005, -6]);
});

test("a room that is not wanted is forgotten", () => {
  const positions = new TelegramPositions(null);
  positions.keep(room);
  positions.take();
  positions.forget(room);
  expect(positions.moved).toBe(true);
  expect(new TelegramPositions(positions.take()).rooms.size).toBe(0);
});

test("ids of updates may begin anew, and are believed", () => {
  const positions = new TelegramPositions(cursor('{"at":900}'));
  positions.seen(12);
  positions.durable(12);
  expect(positions.at).toBe(12);
});

test.each([
  ["to itself", [[-1, -1]], -1, -1],
  [
    "twice",
    [
      [-1, -2],
      [-1, -2],
    ],
    -1,
    -2,
  ],
  [
    "in a chain",
    [
      [-1, -2],
      [-2, -3],
    ],
    -1,
    -3,
  ],
  [
    "in a ring",
    [
      [-1, -2],
      [-2, -3],
      [-3, -1],
    ],
    -1,
    -3,
  ],
  ["to what is no number", [[-1, Number.NaN]], -1, -1],
] as const)("a chat moves %s", (_, moves, from, now) => {
  const positions = new TelegramPositions(null);
  for (const [one, other] of moves) positions.move(one, other);
  expect(positions.now(from)).toBe(now);
  expect(new TelegramPositions(positions.take()).now(from)).toBe(now);
});

test.each([
  "",
  "no JSON",
  "[]",
  '{"at":"x","moved":[1],"rooms":{"a":1}}',
  '{"at":-3,"moved":{"-1":"-1"},"rooms":[1,"x"]}',
])("a cursor that is none, %j, begins anew", (text) => {
  const positions = new TelegramPositions(cursor(text));
  expect([positions.at, positions.rooms.size, positions.now(-1)]).toEqual([0, 0, -1]);
});
