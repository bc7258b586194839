import { beforeEach, expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import { decodeStored } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { FailureNotices } from "./failure-notices.ts";
import { type Disk, emptyDisk, MemoryLog } from "./memory-log.suite.ts";
import { MemoryLogger } from "./scripted.suite.ts";

const LANE = { gateway: "g", account: "web.B", channel: "room" };
const OTHER = { ...LANE, channel: "den" };

let disk: Disk;
let clock: FakeClock;
let log: MemoryLog;
let notices: FailureNotices;

function start(showFailures = true): void {
  const accounts = [anAccount("net.a", { showFailures }), anAccount("web.b")];
  const bridges = ["inout net.a #x", "inout web.b room", "inout api.left api"];
  const routes = compileRoutes(aConfig([aGateway("g", bridges)], accounts));
  notices = new FailureNotices({ log, clock, logger: new MemoryLogger().logger, routes });
}

beforeEach(() => {
  disk = emptyDisk();
  clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
  log = new MemoryLog(disk, undefined, () => clock.nowMs());
  start();
});

/** Somebody says something; its seq. */
async function say(subject = "net.a/#x"): Promise<number> {
  const note = { is: "said", refs: [`r${log.head + 1}`], author: '["u",null]', name: "ann", excerpt: "hi" } as const;
  await log.append({ account: "net.a", entries: [{ subject, key: null, label: "", payload: "", note }] });
  return log.head;
}

/** What was put into the log for the room of net.a, with what it is about. */
async function given(): Promise<readonly (readonly [text: string, is: string, of: number | null])[]> {
  await settled();
  const own = disk.entries.filter(({ subject }) => subject === "rialto.failure/net.a/#x");
  return own.map(({ payload }) => {
    const { message, about } = decodeStored(payload);
    return [message.text, about?.is ?? "", about?.seq ?? null];
  });
}

const TEXT = "This message was not delivered to web.B room (too large).";

test("a message that failed is answered in its own channel, and the answer deleted once it has arrived", async () => {
  const seq = await say();
  notices.ended(seq, LANE, "too_large");
  expect(await given()).toEqual([[TEXT, "reply", seq]]);
  const notice = log.head;
  notices.ended(seq, LANE, null);
  expect((await given()).slice(1)).toEqual([["", "delete", notice]]);
  notices.ended(seq, LANE, null);
  expect(await given()).toHaveLength(2);
});

test("one in 10 minutes from a destination to a channel", async () => {
  const [first, second] = [await say(), await say()];
  notices.ended(first, LANE, "too_large");
  notices.ended(second, LANE, "too_large");
  notices.ended(second, OTHER, "too_large");
  expect((await given()).map(([, , of]) => of)).toEqual([first, second]);
  await clock.advance(600_000);
  notices.ended(second, LANE, "too_large");
  expect(await given()).toHaveLength(3);
});

test("none in a busy channel: more than 20 messages in a minute", async () => {
  for (let count = 0; count < 20; count += 1) await say();
  notices.ended(await say(), LANE, "too_large");
  expect(await given()).toEqual([]);
  await clock.advance(60_000);
  notices.ended(await say(), OTHER, "too_large");
  expect(await given()).toHaveLength(1);
});

test("none for what has no room of a network, was deleted, is unknown, or where ShowFailures is off", async () => {
  notices.ended(await say("api.left/g"), LANE, "too_large");
  notices.ended(999, LANE, "too_large");
  const seq = await say();
  const note = { is: "gone", of: seq } as const;
  await log.append({
    account: "net.a",
    entries: [{ subject: "net.a/#x", key: null, label: "msg_delete", payload: "", note }],
  });
  notices.ended(seq, LANE, "too_large");
  start(false);
  notices.ended(await say(), LANE, "too_large");
  expect(await given()).toEqual([]);
});

test("a log that takes nothing: the others follow when it does; after a stop, none", async () => {
  const seq = await say();
  log.refuses = "disk_full";
  notices.ended(seq, LANE, "too_large");
  expect(await given()).toEqual([]);
  log.refuses = null;
  notices.ended(seq, OTHER, "too_large");
  expect(await given()).toHaveLength(1);
  notices.stop();
  await clock.advance(600_000);
  notices.ended(seq, LANE, "too_large");
  expect(await given()).toHaveLength(1);
});
