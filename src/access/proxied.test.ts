import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { ProxiedPeople } from "./proxied.ts";

test("who came last is the first, and no more than a hundred are remembered", async () => {
  const clock = new FakeClock(1000);
  const people = new ProxiedPeople(clock);
  expect(people.come("ann", "Firefox")).toMatchObject({ by: "proxy", name: "ann", gateways: null });
  await clock.advance(10);
  people.come("bob", "x".repeat(500));
  await clock.advance(10);
  people.come("ann", "Chromium\n");
  expect(people.list()).toEqual([
    { user: "ann", createdMs: 1000, usedMs: 1020, agent: "Chromium⏎" },
    { user: "bob", createdMs: 1010, usedMs: 1010, agent: `${"x".repeat(199)}…` },
  ]);
  for (let each = 0; each < 99; each += 1) people.come(`guest ${each}`, "");
  expect(people.list()).toHaveLength(100);
  expect(people.list().at(-1)?.user).toBe("ann");
});
