import { expect, test } from "vitest";
import { canGoAgain, isUnderWay, pollMs } from "./fates.ts";

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

test("what did not arrive can be sent again: a message or an answer, as long as the log has its words", () => {
  const message = { gone: false, about: null };
  const states = ["failed", "expired", "unconfirmed", "sent", "waiting", "withheld", "cancelled"] as const;
  expect(states.filter((state) => canGoAgain(message, { state }))).toEqual(["failed", "expired", "unconfirmed"]);
  const others = [
    { gone: true, about: null },
    { gone: false, about: { is: "edit", seq: 1 } },
    { gone: false, about: { is: "reply", seq: 1 } },
  ];
  expect(others.map((other) => canGoAgain(other, { state: "failed" }))).toEqual([false, false, true]);
});
