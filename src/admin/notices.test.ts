import { expect, test } from "vitest";
import { noticesOf } from "./notices.ts";

const at = (channel: string, atMs: number) => ({ account: "web.site", channel, atMs });

test("what waits for a person is counted by room and said since the oldest; where nothing does, nothing is said", () => {
  const held = [at("lobby", 300), at("lobby", 200), at("den", 100)];
  const found = noticesOf({ held, reports: [at("lobby", 50)] });
  expect(found.map(({ of, what, sinceMs }) => [of, what, sinceMs])).toEqual([
    ["web.site lobby", "2 messages of guests wait for approval", 200],
    ["web.site den", "1 message of a guest waits for approval", 100],
    ["web.site lobby", "1 report of a guest is open", 50],
  ]);
  expect(noticesOf({ held: [], reports: [] })).toEqual([]);
});
