import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { Posted } from "../../contract/events.ts";
import type { Cursor, FileId, FileRef, UserRef } from "../../contract/ids.ts";
import type { Ended, OpenedFile } from "../../contract/session.ts";
import { compileInbound } from "../../gateway/inbound.ts";
import { compileNormalizer } from "../../gateway/normalize.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../gateway/samples.suite.ts";
import type { Batch } from "../../log/log.ts";
import { Intake } from "../intake.ts";
import { RemoteFiles } from "../remote-files.ts";
import { HealthReporter } from "../health-reporter.ts";
import { MemoryLane, MemoryLogger, NETWORK_DOWN, refOf, ScriptedNetwork, ScriptedSession } from "../scripted.suite.ts";
import { MemoryFiles, WHY } from "../stage.suite.ts";
import { Supervisor } from "./supervisor.ts";

const MINUTE = 60_000;
const LOST: Ended = { cause: "lost", why: NETWORK_DOWN };
const WRONG_PASSWORD: Ended = { cause: "auth", why: { code: "auth", message: "wrong password" } };

let clock: FakeClock;
let memory: MemoryLogger;
let network: ScriptedNetwork;
let lane: MemoryLane;
let stored: Batch[];
let chance: number;
let intake: Intake;
let supervisor: Supervisor;
let remoteFiles: RemoteFiles;

beforeEach(() => {
  clock = new FakeClock();
  memory = new MemoryLogger();
  network = new ScriptedNetwork();
  lane = new MemoryLane();
  stored = [];
  chance = 0.5;
  remoteFiles = new RemoteFiles();
  const account = { ...anAccount("net.Here"), settings: { Nick: "rialto" } };
  const config = aConfig([aGateway("g", ["inout net.here #room", "out net.there #x"])], [account]);
  const shared = { account, logger: memory.logger, clock, random: () => chance };
  intake = new Intake({
    ...shared,
    normalizer: compileNormalizer(account, compileInbound(account)),
    routes: compileRoutes(config),
    cursor: "c0" as Cursor,
    log: {
      ids: { find: () => Promise.resolve(null) },
      append: (batch) => {
        stored.push(batch);
        return Promise.resolve({ is: "stored", seqs: batch.entries.map((_, index) => index) });
      },
    },
  });
  const report = new HealthReporter(memory.logger, {}, () => clock.nowMs());
  const channels = [{ request: { name: "#room", options: {} }, lanes: [lane], report }];
  supervisor = new Supervisor({
    ...shared,
    adapter: network.adapter,
    channels,
    intake,
    files: new MemoryFiles(),
    remoteFiles,
  });
});

function said(text: string): Posted {
  return {
    kind: "posted",
    key: null,
    channel: refOf("#room"),
    atMs: 0,
    echoOf: null,
    messages: [],
    author: { id: "u" as UserRef, name: "bob", identity: null, avatar: null },
    body: { style: "normal", source: { format: "plain", text }, files: [] },
    replyTo: null,
    thread: null,
  };
}

const lastHost = (): ScriptedNetwork["opens"][0]["host"] => network.opens.at(-1)!.host;

async function start(): Promise<void> {
  supervisor.start();
  await settled();
}

test("opens a session with the account's settings, joins, and is online", async () => {
  expect(supervisor.state).toMatchObject({ is: "connecting", why: null });
  await start();
  expect(network.opens[0]?.settings).toEqual({ Nick: "rialto" });
  expect(supervisor.state).toEqual({ is: "online", sinceMs: clock.nowMs(), why: null });
  expect(lane.told).toEqual(["+ref:#room"]);
  expect(memory.shown("as", "channel")).toEqual([
    "info connecting",
    "info the account is online rialto",
    "info joined #room",
  ]);
});

