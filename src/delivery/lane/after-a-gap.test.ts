import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { connected, delivered, NONE, type Stage, WHY } from "../stage.suite.ts";

const DEFERRED: Outcome = { is: "deferred", why: WHY, scope: "channel", retryInMs: 1_000 };

/** The first of these waits again, those after it were sent. */
async function behindAGap(...texts: readonly string[]): Promise<Stage> {
  const stage = await connected({ idempotency: NONE, inflightMax: 3, clock: new FakeClock() });
  await stage.say(...texts);
  for (const number of texts.keys()) expect(await stage.call(number + 1).attempt.sending(END)).toBe(true);
  for (const number of texts.keys()) stage.call(number + 1).end(number === 0 ? DEFERRED : delivered);
  await settled();
  return stage;
}

async function killed(stage: Stage): Promise<Stage> {
  const next = stage.next();
  await next.open();
  await next.connect();
  return next;
}

test.each([[["one", "two"]], [["one", "two", "three"]]])(
  "the first of %j is sent in its next attempt: after a kill it is unconfirmed, and none is sent again",
  async (texts) => {
    const stage = await behindAGap(...texts);
    await stage.clock.advance(1_000);
    expect(await stage.call(texts.length + 1).attempt.sending(END)).toBe(true);
    const next = await killed(stage);
    expect(next.texts).toEqual([]);
    expect((await next.receipts()).map(({ seq, state }) => [seq, state])).toEqual([[2, "unconfirmed"]]);
  },
);

test("what was sent after a gap is not sent again after a second kill", async () => {
  const next = await killed(await behindAGap("one", "two", "three"));
  expect(next.texts).toEqual(["one"]);
  expect(await next.call(1).attempt.sending(END)).toBe(true);
  expect((await killed(next)).texts).toEqual([]);
});
