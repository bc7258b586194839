import { expect, test } from "vitest";
import type { Dropped } from "../gateway/drops.ts";
import { Drops } from "./drops.ts";

const aDrop = (fields: Partial<Dropped>): Dropped => {
  const place = { account: "net.a", channel: "#a", atMs: 0, event: "", refs: [] };
  return { ...place, by: "bob", text: "", reason: "ignored_text", ...fields };
};

test("the newest thousand are kept", () => {
  const drops = new Drops();
  for (let atMs = 0; atMs < 1010; atMs += 1) drops.add(aDrop({ atMs, text: "x" }));
  const times = drops.about("x").map(({ atMs }) => atMs);
  expect([times.length, times[0], times.at(-1)]).toEqual([1000, 1009, 10]);
});

test("long ones are cut, and together they take 1 MiB at most", () => {
  const drops = new Drops();
  const long = "y".repeat(100_000);
  for (let count = 0; count < 1000; count += 1) {
    drops.add(aDrop({ by: long, text: long, rule: long, refs: [long, long, long, long, long] }));
  }
  const kept = drops.about("y");
  const chars = kept.map(
    ({ by, text, rule = "", refs }) => by.length + text.length + rule.length + refs.join("").length,
  );
  expect(Math.max(...chars)).toBe(1000 + 6 * 200);
  expect(chars.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(512 * 1024);
  expect(kept.length).toBeGreaterThan(200);
});
