import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { backEntry, type Outage, outageEntry } from "../../gateway/outages.ts";
import { ABLE, planOf } from "../../gateway/plan.suite.ts";
import type { NewEntry } from "../../log/log.ts";
import { Stage, type StageOptions, SUBJECT, WHY } from "../stage.suite.ts";

// Rooms are told the local time.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => vi.unstubAllEnvs());

const DOWN = "net.c there has been out of reach since 00:00+00:00 (no connection).";

let stage: Stage;
let outage: Outage;

async function open(options: StageOptions = {}): Promise<void> {
  stage = new Stage({ plan: planOf({}, [], ABLE), ...options });
  outage = {
    place: "net.c/there",
    account: "net.c",
    channel: "there",
    sinceMs: stage.clock.nowMs(),
    code: "network",
    takes: false,
  };
  await stage.open();
}

beforeEach(() => open());

/** Puts it into the log as `OutageNotices` does, but where the lane reads. */
async function put(entry: NewEntry): Promise<void> {
  await stage.log.append({ account: "", entries: [{ ...entry, subject: SUBJECT }] });
  stage.lane.wake();
  await stage.clock.advance(0);
}

const down = async (): Promise<void> => await put(outageEntry(outage, stage.clock.nowMs()));

async function back(): Promise<void> {
  const known = await stage.log.ids.find(SUBJECT, [String(outage.sinceMs)]);
  if (known === null) throw new Error("nobody was told of an outage");
  await put(backEntry(outage, known, null, stage.clock.nowMs()));
}

const made = (name: string): Outcome => ({
  is: "delivered",
  receipt: { messages: [name as MessageRef], losses: [] },
});

test("a notice is edited when the place is back, also after a restart", async () => {
  await stage.connect();
  await down();
  expect(stage.texts).toEqual([DOWN]);
  await stage.end(1, made("m1"));
  const first = stage;
  stage = first.next();
  await stage.open();
  await stage.connect();
  await stage.clock.advance(600_000);
  await back();
  expect(stage.calls.map(({ op }) => op)).toMatchObject([{ kind: "edit", target: ["m1"] }]);
  expect(stage.texts).toEqual(["net.c there was out of reach from 00:00+00:00 to 00:10+00:00."]);
});

test("an outage that is over before the room could be told is not told", async () => {
  await down();
  await back();
  await stage.connect();
  expect(stage.texts).toEqual([]);
  expect(await stage.receipts()).toMatchObject([{ state: "cancelled" }, { state: "cancelled" }]);
  expect(stage.cursorOnDisk).toBe(stage.log.head);
});

test("one that goes on is told late", async () => {
  await down();
  await stage.clock.advance(600_000);
  await stage.connect();
  expect(stage.texts).toEqual([DOWN]);
});

test("neither MaxAge nor CatchUp counts it among what was left out, and CatchUp lets it through", async () => {
  await open({ catchUp: { is: "none" }, maxAgeMs: 3_600_000 });
  await down();
  await stage.clock.advance(60_000);
  await stage.connect();
  expect(stage.texts).toEqual([DOWN]);
  await stage.end(1, made("m1"));
  stage.lane.disconnect(WHY);
  await down();
  await stage.clock.advance(3_600_001);
  await stage.connect();
  expect(stage.texts).toEqual([DOWN]);
  expect((await stage.receipts()).map(({ state }) => state)).toEqual(["sent", "expired"]);
});
