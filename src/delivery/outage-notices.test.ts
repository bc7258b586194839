import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { ReasonCode } from "../contract/outcome.ts";
import { decodeStored } from "../gateway/codec.ts";
import { LogError } from "../log/errors.ts";
import type { Appended } from "../log/log.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import { type Disk, emptyDisk, MemoryLog } from "./memory-log.suite.ts";
import { OutageNotices, type WatchedPlace } from "./outage-notices.ts";
import { MemoryLogger } from "./scripted.suite.ts";

// Rooms are told the local time.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => vi.unstubAllEnvs());

const NOTICE_MS = 300_000;

let disk: Disk;
let clock: FakeClock;
let log: MemoryLog;
let places: WatchedPlace[];
let notices: OutageNotices;

beforeEach(() => {
  disk = emptyDisk();
  clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
  places = [aPlace("a"), aPlace("b")];
  restart();
});

/** Everything new but the disk. */
function restart(): void {
  log = new MemoryLog(disk, undefined, () => clock.nowMs());
  notices = new OutageNotices({
    log,
    clock,
    logger: new MemoryLogger().logger,
    noticeMs: () => NOTICE_MS,
    places: () => places,
  });
  notices.start();
}

function aPlace(name: string, more: Partial<WatchedPlace> = {}): WatchedPlace {
  const backlog = (): Promise<number> => Promise.resolve(2);
  return {
    place: `net.${name}/room`,
    account: `net.${name}`,
    channel: "room",
    takes: () => true,
    down: null,
    backlog,
    ...more,
  };
}

function become(name: string, down: WatchedPlace["down"]): void {
  places = places.map((each) => (each.account === `net.${name}` ? { ...each, down } : each));
}

/** Not joined from now on. */
function fall(name: string, code: ReasonCode = "network"): void {
  const sinceMs = clock.nowMs();
  const fellMs = clock.monoMs();
  const why = { code, message: "secret words of a server" };
  become(name, {
    sinceMs,
    get forMs() {
      return clock.monoMs() - fellMs;
    },
    why,
  });
}

const told = (): readonly string[] => disk.entries.map(({ payload }) => decodeStored(payload).message.text);

const DOWN =
  "net.a room has been out of reach since 12:00+00:00 (no connection). Messages for it are kept and delivered when it is back.";

describe("a place that is out of reach", () => {
  test("is told once, after a while, and once when it is back", async () => {
    fall("a");
    await clock.advance(NOTICE_MS - 10_000);
    expect(told()).toEqual([]);
    await clock.advance(20_000);
    expect(told()).toEqual([DOWN]);
    await clock.advance(3_600_000);
    expect(told()).toEqual([DOWN]);
    become("a", null);
    await clock.advance(10_000);
    await clock.advance(3_600_000);
    expect(told()).toEqual([DOWN, "net.a room was out of reach from 12:00+00:00 to 13:05+00:00; 2 messages waited."]);
    expect(decodeStored(disk.entries[1]!.payload).about).toMatchObject({ is: "edit", seq: disk.entries[0]!.seq });
  });

  test("is not told when it is back soon", async () => {
    for (let time = 0; time < 5; time += 1) {
      fall("a");
      await clock.advance(NOTICE_MS - 10_000);
      become("a", null);
      await clock.advance(10_000);
    }
    expect(told()).toEqual([]);
  });

  test.each([
    ["ahead", 7_200_000],
    ["back", -7_200_000],
  ])("is told when it has been that for long enough, also when the clock is set %s meanwhile", async (_, ms) => {
    fall("a");
    clock.jump(ms);
    await clock.advance(NOTICE_MS - 10_000);
    expect(told()).toEqual([]);
    await clock.advance(20_000);
    expect(told()).toEqual([DOWN]);
  });

  test("again is told again", async () => {
    for (let time = 0; time < 2; time += 1) {
      fall("a");
      await clock.advance(NOTICE_MS + 10_000);
      become("a", null);
      await clock.advance(10_000);
    }
    expect(told()).toHaveLength(4);
  });

  test("does not hold up another, and nothing that a server said is shown", async () => {
    fall("a", "forbidden");
    fall("b", "auth");
    await clock.advance(NOTICE_MS + 10_000);
    expect(told()).toEqual([
      expect.stringContaining("net.a room has been out of reach since 12:00+00:00 (Rialto is not allowed in)"),
      expect.stringContaining("net.b room has been out of reach since 12:00+00:00 (the login is refused)"),
    ]);
    expect(told().join("\n")).not.toContain("secret");
  });

  test("of which nobody knows the number of messages", async () => {
    places = [aPlace("a", { backlog: () => Promise.resolve(null) })];
    fall("a");
    await clock.advance(NOTICE_MS + 10_000);
    become("a", null);
    await clock.advance(10_000);
    expect(told()[1]).toBe("net.a room was out of reach from 12:00+00:00 to 12:05+00:00.");
  });
});