describe("a session that ends", () => {
  test("is followed by another, and the lanes know why they wait", async () => {
    await start();
    network.session.end();
    await settled();
    expect(supervisor.state).toMatchObject({ is: "waiting", why: NETWORK_DOWN });
    expect(lane.told).toEqual(["+ref:#room", "-the server hung up"]);
    await clock.advance(500);
    expect(network.sessions).toHaveLength(2);
    expect(supervisor.state.is).toBe("online");
    expect(lane.told).toEqual(["+ref:#room", "-the server hung up", "+ref:#room"]);
    expect(memory.shown("why", "retryInS")).toEqual([
      "info connecting",
      "info the account is online",
      "info joined",
      "warn the account is offline the server hung up 1",
      "info the account is online",
    ]);
  });

  test("equal failures are told once in ten minutes", async () => {
    network.refuse(LOST, 1000);
    supervisor.start();
    await clock.advance(9 * MINUTE);
    expect(network.opens.length).toBeGreaterThan(8);
    expect(memory.shown("why")).toEqual(["info connecting", "warn the account is offline the server hung up"]);
    await clock.advance(6 * MINUTE);
    expect(memory.shown()).toHaveLength(3);
  });

  test.each<Ended>([WRONG_PASSWORD, { cause: "config", why: { code: "config", message: "no such server" } }])(
    "because of $cause waits for a person, and is not tried before half an hour is over",
    async (ended) => {
      network.refuse(ended);
      chance = 0;
      await start();
      expect(supervisor.state).toMatchObject({ is: "action-needed", why: ended.why });
      expect(lane.told).toEqual([`-${ended.why.message}`]);
      expect(memory.shown("why")).toEqual([
        "info connecting",
        `error someone must act: the account cannot connect ${ended.why.message}`,
      ]);
      expect(memory.lines.at(-1)?.fields["remedy"]).toContain("settings");
      await clock.advance(30 * MINUTE - 1);
      expect(network.opens).toHaveLength(1);
      await clock.advance(1);
      expect(supervisor.state.is).toBe("online");
    },
  );

  test.each<[string, () => Promise<Opened>, string]>([
    ["throws when opened", () => Promise.reject(new Error("oops")), "the session could not be opened: Error: oops"],
    ["never opens", () => new Promise(() => undefined), "not connected and logged in within 60 s"],
  ])("because the adapter %s is one that was lost", async (_name, open, why) => {
    network.plans.push(open);
    supervisor.start();
    await clock.advance(MINUTE);
    expect(lane.told[0]).toBe(`-${why}`);
    await clock.advance(1_000);
    expect(supervisor.state.is).toBe("online");
  });

  test("because the adapter broke its promise is one that was lost", async () => {
    const session = new ScriptedSession();
    const broken = Object.assign(session, { ended: Promise.reject(new Error("oops")) });
    network.plans.push(() => Promise.resolve({ ok: true, session: broken }));
    await start();
    expect(supervisor.state).toMatchObject({ is: "waiting", why: { code: "bug" } });
    await clock.advance(1_000);
    expect(supervisor.state.is).toBe("online");
  });
});

test("a session that opens too late is closed, and does not count", async () => {
  const opening = Promise.withResolvers<Opened>();
  network.plans.push((args) => {
    args.signal.addEventListener("abort", () => undefined);
    return opening.promise;
  });
  supervisor.start();
  await clock.advance(MINUTE);
  expect(network.opens[0]?.signal.aborted).toBe(true);
  const late = new ScriptedSession();
  opening.resolve({ ok: true, session: late });
  await clock.advance(1_000);
  expect(late.steps).toEqual(["close"]);
  expect(late.asked).toEqual([]);
  expect(network.session.asked).toEqual(["#room"]);
});

test("a connection in doubt is degraded until it is well again", async () => {
  await start();
  const why = { code: "timeout", message: "no answer for 20 s" } as const;
  lastHost().degraded(why);
  expect(supervisor.state).toMatchObject({ is: "degraded", why });
  await clock.advance(1_000);
  lastHost().degraded(null);
  expect(supervisor.state).toEqual({ is: "online", sinceMs: clock.nowMs(), why: null });
  expect(lane.told).toEqual(["+ref:#room"]);
});

test("of several reasons to be degraded the newest that stands is shown", async () => {
  await start();
  const slow = { code: "rate_limited", message: "slower for a while" } as const;
  const silent = { code: "timeout", message: "no answer for 20 s" } as const;
  lastHost().degraded(slow, "pace");
  lastHost().degraded(silent);
  expect(supervisor.state).toMatchObject({ is: "degraded", why: silent });
  lastHost().degraded(null);
  expect(supervisor.state).toMatchObject({ is: "degraded", why: slow });
  lastHost().degraded(null, "pace");
  expect(supervisor.state).toMatchObject({ is: "online", why: null });
});

test("a session that is degraded from its beginning says so before it is there", async () => {
  const opening = Promise.withResolvers<Opened>();
  network.plans.push(async () => await opening.promise);
  supervisor.start();
  await clock.advance(1_000);
  const why = { code: "auth", message: "not logged in" } as const;
  lastHost().degraded(why, "login");
  expect(supervisor.state).toMatchObject({ is: "connecting" });
  opening.resolve({ ok: true, session: new ScriptedSession() });
  await clock.advance(1_000);
  expect(supervisor.state).toMatchObject({ is: "degraded", why });
});

test("a lost channel is joined again in the same session", async () => {
  await start();
  lastHost().lost(refOf("#room"), { code: "forbidden", message: "kicked" }, 5_000);
  expect(lane.told).toEqual(["+ref:#room", "-kicked"]);
  await clock.advance(5_000);
  expect(network.sessions).toHaveLength(1);
  expect(lane.told).toEqual(["+ref:#room", "-kicked", "+ref:#room"]);
});

