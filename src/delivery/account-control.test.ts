import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import { encode } from "../gateway/codec.ts";
import { liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { RemoteFiles } from "./remote-files.ts";
import { MemoryLogger, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";

const GATEWAY = aGateway("g", ["inout net.a #x", "inout api.left api"]);
const CONFIG = aConfig([GATEWAY], [anAccount("net.a")]);

let log: Log;
let network: ScriptedNetwork;

beforeEach(async () => {
  log = await openAt(scratchFolder());
  network = new ScriptedNetwork();
});

async function start(config: Config = CONFIG): Promise<Delivery> {
  const delivery = await openDelivery({
    config,
    adapters: new Map([["net", network.adapter]]),
    routes: liveRoutes(compileRoutes(config)),
    lock: new ReadWriteLock(),
    log,
    files: new MemoryFiles(),
    remoteFiles: new RemoteFiles(),
    logger: new MemoryLogger().logger,
    clock: systemClock,
    random: () => 0,
  });
  onTestFinished(async () => await stop(delivery));
  delivery.start();
  return delivery;
}

async function stop(delivery: Delivery): Promise<void> {
  await delivery.quiesce();
  await delivery.close();
}

async function say(text: string): Promise<void> {
  const payload = encode(aMessage({ text, account: "api.left", protocol: "api", gateway: "g" }));
  await log.append({ account: "api.left", entries: [{ subject: "api.left/g", key: null, label: "", payload }] });
}

const posts = (): readonly string[] => network.sessions.flatMap((session) => session.posts);

async function until(...wanted: readonly string[]): Promise<void> {
  const isThere = (all: readonly string[]): boolean => all.length >= wanted.length;
  const found = await eventually(
    () => Promise.resolve(posts()),
    isThere,
    () => `${wanted.length} posts: ${posts().join()}`,
  );
  expect(found).toEqual(wanted.map((text) => `ref:#x bob${text}`));
}

const stateOf = async (delivery: Delivery) => (await delivery.status())[0]?.state;

test("what is said while an account is paused waits for it, in order, and nothing of it is lost", async () => {
  const delivery = await start();
  await say("one");
  await until("one");
  expect(await delivery.control("net.a", "pause")).toEqual({ is: "done" });
  await say("two");
  await say("three");
  const [account] = await delivery.status();
  expect(account).toMatchObject({ state: "paused", channels: [{ lanes: [{ state: "waiting", waiting: 2 }] }] });
  expect(posts()).toEqual(["ref:#x bobone"]);
  expect(await delivery.control("net.a", "resume")).toEqual({ is: "done" });
  await until("one", "two", "three");
});

test("an account stays paused over a restart, and over a change that opens it again", async () => {
  const before = await start();
  await before.control("net.a", "pause");
  await stop(before);
  const delivery = await start();
  await say("later");
  expect(await stateOf(delivery)).toBe("paused");
  const change = await delivery.change({ config: CONFIG, routes: compileRoutes(CONFIG), reopen: new Set(["net.a"]) });
  await log.mark(change.marks());
  change.swap();
  await change.settle();
  expect([await stateOf(delivery), network.opens.length]).toEqual(["paused", 1]);
  await delivery.control("net.a", "resume");
  await until("later");
  await stop(delivery);
  expect(await stateOf(await start())).not.toBe("paused");
});

test("a pause that is asked for while a change opens the account again holds", async () => {
  const delivery = await start();
  const change = await delivery.change({ config: CONFIG, routes: compileRoutes(CONFIG), reopen: new Set(["net.a"]) });
  await log.mark(change.marks());
  change.swap();
  const settling = change.settle();
  const asked = delivery.control("net.a", "pause");
  await settling;
  expect(await asked).toEqual({ is: "done" });
  expect(await stateOf(delivery)).toBe("paused");
});

test("one that was taken out of the configuration comes back as if nobody had paused it", async () => {
  const before = await start();
  await before.control("net.a", "pause");
  await stop(before);
  await stop(await start(aConfig([aGateway("g", ["inout api.left api", "inout api.right api"])], [])));
  expect(await stateOf(await start())).not.toBe("paused");
});

test("what cannot be done is said: no such account, one that is kept down, and a log that takes nothing", async () => {
  const down = { reason: "the Server is missing", remedy: "Correct it." };
  const delivery = await start(aConfig([GATEWAY], [{ ...anAccount("net.a"), down }]));
  expect(await delivery.control("net.other", "pause")).toEqual({ is: "unknown" });
  expect(await delivery.control("net.a", "pause")).toEqual({
    is: "refused",
    why: "the configuration keeps the account down: the Server is missing",
  });
  await stop(delivery);
  const other = await start();
  await other.control("net.a", "pause");
  expect(await other.control("net.a", "reconnect")).toMatchObject({ is: "refused" });
  log.unmark = () => Promise.reject(new LogError("disk_full", "the disk is full"));
  await expect(other.control("net.a", "resume")).rejects.toThrow("the disk is full");
  expect(await stateOf(other)).toBe("paused");
});
