import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { StateHistory, HISTORY_STEM, LOOK_MS } from "./history.ts";
import { aLane, aReader, aRoom, aStatus } from "./samples.suite.ts";
import type { HistoryView } from "./views.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A program that looks at one account, keeps what it should, and can be killed and started again. */
function aStage() {
  // In the middle of a day, at the beginning of a slot.
  const clock = new FakeClock(Date.UTC(2026, 5, 1, 12));
  const disk = new Map<string, string>();
  const stage = { writes: 0, history: new StateHistory(), account: aStatus(), reader: aReader() };
  const places = () => ({ accounts: [stage.account], readers: [stage.reader] });
  const look = (): void => {
    for (const { name, value } of stage.history.look(places(), clock.nowMs())) {
      stage.writes += 1;
      disk.set(name, value);
    }
  };
  const stop = (): void => {
    for (const { name, value } of stage.history.marks) disk.set(name, value);
  };
  const run = async (ms: number, fields: Partial<AccountStatus> = {}): Promise<void> => {
    stage.account = aStatus({ ...stage.account, ...fields });
    for (let at = 0; at < ms; at += LOOK_MS) {
      look();
      await clock.advance(LOOK_MS);
    }
  };
  const view = (): HistoryView => stage.history.view(places(), clock.nowMs() - 1);
  const restart = (): void => void (stage.history = new StateHistory(disk));
  const own = () => view().accounts[0];
  return { clock, disk, stage, stop, run, view, own, restart };
}

test("each five minutes are as bad as the worst of them, each day too, and what was before is not known", async () => {
  const { run, own } = aStage();
  await run(10 * MINUTE);
  await run(MINUTE, { state: "waiting" });
  await run(9 * MINUTE, { state: "online" });
  await run(5 * MINUTE, { state: "degraded" });
  expect(own()).toEqual({
    account: "net.home",
    day: [
      ["none", 283],
      ["ok", 2],
      ["down", 1],
      ["ok", 1],
      ["degraded", 1],
    ],
    quarter: [
      ["none", 89],
      ["down", 1],
    ],
    time: {
      day: { upMs: 24 * MINUTE - LOOK_MS, downMs: MINUTE },
      quarter: { upMs: 24 * MINUTE - LOOK_MS, downMs: MINUTE },
    },
    lanes: [expect.objectContaining({ gateway: "g", channel: "#room" })],
  });
});

test("a lane is down with its account or its room, and degraded when something waits for long", async () => {
  const { run, own, stage } = aStage();
  const lane = () => own()?.lanes[0]?.day.slice(1);
  const at = stage.account.sinceMs;
  await run(5 * MINUTE);
  await run(5 * MINUTE, { channels: [aRoom({ state: "waiting" })] });
  await run(5 * MINUTE, { channels: [aRoom({ lanes: [aLane({ oldestMs: at })] })] });
  await run(5 * MINUTE, { state: "action-needed", channels: [aRoom({ state: "offline" })] });
  expect(lane()).toEqual([
    ["ok", 1],
    ["down", 1],
    ["degraded", 1],
    ["down", 1],
  ]);
});

test("a connection that is being made is no trouble at first, and one that was lost between two looks is", async () => {
  const { run, own, clock } = aStage();
  await run(MINUTE, { state: "connecting", downSinceMs: clock.nowMs() });
  await run(4 * MINUTE, { state: "online", downSinceMs: null });
  await run(5 * MINUTE, { reconnects: 1 });
  await run(5 * MINUTE);
  await run(5 * MINUTE, { state: "connecting", downSinceMs: clock.nowMs() });
  expect(own()?.day.slice(1)).toEqual([
    ["ok", 1],
    ["down", 1],
    ["ok", 1],
    ["down", 1],
  ]);
});

test("it is the same after a restart, and the time in between is not known", async () => {
  const { run, own, restart, stop, clock } = aStage();
  await run(20 * MINUTE);
  stop();
  const before = own();
  restart();
  expect(own()).toEqual(before);
  await clock.advance(30 * MINUTE);
  await run(5 * MINUTE);
  expect(own()?.day.slice(1)).toEqual([
    ["ok", 4],
    ["none", 6],
    ["ok", 1],
  ]);
  expect(own()?.quarter.at(-1)).toEqual(["ok", 1]);
});

