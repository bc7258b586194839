import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../contract/host.ts";
import { encode } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import type { Hold, Log } from "../log/log.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { RemoteFiles } from "./remote-files.ts";
import { AccountRegistry } from "./account-registry.ts";
import { decodeCheckpoint } from "./lane/checkpoint.ts";
import { laneSpecs } from "./lane-specs.ts";
import { Lanes } from "./lanes.ts";
import { LoopWatch } from "./loop-watch.ts";
import { MemoryLogger, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";

const accounts = ["net.a", "web.b"].map((name) => anAccount(name, { remoteNickFormat: "<{NICK}> " }));
const config = aConfig([aGateway("main", ["inout net.a #x", "inout web.b room", "inout api.left api"])], accounts);

let log: Log;

beforeEach(async () => {
  log = await openAt(scratchFolder());
});

/** One of the machines that share the log. */
class Machine {
  readonly net = new ScriptedNetwork();
  readonly web = new ScriptedNetwork();
  readonly sharing = new ReadWriteLock();
  readonly logger = new MemoryLogger();
  clock: Clock = systemClock;
  hold: Hold | null = null;
  isSure = true;
  isOver = false;

  async open(by: Config = config): Promise<Delivery> {
    const holding = (given: Hold) => {
      this.hold = given;
      return log.hold(given);
    };
    const delivery = await openDelivery({
      config: by,
      adapters: new Map([
        ["net", this.net.adapter],
        ["web", this.web.adapter],
      ]),
      routes: compileRoutes(by),
      log: new Proxy(log, { get: (of, name) => (name === "hold" ? holding : bound(of, name)) }),
      files: new MemoryFiles(),
      remoteFiles: new RemoteFiles(),
      logger: this.logger.logger,
      clock: this.clock,
      random: () => 0,
      sharing: this.sharing,
      mayCall: () => this.isSure,
      whereIs: (key) => (key === "web.b" ? "n2" : null),
    });
    onTestFinished(async () => {
      await delivery.quiesce();
      await delivery.close();
    });
    delivery.start();
    return delivery;
  }

  posts(network: "net" | "web"): readonly string[] {
    return this[network].sessions.flatMap((session) => session.posts);
  }

  until(network: "net" | "web", count: number): Promise<readonly string[]> {
    return eventually(
      () => Promise.resolve(this.posts(network)),
      (all) => all.length >= count,
      () => `${count} posts, got ${JSON.stringify(this.posts(network))}`,
    );
  }
}

function bound(of: Log, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name, of);
  return typeof value === "function" ? (value.bind(of) as unknown) : value;
}

