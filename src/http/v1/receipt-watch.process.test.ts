import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { ALL, feedStage } from "../../consumers/feed-stage.suite.ts";
import type { ApiEvent, ApiReceipt } from "../../contract/api-v1.ts";
import type { Seq } from "../../log/log.ts";
import { receiptFor, ReceiptWatch } from "./receipt-watch.ts";

const MINE = "api.own/lobby";

async function watched() {
  const stage = await feedStage();
  // What the feed asks the log for at first; from then on it answers from memory, in the turn of the clock.
  await stage.feed.count(0, ALL, 1);
  const clock = new FakeClock();
  const states = new Map<Seq, string>();
  let asked = 0;
  const receipts = (seq: Seq): Promise<readonly ApiReceipt[]> => {
    asked += 1;
    const none = { why: null, remedy: null, retry_at: null, tries: null, refs: [], losses: [] };
    const at = { gateway: "lobby", account: "net.a", channel: "#x" };
    return Promise.resolve([{ ...at, state: states.get(seq) ?? "waiting", ...none }]);
  };
  const watch = new ReceiptWatch({ feed: stage.feed, receipts, clock });
  const told: ApiEvent[] = [];
  const end = watch.listen((event) => told.push(event));
  const second = async (): Promise<void> => {
    await clock.advance(1000);
    await settled();
  };
  return { ...stage, clock, states, told, end, second, asked: () => asked };
}

test("of one's own messages, each end once; then nobody asks any more", async () => {
  const { text, states, told, second, asked, end, clock } = await watched();
  await text("net.a/#x", "not mine");
  const seq = await text(MINE, "mine");
  await second();
  await second();
  expect(told).toEqual([]);
  states.set(seq, "sent");
  await second();
  await second();
  expect(told).toMatchObject([
    { type: "receipt.changed", seq: String(seq), gateways: ["lobby"], message: { id: String(seq) } },
  ]);
  expect(told).toMatchObject([{ receipt: { account: "net.a", state: "sent" } }]);
  const before = asked();
  await second();
  expect(asked()).toBe(before);
  end();
  expect(clock.waiting).toBe(0);
});

test("one that waits for ever is given up after ten minutes", async () => {
  const { text, told, second, asked, clock } = await watched();
  await text(MINE, "mine");
  await second();
  await clock.advance(11 * 60_000);
  const before = asked();
  await second();
  expect(asked()).toBe(before);
  expect(told).toEqual([]);
});

test("who wants other types or sees other gateways is not told", async () => {
  const { text, states, told, second } = await watched();
  states.set(await text(MINE, "mine"), "failed");
  await second();
  const [event] = told;
  if (event === undefined) throw new Error("nothing was told");
  expect(receiptFor(event, ALL)).toBe(event);
  expect(receiptFor(event, { ...ALL, types: ["receipt.*"] })).toBe(event);
  expect(receiptFor(event, { ...ALL, types: ["message.*"] })).toBeNull();
  expect(receiptFor(event, { ...ALL, gateways: ["lobby"] })).toBe(event);
  expect(receiptFor(event, { ...ALL, gateways: ["games"] })).toBeNull();
});
