import { expect, test } from "vitest";
import { isUnderWay, pollMs } from "./fates.ts";

test("a way is asked for again while something waits or is being sent, the more seldom the longer it has lasted", () => {
  const at = { gateway: "g", account: "a", channel: "c", why: null, remedy: null, retryMs: null, tries: null };
  const of = (state: "sent" | "waiting") => ({ destinations: [{ ...at, state, refs: [], losses: [] }] });
  expect([isUnderWay(of("sent")), isUnderWay(of("waiting")), isUnderWay({ destinations: [] })]).toEqual([
    false,
    true,
    false,
  ]);
  const ages = [-5_000, 0, 60_000, 86_400_000].map((age) => pollMs({ atMs: 0 }, age));
  expect(ages).toEqual([1_000, 1_000, 6_000, 15_000]);
});
