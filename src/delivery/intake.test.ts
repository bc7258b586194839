import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Accepted } from "../contract/host.ts";
import type { ChannelRef, Cursor, EventKey, UserRef } from "../contract/ids.ts";
import type { Posted } from "../contract/events.ts";
import type { Dropped } from "../gateway/drops.ts";
import { compileInbound } from "../gateway/inbound.ts";
import { compileNormalizer } from "../gateway/normalize.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { LogError } from "../log/errors.ts";
import type { Appended } from "../log/log.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import { Intake } from "./intake.ts";
import { ScriptedLog } from "./intake-log.suite.ts";
import { type NameOf, UNSETTLED } from "./names.ts";
import { MemoryLogger } from "./scripted.suite.ts";

const ROOM = "room" as ChannelRef;
const inRoom: NameOf = (ref) => (ref === ROOM ? "#room" : null);

function said(text: string, more: Partial<Posted> = {}): Posted {
  return {
    kind: "posted",
    key: null,
    channel: ROOM,
    atMs: 0,
    echoOf: null,
    messages: [],
    author: { id: "u" as UserRef, name: "bob", identity: null, avatar: null },
    body: { style: "normal", source: { format: "plain", text }, files: [] },
    replyTo: null,
    thread: null,
    ...more,
  };
}

let log: ScriptedLog;
let memory: MemoryLogger;
let clock: FakeClock;
let intake: Intake;
let dropped: Dropped[];

beforeEach(() => {
  dropped = [];
  log = new ScriptedLog();
  memory = new MemoryLogger();
  clock = new FakeClock();
  const account = anAccount("net.Here", { ignoreMessages: ["^spam"] });
  const config = aConfig([aGateway("g", ["in net.here #room", "out net.here #quiet", "out net.there #x"])], [account]);
  intake = new Intake({
    account,
    normalizer: compileNormalizer(account, compileInbound(account)),
    routes: compileRoutes(config),
    log,
    logger: memory.logger,
    clock,
    random: () => 0.5,
    cursor: null,
    onDrop: (drop) => dropped.push(drop),
  });
});

const accept = (
  events: readonly Posted[],
  cursor: string | null = null,
  nameOf = inRoom,
): Promise<readonly Accepted[]> => intake.accept({ events, cursor: cursor as Cursor | null }, nameOf);

test("one answer per event: stored, seen before, dropped and why", async () => {
  const quiet = "quiet" as ChannelRef;
  const names: NameOf = (ref) => (ref === quiet ? "#quiet" : inRoom(ref));
  const events = [
    said("a", { key: "1" as EventKey }),
    said("spam"),
    said("again", { key: "1" as EventKey }),
    said("elsewhere", { channel: "other" as ChannelRef }),
    said("where nobody listens", { channel: quiet }),
    said("mine", { echoOf: "self" }),
    said("b"),
  ];
  expect(await accept(events, null, names)).toEqual([
    "stored",
    "ignored",
    "duplicate",
    "ignored",
    "ignored",
    "ignored",
    "stored",
  ]);
  expect(log.texts).toEqual([["a", "again", "b"]]);
  expect(intake.accepted).toBe(2);
  expect(intake.dropped).toEqual({ ignored_text: 1, unknown_channel: 1, no_gateway: 1, own: 1, duplicate: 1 });
  const place = { account: "net.Here", by: "bob", event: "", refs: [] };
  // What nobody asks about is only counted.
  expect(dropped).toEqual([
    { ...place, channel: "#room", atMs: 0, text: "spam", reason: "ignored_text", rule: "^spam" },
    { ...place, channel: "other", atMs: 0, text: "elsewhere", reason: "unknown_channel" },
    { ...place, channel: "#quiet", atMs: 0, text: "where nobody listens", reason: "no_gateway" },
  ]);
});

test("the cursor is stored with its events, also when there are none to store", async () => {
  await accept([said("a")], "c1");
  await accept([said("spam")], "c2");
  await accept([], "c3");
  await accept([said("spam")]);
  expect(log.batches.map(({ account, marks }) => [account, marks])).toEqual([
    ["net.here", [{ name: "cursor/net.here", value: "c1" }]],
    ["net.here", [{ name: "cursor/net.here", value: "c2" }]],
    ["net.here", [{ name: "cursor/net.here", value: "c3" }]],
  ]);
});

test("where a session ended before a channel was known, its cursors no longer count, and the next session's do", async () => {
  const lost = "lost" as ChannelRef;
  const names: NameOf = (ref) => (ref === lost ? UNSETTLED : inRoom(ref));
  const late: NameOf = (ref) => names(ref);
  expect(await accept([said("a")], "c1", names)).toEqual(["stored"]);
  expect(await accept([said("b"), said("elsewhere", { channel: lost })], "c2", names)).toEqual(["stored", "ignored"]);
  expect(await accept([said("c")], "c3", names)).toEqual(["stored"]);
  await accept([], "c4", names);
  expect(intake.cursor).toBe("c1");
  expect(await accept([said("d")], "c2", late)).toEqual(["stored"]);
  expect(intake.cursor).toBe("c2");
  expect(log.texts).toEqual([["a"], ["b"], ["c"], ["d"]]);
});

