import { expect, test } from "vitest";
import { NOTHING } from "./json.ts";
import { RecentMessages } from "./recent-messages.ts";

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test("the newest of a channel outlive the program, but for what is gone", () => {
  const recent = new RecentMessages(NOTHING);
  for (const id of [...range(1, 25), "25"]) recent.keep("1", id);
  recent.drop("1", "25");
  recent.drop("2", "25");
  expect(recent.moved).toBe(true);
  const again = new RecentMessages(recent.write());
  expect([recent.moved, again.moved]).toEqual([false, false]);
  expect([again.of("1"), again.of("2")]).toEqual([range(6, 24), []]);
  for (const id of range(6, 24)) again.drop("1", id);
  expect([again.moved, again.write()]).toEqual([true, {}]);
});

test("of all channels together, those go first that were used long ago", () => {
  const recent = new RecentMessages(NOTHING);
  for (const channel of range(1, 40)) for (const id of range(1, 20)) recent.keep(channel, id);
  const counts = range(1, 40).map((channel) => recent.of(channel).length);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(256);
  expect([counts[0], counts[39]]).toEqual([0, 20]);
});

test.each([{ recent: 5 }, { recent: { "1": 5 } }, { recent: ["1 2"] }])("%j says nothing", (cursor) => {
  expect(new RecentMessages(cursor).write()).toEqual({});
});
