import { expect, test } from "vitest";
import { TelegramDigests } from "./digests.ts";

test("the last are there again", () => {
  const digests = new TelegramDigests({});
  for (let id = 1; id <= 150; id += 1) digests.note({ chat: id % 2 === 0 ? -1 : -2, id }, `d${id}`);
  digests.note({ chat: -1, id: 150 }, "other");
  const again = new TelegramDigests(JSON.parse(JSON.stringify(digests.write())) as Record<string, unknown>);
  expect([again.of({ chat: -1, id: 50 }), again.of({ chat: -2, id: 51 })]).toEqual([undefined, "d51"]);
  expect([again.of({ chat: -1, id: 150 }), again.of({ chat: -2, id: 150 })]).toEqual(["other", undefined]);
});

test("what is no cursor is nothing", () => {
  const strange = { "-1": 5, "-2": null, "-3": { 1: 5, 2: "x".repeat(50) }, "-4": ["a"] };
  expect(new TelegramDigests(strange).of({ chat: -3, id: 2 })).toBeUndefined();
});