describe("while one append is under way", () => {
  test("the next calls gather, in their order, and the newest cursor counts", async () => {
    log.hold();
    const first = accept([said("a")]);
    await settled();
    const others = [accept([said("b")], "c1"), accept([said("c"), said("d")], "c2"), accept([said("e")])];
    await settled();
    log.release();
    await Promise.all([first, ...others]);
    expect(log.texts).toEqual([["a"], ["b", "c", "d", "e"]]);
    expect(log.batches[1]?.marks).toEqual([{ name: "cursor/net.here", value: "c2" }]);
  });

  test("an append has its bounds, and no call is torn", async () => {
    const many = (count: number): Posted[] => Array.from({ length: count }, (_, n) => said(String(n)));
    const large = said("x".repeat(600_000));
    await Promise.all([
      accept(many(400)),
      accept(many(200)),
      accept(many(600)),
      accept([large, said("y")]),
      accept([large]),
      accept([said("z")]),
    ]);
    expect(log.texts.map(({ length }) => length)).toEqual([400, 200, 600, 3, 1]);
  });
});

describe("a log that refuses", () => {
  test("is asked again with the same events, and nothing is lost", async () => {
    log.refusals.push(
      new LogError("disk_full", "the disk is full"),
      new LogError("disk_full", "the disk is full"),
      new Error("worse"),
    );
    const answers = [accept([said("a")]), accept([said("b")])];
    await settled();
    const late = accept([said("c")]);
    await clock.advance(60_000);
    expect(await Promise.all([...answers, late])).toEqual([["stored"], ["stored"], ["stored"]]);
    expect(log.texts).toEqual([["a", "b"], ["c"]]);
    expect(memory.shown("why")).toEqual([
      "warn events wait: the log does not accept them the disk is full",
      "warn events wait: the log does not accept them worse",
      "info events are stored again",
    ]);
    expect(clock.waiting).toBe(0);
  });

  test("does not hold up a close", async () => {
    log.refusals.push(new LogError("disk_full", "the disk is full"));
    const answers = [accept([said("a")]), accept([said("b")])];
    await settled();
    answers.push(accept([said("c")]));
    intake.close();
    expect(await Promise.all(answers)).toEqual([["ignored"], ["ignored"], ["ignored"]]);
    expect(log.batches).toEqual([]);
    await intake.drained();
    expect(clock.waiting).toBe(0);
  });

  test("or does not know yet is not asked again: what became of it is waited for", async () => {
    const known = Promise.withResolvers<Appended | LogError>();
    log.refusals.push(new UnknownOutcome("not known", known.promise));
    const answers = [accept([said("a")], "1")];
    await settled();
    answers.push(accept([said("b")], "2"));
    await clock.advance(600_000);
    expect([log.texts, intake.cursor]).toEqual([[], null]);
    known.resolve({ is: "stored", seqs: [7] });
    expect(await Promise.all(answers)).toEqual([["stored"], ["stored"]]);
    expect([log.texts, intake.cursor]).toEqual([[["b"]], "2"]);
    log.refusals.push(new UnknownOutcome("not known", Promise.resolve(new LogError("fenced", "it is another's"))));
    const third = accept([said("c")]);
    await clock.advance(60_000);
    expect(await third).toEqual(["stored"]);
    log.refusals.push(new UnknownOutcome("not known", new Promise(() => undefined)));
    const last = accept([said("d")]);
    await settled();
    intake.close();
    expect(await last).toEqual(["ignored"]);
    expect(log.texts).toEqual([["b"], ["c"]]);
  });

  test("because it is closed is not asked again", async () => {
    log.refusals.push(new LogError("closed", "the log is closed"));
    expect(await accept([said("a")])).toEqual(["ignored"]);
    expect(memory.shown()).toEqual([]);
  });
});

test("after a close an append under way has its own answer, and all else is ignored", async () => {
  log.hold();
  const under = accept([said("a")]);
  await settled();
  const waiting = accept([said("b")]);
  intake.close();
  expect(await accept([said("c")])).toEqual(["ignored"]);
  expect(await waiting).toEqual(["ignored"]);
  log.release();
  expect(await under).toEqual(["stored"]);
  expect(log.texts).toEqual([["a"]]);
});

test("a channel whose name is not settled holds up what comes after it", async () => {
  let name: string | null | undefined;
  const joining = accept([said("a")], null, () => name);
  const behind = accept([said("b")]);
  await settled();
  expect(log.batches).toEqual([]);
  await intake.drained();
  name = "#room";
  intake.settled();
  await Promise.all([joining, behind]);
  expect(log.texts).toEqual([["a", "b"]]);
});

test("drained: when all that was handed over has its answer", async () => {
  log.hold();
  const answered: string[] = [];
  void accept([said("a")]).then(() => answered.push("a"));
  void intake.drained().then(() => answered.push("drained"));
  await settled();
  void accept([said("b")]).then(() => answered.push("b"));
  await settled();
  expect(answered).toEqual([]);
  log.release();
  await settled();
  expect(answered).toEqual(["a", "b", "drained"]);
});

test("an event that the core cannot read is told as the bug it is, and the others go on", async () => {
  const broken = { ...said("x"), body: null } as unknown as Posted;
  expect(await accept([broken, said("b")])).toEqual(["ignored", "stored"]);
  expect(memory.shown()).toEqual(["error an event is lost: this is a bug"]);
  expect(intake.dropped).toEqual({ bug: 1 });
});