async function post(text: string): Promise<number> {
  const message = aMessage({ text, account: "api.left", protocol: "api", gateway: "main" });
  const entry = { subject: "api.left/main", key: null, label: "", payload: encode(message) };
  const appended = await log.append({ account: "api.left", entries: [entry] });
  return (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
}

test("each account runs where it was told to, and goes on elsewhere from where it was", async () => {
  const [one, other] = [new Machine(), new Machine()];
  const [first, second] = [await one.open(), await other.open()];
  expect(await first.status()).toEqual([]);
  await Promise.all([first.run("net.a"), second.run("web.b"), first.run("api.left"), first.run("net.unknown")]);
  await post("one");
  await one.until("net", 1);
  await other.until("web", 1);
  expect((await first.status()).map(({ account }) => account)).toEqual(["net.a"]);
  expect(await first.control("web.b", "pause")).toEqual({ is: "refused", why: "it runs at the machine n2: ask there" });
  expect(await first.control("net.c", "pause")).toEqual({ is: "unknown" });
  await first.release("net.a", { isLost: false });
  await post("two");
  await other.until("web", 2);
  // While nobody runs it, it waits.
  await second.run("net.a");
  await post("three");
  expect(await other.until("net", 2)).toEqual(["ref:#x <bob> two", "ref:#x <bob> three"]);
  expect(one.posts("net")).toEqual(["ref:#x <bob> one"]);
  expect([one.posts("web"), await first.status()]).toEqual([[], []]);
});

test("what is asked of one account is done in that order, and one that is lost while it opens does not open", async () => {
  const one = new Machine();
  const delivery = await one.open();
  const asked = [delivery.run("net.a"), delivery.release("net.a", { isLost: true }), delivery.run("web.b")];
  await Promise.all(asked);
  expect((await delivery.status()).map(({ account }) => account)).toEqual(["web.b"]);
  await Promise.all([
    delivery.run("net.a"),
    delivery.release("net.a", { isLost: false }),
    delivery.run("net.a"),
    delivery.run("net.a"),
  ]);
  expect((await delivery.status()).map(({ account }) => account)).toEqual(["web.b", "net.a"]);
});

test("an account that is lost while it opens leaves no lane behind, for which retention would wait", async () => {
  const { logger } = new MemoryLogger();
  const lanes = new Lanes(log);
  const routes = compileRoutes(config);
  const registry = new AccountRegistry({
    adapters: new Map([["net", new ScriptedNetwork().adapter]]),
    lanes,
    loops: new LoopWatch(systemClock, logger),
    routes,
    log,
    files: new MemoryFiles(),
    remoteFiles: new RemoteFiles(),
    logger,
    clock: systemClock,
    random: () => 0,
  });
  const [account = anAccount("net.a")] = accounts;
  const lost = new AbortController();
  const specs = laneSpecs(config, routes).get(account.key) ?? [];
  const opening = registry.add({ account, config, routes, specs }, lost.signal);
  lost.abort();
  await opening;
  expect([registry.all, lanes.take("api.left/main")]).toEqual([[], false]);
});

test("nothing begins or ends here while the configuration changes", async () => {
  const one = new Machine();
  const delivery = await one.open();
  const changed = Promise.withResolvers<void>();
  const changing = one.sharing.exclusive(1000, () => changed.promise);
  const running = delivery.run("net.a");
  await post("meanwhile");
  expect(await delivery.status()).toEqual([]);
  changed.resolve();
  await Promise.all([changing, running]);
  expect(await delivery.status()).toHaveLength(1);
});

test("a change of the configuration is about what runs here, and forgets nothing of others", async () => {
  const [one, other] = [new Machine(), new Machine()];
  const [first, second] = [await one.open(), await other.open()];
  await Promise.all([first.run("net.a"), second.run("web.b")]);
  await post("one");
  await other.until("web", 1);
  await one.until("net", 1);
  const next = aConfig([aGateway("main", ["inout net.a #x", "inout api.left api"])], accounts);
  const change = await first.change({ config: next, routes: compileRoutes(next), reopen: new Set() });
  expect(change.marks().map(({ name }) => name)).toEqual(["sources/main/net.a/#x"]);
  change.swap();
  await change.settle();
  await second.release("web.b", { isLost: false });
  await post("two");
  await second.run("web.b");
  expect(await other.until("web", 2)).toEqual(["ref:room <bob> one", "ref:room <bob> two"]);
});

test("an account that is about to open while the configuration changes goes on from where it was", async () => {
  const one = new Machine();
  const delivery = await one.open();
  await delivery.run("net.a");
  await post("one");
  await one.until("net", 1);
  await delivery.release("net.a", { isLost: false });
  await post("two");
  const next = aConfig([aGateway("main", ["inout net.a #x", "inout api.left api"])], accounts);
  let running = Promise.resolve();
  await one.sharing.exclusive(1000, async () => {
    running = delivery.run("net.a");
    const change = await delivery.change({ config: next, routes: compileRoutes(next), reopen: new Set() });
    const marks = change.marks();
    if (marks.length > 0) await log.mark(marks);
    change.swap();
    await change.settle();
  });
  await running;
  expect(await one.until("net", 2)).toEqual(["ref:#x <bob> one", "ref:#x <bob> two"]);
});

test("an account that is about to end while the configuration changes loses none of its bridges, and opens no more", async () => {
  const one = new Machine();
  const delivery = await one.open();
  await delivery.run("net.a");
  const next = aConfig([aGateway("main", ["inout net.a #x", "inout api.left api"])], accounts);
  let released = Promise.resolve();
  await one.sharing.exclusive(1000, async () => {
    released = delivery.release("net.a", { isLost: true });
    const reopen = new Set(["net.a"]);
    const change = await delivery.change({ config: next, routes: compileRoutes(next), reopen });
    expect(change.marks().filter(({ name }) => name.startsWith("removed/"))).toEqual([]);
    change.swap();
    await change.settle();
    expect(await delivery.status()).toEqual([]);
  });
  await released;
  expect(one.net.sessions).toHaveLength(1);
});

test("nothing leaves while it is not certain who runs an account", async () => {
  const one = new Machine();
  const delivery = await one.open();
  await delivery.run("net.a");
  one.isSure = false;
  await post("one");
  await delivery.run("web.b");
  await eventually(
    () => Promise.resolve(one.net.sessions.length + one.web.sessions.length),
    (count) => count === 2,
    () => "both sessions",
  );
  const waiting = async () => (await delivery.status()).flatMap((each) => each.channels.flatMap(({ lanes }) => lanes));
  await eventually(
    waiting,
    (lanes) => lanes.length === 2 && lanes[0]?.waiting === 1,
    () => "the message to wait",
  );
  expect([one.posts("net"), one.posts("web")]).toEqual([[], []]);
  one.isSure = true;
  await one.until("net", 1);
});

test("retention leaves alone what lanes of other machines wait for", async () => {
  const [one, other] = [new Machine(), new Machine()];
  const first = await one.open();
  // Before it has looked, all is kept.
  expect(one.hold?.after()).toBe(0);
  await first.run("net.a");
  const second = await other.open();
  await second.run("web.b");
  const seq = await post("both have it");
  await Promise.all([one.until("net", 1), other.until("web", 1)]);
  other.isSure = false;
  const waits = await post("one has it");
  await one.until("net", 2);
  const marks = async (): Promise<readonly (number | undefined)[]> => {
    const found = [...(await log.marks("lane/")).values()];
    return found.map((mark) => decodeCheckpoint(mark)?.after).sort((a, b) => (a ?? 0) - (b ?? 0));
  };
  await eventually(
    marks,
    (stand) => stand[0] === seq && (stand[1] ?? 0) >= waits,
    () => "both lanes to have written where they stand",
  );
  const third = new Machine();
  await third.open();
  await eventually(
    () => Promise.resolve(third.hold?.after() ?? 0),
    (after) => after >= seq,
    () => `a look at where they stand, not ${third.hold?.after()}`,
  );
  expect(third.hold?.after()).toBeLessThan(waits);
});

test("retention leaves alone what lanes wait for that have been given to this machine, and are not open yet", async () => {
  const one = new Machine();
  const delivery = await one.open();
  await delivery.run("net.a");
  const seq = await post("it has this");
  await one.until("net", 1);
  await delivery.release("net.a", { isLost: false });
  const waits = await post("for whoever runs it next");
  const [other, clock] = [new Machine(), new FakeClock()];
  other.clock = clock;
  const next = await other.open();
  // The timer of the next look is set when one is over.
  const looked = async (): Promise<unknown> =>
    await eventually(
      () => Promise.resolve(clock.waiting),
      (waiting) => waiting === timers,
      () => "a look at where the others stand",
    );
  const timers = clock.waiting + 1;
  await looked();
  expect(other.hold?.after()).toBe(seq);
  const opened = Promise.withResolvers<void>();
  const changing = other.sharing.exclusive(1000, () => opened.promise);
  const running = next.run("net.a");
  await clock.advance(60_000);
  await looked();
  expect(other.hold?.after()).toBe(seq);
  expect(waits).toBeGreaterThan(seq);
  opened.resolve();
  await Promise.all([changing, running]);
  expect(await other.until("net", 1)).toEqual(["ref:#x <bob> for whoever runs it next"]);
});
