import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ApiClient, type Fields } from "../../test/support/client.ts";
import { freePorts } from "../../test/support/ports.ts";
import type { Account, Config } from "../config/config.ts";
import { lazyTokens } from "../access/lazy-tokens.ts";
import { systemClock } from "../delivery/clock.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { MemoryFiles } from "../delivery/stage.suite.ts";
import { encode } from "../gateway/codec.ts";
import { type LiveRoutes, liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { openForwarder } from "../http/forward.ts";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { type ApiCore, loadHttp } from "./api-server.ts";
import { ApiServers } from "./api-servers.ts";

const BRIDGES = ["in net.a #x", "inout api.right api"];

let log: Awaited<ReturnType<typeof openAt>>;
let routes: LiveRoutes;
let servers: ApiServers;
/** More servers over the same log. */
let open: (sharing: ReadWriteLock | null, more?: Pick<ApiCore, "mayCall">) => ApiServers;
let right: ApiClient;
let account: Account;
/** Names of the files that were kept for networks. */
let kept: string[];

beforeEach(async () => {
  log = await openAt(scratchFolder());
  const [port = 0] = await freePorts(1);
  const settings = { BindAddress: `127.0.0.1:${port}`, Token: "", Buffer: 1_000, MaxBodySize: 1_000_000 };
  account = { ...anAccount("api.right", { remoteNickFormat: "{NICK}" }), settings };
  const config = configOf(account);
  kept = [];
  const keep = (_content: Uint8Array, name: string): Promise<null> => {
    kept.push(name);
    return Promise.resolve(null);
  };
  routes = liveRoutes(compileRoutes(config));
  const http = await loadHttp();
  const tokens = lazyTokens({ log, clock: systemClock, bytes: randomBytes, logger: new MemoryLogger().logger });
  onTestFinished(() => tokens.close());
  open = (sharing, more = {}) =>
    new ApiServers({
      ...more,
      log,
      files: Object.assign(new MemoryFiles(), { keep, linkFor: () => null }) as never,
      routes,
      lock: new ReadWriteLock(),
      sharing,
      share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
      http,
      logger: new MemoryLogger().logger,
      onDrop: () => undefined,
      hint: () => undefined,
      delivery: () => null,
      tokens: tokens.get,
    });
  servers = open(null);
  onTestFinished(() => servers.close());
  await servers.open(config);
  log.tail(servers.listener);
  await servers.listen();
  right = new ApiClient(`http://127.0.0.1:${port}`);
});

const configOf = (...accounts: readonly Account[]): Config => aConfig([aGateway("g", BRIDGES)], accounts);

async function say(text: string): Promise<void> {
  const payload = encode(aMessage({ text, account: "net.a", protocol: "net", gateway: "" }));
  await log.append({ account: "net.a", entries: [{ subject: "net.a/#x", key: null, label: "", payload }] });
}

/** As the program does it. */
async function change(config: Config, ...reopen: readonly string[]): Promise<void> {
  const changing = await servers.change({ config, routes: compileRoutes(config), reopen: new Set(reopen) });
  const marks = changing.marks();
  if (marks.length > 0) await log.mark(marks);
  routes.swap(compileRoutes(config));
  changing.swap();
  await changing.settle();
}

test("what is committed while readers are opened again is theirs, also when the lock did not wait for it", async () => {
  await say("one");
  expect(await right.texts()).toEqual(["one"]);
  const mark = log.mark.bind(log);
  log.mark = async (marks) => {
    await say("late");
    await mark(marks);
    await say("later");
  };
  await change(configOf(account), account.key);
  log.mark = mark;
  await say("two");
  expect(await right.texts()).toEqual(["late", "later", "two"]);
});

test("how messages look and which ones pass is another from the change on, for the same readers", async () => {
  const stream = await right.stream();
  const presentation = { ...account.presentation, remoteNickFormat: "[{NICK}]", ignoreNicks: ["spam"] };
  await change(configOf({ ...account, presentation }));
  await say("one");
  expect(await stream.next()).toMatchObject({ text: "one", username: "[bob]" });
  await stream.close();
  await right.say({ text: "buy", username: "spam" });
  expect(servers.all.map(({ ingest }) => ingest.dropped)).toEqual([{ ignored_nick: 1 }]);
});

test("files are kept for a network from the moment on that one is there", async () => {
  const file = (Name: string): Fields => ({ text: "see", Extra: { file: [{ Name, Data: "aGk=" }] } });
  await right.say(file("first"));
  await change(aConfig([aGateway("g", ["inout net.a #x", "inout api.right api"])], [account]));
  await right.say(file("second"));
  expect(kept).toEqual(["second"]);
});

test("an account that goes and comes back begins at the head", async () => {
  await say("one");
  await change(aConfig([aGateway("g", ["in net.a #x", "out net.b #y"])], []));
  expect([servers.all.length, servers.addresses.size]).toEqual([0, 0]);
  await expect(right.texts()).rejects.toThrow("ECONNREFUSED");
  await say("two");
  await change(configOf(account));
  await say("three");
  expect(await right.texts()).toEqual(["three"]);
});

/** Those of a machine that shares the log, with nothing of its own yet. */
async function shared(sharing: ReadWriteLock, config: Config, more?: Pick<ApiCore, "mayCall">): Promise<ApiServers> {
  await servers.close();
  servers = open(sharing, more);
  onTestFinished(() => servers.close());
  log.tail(servers.listener);
  await servers.open(config);
  await servers.listen();
  return servers;
}

/** Where programs reach them, as a machine does it that shares the log. */
async function front(machine: ApiServers): Promise<ApiClient> {
  const forwarder = await openForwarder({
    address: { host: "127.0.0.1", port: 0 },
    take: (socket) => machine.all.some(({ http }) => http.take(socket)),
    open: () => null,
    descriptors: ampleDescriptors(),
  });
  onTestFinished(() => forwarder.close());
  return new ApiClient(`http://127.0.0.1:${forwarder.address.port}`);
}

test("an account that is about to be served while the configuration changes keeps its readers' positions", async () => {
  await say("one");
  expect(await right.texts()).toEqual(["one"]);
  const sharing = new ReadWriteLock();
  const machine = await shared(sharing, configOf(account));
  await say("two");
  let running = Promise.resolve();
  await sharing.exclusive(1000, async () => {
    running = machine.run(account.key);
    await change(configOf(account));
  });
  await running;
  expect(await (await front(machine)).texts()).toEqual(["two"]);
});

test("a program that comes while nobody serves the account waits until somebody does", async () => {
  const machine = await shared(new ReadWriteLock(), configOf(account));
  const client = await front(machine);
  const stream = client.stream();
  await machine.run(account.key);
  await say("one");
  expect((await (await stream).next()).text).toBe("one");
  await machine.release(account.key);
  expect(await (await stream).ended).toBe("complete");
  const texts = client.texts();
  await machine.run(account.key);
  expect(await texts).toEqual(["one"]);
});

test("an account that the configuration keeps down is not served, also where a machine is given it", async () => {
  const down = { reason: "no Token", remedy: "give it one" };
  const machine = await shared(new ReadWriteLock(), configOf({ ...account, down }));
  await machine.run(account.key);
  expect(machine.addresses.size).toBe(0);
  expect(machine.all.map(({ http }) => http.take(new Socket()))).toEqual([false]);
});

test("where readers begin is stored as their account's, so that who has lost it meanwhile moves none of them", async () => {
  const owners: (string | undefined)[] = [];
  const machine = await shared(new ReadWriteLock(), configOf(account));
  const mark = log.mark.bind(log);
  log.mark = async (marks, how) => {
    owners.push(how?.account);
    await mark(marks, how);
  };
  await machine.run(account.key);
  log.mark = mark;
  expect(owners).toEqual([account.key]);
});

/** Where another place stands in for that whose messages they read. */
const elsewhere = (): Config => aConfig([aGateway("g", ["in net.b #y", "inout api.right api"])], [account]);

test("a change that was refused, and stored all the same, leaves what is unread", async () => {
  const machine = await shared(new ReadWriteLock(), configOf(account));
  await machine.run(account.key);
  await say("one");
  const next = elsewhere();
  const changing = await machine.change({ config: next, routes: compileRoutes(next), reopen: new Set() });
  await log.mark(changing.marks());
  await machine.release(account.key);
  await machine.run(account.key);
  expect(await (await front(machine)).texts()).toEqual(["one"]);
});

test("a place that goes is new when it comes back, also with a start", async () => {
  const machine = await shared(new ReadWriteLock(), configOf(account));
  await machine.run(account.key);
  await change(elsewhere());
  await say("meanwhile");
  await machine.release(account.key);
  const back = await shared(new ReadWriteLock(), configOf(account));
  routes.swap(compileRoutes(configOf(account)));
  await back.run(account.key);
  await say("two");
  expect(await (await front(back)).texts()).toEqual(["two"]);
});

test("readers are given nothing where it is not certain that the machine runs their account", async () => {
  let [isSure, asked] = [true, ""];
  const mayCall = (key: string): boolean => {
    asked = key;
    return isSure;
  };
  const machine = await shared(new ReadWriteLock(), configOf(account), { mayCall });
  await machine.run(account.key);
  const client = await front(machine);
  const stream = await client.stream();
  isSure = false;
  await say("one");
  expect(asked).toBe(account.key);
  let isPolled = false;
  const polled = client.texts().finally(() => (isPolled = true));
  await client.request("/api/health");
  expect([isPolled, stream.lines.length]).toEqual([false, 1]);
  isSure = true;
  expect(await polled).toEqual(["one"]);
  expect((await stream.next()).text).toBe("one");
});