describe("a restart", () => {
  test("in an outage tells nothing again, and takes back what was told", async () => {
    fall("a");
    await clock.advance(NOTICE_MS + 10_000);
    notices.stop();
    fall("a");
    restart();
    await clock.advance(3_600_000);
    expect(told()).toEqual([DOWN]);
    become("a", null);
    await clock.advance(10_000);
    expect(told()).toHaveLength(2);
    notices.stop();
    restart();
    await clock.advance(3_600_000);
    expect(told()).toHaveLength(2);
  });

  test("after an outage that ended meanwhile takes back what was told", async () => {
    fall("a");
    await clock.advance(NOTICE_MS + 10_000);
    notices.stop();
    become("a", null);
    restart();
    await clock.advance(10_000);
    expect(told()).toHaveLength(2);
  });
});

describe("a change of the configuration", () => {
  beforeEach(async () => {
    fall("a");
    await clock.advance(NOTICE_MS + 10_000);
  });

  test("that opens the account again: nothing is known for a while, and nothing told", async () => {
    become("a", undefined);
    await clock.advance(3_600_000);
    expect(told()).toEqual([DOWN]);
    become("a", null);
    await clock.advance(10_000);
    expect(told()).toHaveLength(2);
  });

  test("that takes the place out: nobody is told, and nothing is remembered", async () => {
    places = places.filter(({ account }) => account !== "net.a");
    await clock.advance(10_000);
    expect([...disk.marks.keys()]).toEqual([]);
    places = [...places, aPlace("a")];
    await clock.advance(3_600_000);
    expect(told()).toEqual([DOWN]);
  });
});

test("nothing is told after a stop", async () => {
  fall("a");
  notices.stop();
  expect(clock.waiting).toBe(0);
  await clock.advance(3_600_000);
  expect(told()).toEqual([]);
});

test("a stop while one is told of: nobody is told of another", async () => {
  fall("a");
  fall("b");
  const append = log.append.bind(log);
  const answer = Promise.withResolvers<void>();
  log.append = async (batch) => await answer.promise.then(() => append(batch));
  await clock.advance(NOTICE_MS + 10_000);
  notices.stop();
  answer.resolve();
  await clock.advance(3_600_000);
  expect(told()).toEqual([DOWN]);
  expect(clock.waiting).toBe(0);
});

test("a stop while it is looked up what was told: nothing is taken back", async () => {
  fall("a");
  await clock.advance(NOTICE_MS + 10_000);
  const find = log.ids.find.bind(log.ids);
  const answer = Promise.withResolvers<void>();
  Object.assign(log.ids, {
    find: async (...asked: Parameters<typeof find>) => await answer.promise.then(() => find(...asked)),
  });
  become("a", null);
  await clock.advance(10_000);
  notices.stop();
  answer.resolve();
  await clock.advance(3_600_000);
  expect(told()).toEqual([DOWN]);
});

test("while the log refuses nothing is told, and everything once when it takes it again", async () => {
  fall("a");
  log.refuses = "disk_full";
  await clock.advance(3_600_000);
  expect(told()).toEqual([]);
  log.refuses = null;
  await clock.advance(10_000);
  expect(told()).toEqual([DOWN]);
  log.refuses = "disk_full";
  become("a", null);
  await clock.advance(10_000);
  log.refuses = null;
  await clock.advance(10_000);
  expect(told()).toHaveLength(2);
});

test.each([
  ["stored", true],
  ["not stored", false],
])("what nobody knows whether it is stored is told once; it is %s", async (_, isStored) => {
  const append = log.append.bind(log);
  for (const down of [true, false]) {
    const known = Promise.withResolvers<Appended | LogError>();
    log.append = async (batch) => {
      log.append = append;
      if (isStored) await append(batch);
      throw new UnknownOutcome("not known", known.promise);
    };
    if (down) fall("a");
    else become("a", null);
    await clock.advance(NOTICE_MS + 3_600_000);
    expect(told()).toHaveLength(isStored ? (down ? 1 : 2) : down ? 0 : 1);
    known.resolve(isStored ? { is: "stored", seqs: [1] } : new LogError("io", "no"));
    await clock.advance(3_600_000);
    expect(told()).toHaveLength(down ? 1 : 2);
  }
});

test("a notice that nobody remembers is not edited, and forgotten", async () => {
  disk.marks.set("outage/net.a/room", JSON.stringify({ sinceMs: 5, code: "network" }));
  await clock.advance(10_000);
  expect(told()).toEqual([]);
  expect(disk.marks.get("outage/net.a/room")).toBe("");
});