test("a kill makes a quarter of an hour unknown at most, and a trouble is on the disk at once", async () => {
  const { run, own, restart, stage } = aStage();
  await run(5 * HOUR);
  // Of the account and of the reader, once at the beginning and then every 15 minutes.
  expect(stage.writes).toBe(2 * 5 * 4);
  restart();
  expect(own()?.day.find(([state]) => state === "ok")?.[1]).toBeGreaterThanOrEqual(57);
  await run(LOOK_MS, { state: "waiting" });
  restart();
  expect(own()?.quarter.at(-1)).toEqual(["down", 1]);
});

test("a bad minute is a minute of the time, over a restart too; what nobody saw is no time", async () => {
  const { run, own, restart, stop, clock } = aStage();
  await run(HOUR);
  await run(2 * MINUTE, { state: "waiting" });
  await run(58 * MINUTE, { state: "degraded" });
  // Between two looks, and not seen as down by any of them.
  await run(HOUR, { state: "online", reconnects: 1 });
  stop();
  restart();
  await clock.advance(5 * HOUR);
  await run(10 * MINUTE);
  await run(10 * MINUTE, { state: "paused" });
  const time = { upMs: 3 * HOUR + 8 * MINUTE - 2 * LOOK_MS, downMs: 2 * MINUTE };
  expect(own()?.time).toEqual({ day: time, quarter: time });
  await clock.advance(24 * HOUR);
  expect(own()?.time).toEqual({ day: { upMs: 0, downMs: 0 }, quarter: time });
});

test("a bridge that is gone is forgotten when all that is known of it is too long ago", async () => {
  const { run, stage, clock, disk, stop } = aStage();
  const kept = (): readonly string[] => {
    stop();
    return Array.from((disk.get(`${HISTORY_STEM}net.home`) ?? "").matchAll(/#\w+/gu), ([name]) => name);
  };
  await run(MINUTE, { channels: [aRoom(), aRoom({ channel: "#old" })] });
  await run(MINUTE, { channels: [aRoom()] });
  expect(kept()).toEqual(["#room", "#old"]);
  await clock.advance(89 * 24 * HOUR);
  await run(MINUTE);
  expect(kept()).toEqual(["#room", "#old"]);
  await clock.advance(24 * HOUR);
  await run(MINUTE);
  expect(kept()).toEqual(["#room"]);
  expect(stage.history.view({ accounts: [stage.account], readers: [] }, clock.nowMs()).accounts[0]?.lanes).toHaveLength(
    1,
  );
});

test("a calendar that jumps ahead leaves a gap, and one that jumps back forgets what is to come", async () => {
  const { run, own, clock } = aStage();
  await run(10 * MINUTE);
  clock.jump(2 * HOUR);
  await run(10 * MINUTE, { state: "waiting" });
  expect(own()?.day.slice(1)).toEqual([
    ["ok", 2],
    ["none", 24],
    ["down", 2],
  ]);
  clock.jump(-2 * HOUR);
  await run(5 * MINUTE, { state: "online" });
  expect(own()?.day.slice(1)).toEqual([
    ["ok", 2],
    ["none", 2],
    ["ok", 1],
  ]);
  clock.jump(-400 * 24 * HOUR);
  await run(5 * MINUTE);
  expect(own()?.day.slice(1)).toEqual([["ok", 1]]);
});

test("an account of the API is down while it does not listen; what is no longer there is not shown", async () => {
  const { run, stage, view } = aStage();
  await run(5 * MINUTE);
  stage.reader = aReader({ down: { reason: "no", remedy: "do" } });
  await run(5 * MINUTE);
  expect(view().accounts[1]).toMatchObject({
    account: "api.web",
    day: [
      ["none", 286],
      ["ok", 1],
      ["down", 1],
    ],
  });
  stage.reader = aReader({ key: "api.other" });
  expect(view().accounts.map(({ account }) => account)).toEqual(["net.home", "api.other"]);
});

test("a mark that cannot be read is as none", () => {
  for (const value of [
    "",
    "{",
    "[]",
    '{"own":7,"lanes":[[]]}',
    '{"own":[null,"x"],"lanes":{}}',
    '{"times":[[[1,-5],7,["x"]],{}]}',
  ]) {
    const history = new StateHistory(new Map([[`${HISTORY_STEM}net.home`, value]]));
    const { accounts } = history.view({ accounts: [aStatus()], readers: [] }, 0);
    expect(accounts[0]?.day).toEqual([["none", 288]]);
  }
});
