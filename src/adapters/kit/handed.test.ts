import { expect, test } from "vitest";
import type { EventKey } from "../../contract/ids.ts";
import { HandedEvents } from "./handed.ts";

const event = (key: string | null) => ({ key: key as EventKey | null });

test("an event with a key is news once, one without always", () => {
  const handed = new HandedEvents();
  const news = ["a", "b", "a", null, null, "b"].map((key) => handed.isNews(event(key)));
  expect(news).toEqual([true, true, false, true, true, false]);
});

test("what was heard of last is known the longest", () => {
  const handed = new HandedEvents();
  handed.isNews(event("old"));
  handed.isNews(event("again"));
  for (let count = 0; count < 4_998; count += 1) handed.isNews(event(String(count)));
  expect(handed.isNews(event("again"))).toBe(false);
  handed.isNews(event("one more"));
  expect(handed.isNews(event("again"))).toBe(false);
  expect(handed.isNews(event("old"))).toBe(true);
});
