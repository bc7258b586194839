import { expect, test } from "vitest";
import type { EntryHead } from "../../log/log.ts";
import { lateness, newestOf } from "./lateness.ts";
import { WindowItem } from "./window.ts";

test("of a backlog too long to be looked at whole, what is older than all that was looked at is left out", () => {
  const nowMs = 100_000_000;
  const at = nowMs - 60_000;
  const entries = [50, 51].map((seq): EntryHead => ({ seq, subject: "s", at, label: "" }));
  const setting = { maxAgeMs: 3_600_000, catchUp: { is: "newest", count: 10 } } as const;
  const newest = newestOf(10, () => true, { from: 10, entries, skipped: 40 });
  const of = (seq: number, known: typeof newest | null): string =>
    lateness(setting, known, { nowMs }, new WindowItem({ seq, at, label: "", payload: "" }), () => false).is;
  expect(of(10, null)).toBe("unknown");
  expect([10, 49, 50, 51].map((seq) => of(seq, newest))).toEqual(["too late", "too late", "in time", "in time"]);
  expect(of(52, newest)).toBe("unknown");
});
