import { expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { EntryHead } from "../log/log.ts";
import { Lateness } from "./lateness.ts";
import { Item } from "./window.ts";

test("of a backlog too long to be looked at whole, what is older than all that was looked at is left out", async () => {
  const clock = new FakeClock();
  const at = clock.nowMs() - 60_000;
  const entries = [50, 51].map((seq): EntryHead => ({ seq, subject: "s", at, label: "" }));
  const lateness = new Lateness({
    clock,
    log: { newest: () => Promise.resolve({ entries, skipped: 40 }) },
    maxAgeMs: 3_600_000,
    catchUp: { is: "newest", count: 10 },
    subjects: ["s"],
    admits: () => true,
    wait: () => undefined,
    pump: () => undefined,
  });
  const of = (seq: number): string => lateness.of(new Item({ seq, at, label: "", payload: "" }), false).is;
  expect(of(10)).toBe("unknown");
  await settled();
  expect([10, 49, 50, 51].map(of)).toEqual(["too late", "too late", "in time", "in time"]);
  expect(of(52)).toBe("unknown");
});