describe("restart", () => {
  test("closes a session that hangs, and opens another", async () => {
    await start();
    const [first] = network.sessions;
    supervisor.restart({ code: "timeout", message: "a post hangs" });
    await clock.advance(1_000);
    expect(first?.steps).toEqual(["close"]);
    expect(lane.told.slice(0, 2)).toEqual(["+ref:#room", "-a post hangs"]);
    expect(network.sessions).toHaveLength(2);
    expect(lane.sink).not.toBeNull();
  });

  test("does not wait for a session that does not even close", async () => {
    await start();
    network.session.endsOnClose = false;
    supervisor.restart({ code: "timeout", message: "a post hangs" });
    await clock.advance(3_000);
    expect(network.sessions).toHaveLength(2);
  });

  test("without a session does nothing", async () => {
    network.refuse(LOST);
    await start();
    supervisor.restart({ code: "timeout", message: "a post hangs" });
    await settled();
    expect(network.opens).toHaveLength(1);
  });
});

describe("the host of a session", () => {
  test("takes events, also those that came before the join had its answer", async () => {
    network.plans.push(async (args) => {
      const session = new ScriptedSession();
      session.answer = ({ name }) => {
        void args.host.accept({ events: [said("early")], cursor: null });
        return Promise.resolve({ ok: true, ref: refOf(name), without: [] });
      };
      return await Promise.resolve({ ok: true, session });
    });
    await start();
    expect(await lastHost().accept({ events: [said("hi")], cursor: null })).toEqual(["stored"]);
    expect(stored.flatMap(({ entries }) => entries).map(({ payload }) => payload)).toEqual([
      expect.stringContaining("early"),
      expect.stringContaining("hi"),
    ]);
  });

  test("takes what was handed over before the end, and nothing after it", async () => {
    await start();
    const old = lastHost();
    const last = old.accept({ events: [said("last")], cursor: null });
    network.session.end();
    await settled();
    expect(await last).toEqual(["stored"]);
    expect(await old.accept({ events: [said("late")], cursor: null })).toEqual(["ignored"]);
    await clock.advance(1_000);
    old.lost(refOf("#room"), NETWORK_DOWN, 0);
    old.degraded(NETWORK_DOWN);
    expect(supervisor.state.is).toBe("online");
    expect(lane.sink).not.toBeNull();
    expect(stored).toHaveLength(1);
  });

  test("opens files and publishes texts", async () => {
    await start();
    expect(await lastHost().openFile("f" as FileId, new AbortController().signal)).toEqual({ ok: false, why: WHY });
    expect(await lastHost().publish("text")).toBe("https://files/text");
  });

  test("goes on from the newest cursor that was made durable", async () => {
    await start();
    expect(network.opens.at(-1)?.since).toBe("c0");
    await lastHost().accept({ events: [said("hi")], cursor: "c1" as Cursor });
    network.session.end();
    await settled();
    await clock.advance(1_000);
    expect(network.opens.at(-1)?.since).toBe("c1");
  });

  test("its session is asked for files while it lives", async () => {
    await start();
    const lookup = async (): Promise<OpenedFile> =>
      await remoteFiles.open("net.here", "f" as FileRef, new AbortController().signal);
    expect(await lookup()).toMatchObject({ why: { code: "unsupported" } });
    network.session.end();
    await settled();
    expect(await lookup()).toMatchObject({ why: { code: "network" } });
  });
});

test("one that is started twice has one session", async () => {
  await start();
  await start();
  expect(network.opens).toHaveLength(1);
});

describe("a stop", () => {
  test("quiesces, then closes, and no session follows", async () => {
    await start();
    await supervisor.quiesce();
    expect(network.session.steps).toEqual(["quiesce"]);
    expect(lane.told).toEqual(["+ref:#room"]);
    await supervisor.close();
    expect(network.session.steps).toEqual(["quiesce", "close"]);
    await clock.advance(60 * MINUTE);
    expect(network.opens).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  test("does not wait for a session that never ends", async () => {
    await start();
    network.session.endsOnClose = false;
    network.session.quiesce = () => new Promise(() => undefined);
    const stopped = supervisor.quiesce().then(() => supervisor.close());
    await clock.advance(3_000);
    await stopped;
    expect(clock.waiting).toBe(0);
  });

  test("gives up an open that is under way", async () => {
    network.plans.push(() => new Promise(() => undefined));
    await start();
    await supervisor.quiesce();
    await supervisor.close();
    expect(network.opens[0]?.signal.aborted).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test("closes a session that opens in the same moment", async () => {
    const opening = Promise.withResolvers<Opened>();
    network.plans.push(() => opening.promise);
    await start();
    const late = new ScriptedSession();
    opening.resolve({ ok: true, session: late });
    // The answer is on its way up when the stop comes.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    const stopped = supervisor.quiesce().then(() => supervisor.close());
    await settled();
    await stopped;
    expect(late.steps).toContain("close");
    expect(late.asked).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test("ends a wait", async () => {
    network.refuse(WRONG_PASSWORD);
    await start();
    await supervisor.quiesce();
    await supervisor.close();
    expect(clock.waiting).toBe(0);
  });

  test("of one that never started is over at once", async () => {
    await supervisor.quiesce();
    await supervisor.close();
    expect(network.opens).toEqual([]);
  });
});
