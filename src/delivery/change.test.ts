import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../contract/host.ts";
import { changeOf } from "../config/diff.ts";
import { encode } from "../gateway/codec.ts";
import { type LiveRoutes, liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Hold, Log } from "../log/log.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { RemoteFiles } from "./remote-files.ts";
import { MemoryLogger, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";

/** Those that have not gone off. */
const timers = new Set<object>();
const counting: Clock = {
  ...systemClock,
  after: (ms, task) => {
    const timer = {};
    timers.add(timer);
    const cancel = systemClock.after(ms, () => {
      timers.delete(timer);
      task();
    });
    return () => {
      timers.delete(timer);
      cancel();
    };
  },
};

const NICK = { remoteNickFormat: "<{NICK}> " };
const ACCOUNTS = ["net.a", "web.b"].map((name) => anAccount(name, NICK));

let log: Log;
let net: ScriptedNetwork;
let web: ScriptedNetwork;
let memory: MemoryLogger;
let config: Config;
let routes: LiveRoutes;

beforeEach(async () => {
  timers.clear();
  log = await openAt(scratchFolder());
  net = new ScriptedNetwork();
  web = new ScriptedNetwork();
  memory = new MemoryLogger();
});

const gateway = (name: string, ...bridges: readonly string[]) => aGateway(name, [...bridges, "inout api.left api"]);
/** With the accounts that the gateways name, and no other. */
function configOf(...gateways: readonly ReturnType<typeof gateway>[]): Config {
  const named = new Set(gateways.flatMap(({ bridges }) => bridges.map(({ account }) => account)));
  return aConfig(
    gateways,
    ACCOUNTS.filter(({ key }) => named.has(key)),
  );
}

async function open(initial: Config): Promise<Delivery> {
  config = initial;
  routes = liveRoutes(compileRoutes(initial));
  const delivery = await openDelivery({
    config,
    adapters: new Map([
      ["net", net.adapter],
      ["web", web.adapter],
    ]),
    routes,
    lock: new ReadWriteLock(),
    log,
    files: new MemoryFiles(),
    remoteFiles: new RemoteFiles(),
    logger: memory.logger,
    clock: counting,
    random: () => 0,
  });
  onTestFinished(async () => {
    await delivery.quiesce();
    await delivery.close();
  });
  delivery.start();
  return delivery;
}

/** As the program does it. `steps`: how far it gets. */
async function change(delivery: Delivery, next: Config, steps: "marks" | "all" = "all"): Promise<void> {
  const compiled = compileRoutes(next);
  const kept = [...next.accounts.values()].filter(({ key }) => config.accounts.has(key));
  const reopen = kept.filter((account) => changeOf(config.accounts.get(account.key), account) === "reopen");
  const changing = await delivery.change({
    config: next,
    routes: compiled,
    reopen: new Set(reopen.map(({ key }) => key)),
  });
  const marks = changing.marks();
  if (marks.length > 0) await log.mark(marks);
  if (steps === "marks") return;
  config = next;
  routes.swap(compiled);
  changing.swap();
  await changing.settle();
}

async function post(text: string, name = "g"): Promise<void> {
  const message = aMessage({ text, account: "api.left", protocol: "api", gateway: name });
  const entry = { subject: `api.left/${name}`, key: null, label: "", payload: encode(message) };
  await log.append({ account: "api.left", entries: [entry] });
}

const posts = (network: ScriptedNetwork): readonly string[] => network.sessions.flatMap((session) => session.posts);

async function until(network: ScriptedNetwork, ...wanted: readonly string[]): Promise<void> {
  const found = await eventually(
    () => Promise.resolve(posts(network)),
    (all) => all.length >= wanted.length,
    () => `${wanted.length} posts, got ${JSON.stringify(posts(network))}`,
  );
  expect(found).toEqual(wanted);
}

/** What is kept from retention; the newest is the last. */
function heldBack(): readonly Hold[] {
  const holds: Hold[] = [];
  const hold = log.hold.bind(log);
  log.hold = (given) => {
    holds.push(given);
    return hold(given);
  };
  return holds;
}

const laneMarks = async (): Promise<readonly string[]> => [...(await log.marks("lane/")).keys()];

describe("another configuration", () => {
  test("a channel that comes is joined, hears what is said from then on, and nothing else is touched", async () => {
    const old = configOf(gateway("g", "inout net.a #x", "inout web.b room"));
    const delivery = await open(old);
    await post("one");
    await until(net, "ref:#x <bob> one");
    await change(delivery, configOf(gateway("g", "inout net.a #x", "inout net.a #y", "inout web.b room")));
    await post("two");
    await until(net, "ref:#x <bob> one", "ref:#x <bob> two", "ref:#y <bob> two");
    await until(web, "ref:room <bob> one", "ref:room <bob> two");
    expect([net.opens.length, web.opens.length]).toEqual([1, 1]);
    expect(net.session.asked).toEqual(["#x", "#y"]);
    expect(net.session.left).toEqual([]);
  });

  test("a channel that goes is left, and begins anew when it comes back", async () => {
    const both = configOf(gateway("g", "inout net.a #x", "inout net.a #y"));
    const one = configOf(gateway("g", "inout net.a #x"));
    const delivery = await open(both);
    await post("one");
    await until(net, "ref:#x <bob> one", "ref:#y <bob> one");
    await change(delivery, one);
    await eventually(
      () => Promise.resolve(net.session.left),
      (left) => left.length === 1,
      () => "the channel to be left",
    );
    expect(await laneMarks()).toEqual(["lane/g/net.a/#x"]);
    await post("two");
    await change(delivery, both);
    await post("three");
    await until(
      net,
      "ref:#x <bob> one",
      "ref:#y <bob> one",
      "ref:#x <bob> two",
      "ref:#x <bob> three",
      "ref:#y <bob> three",
    );
    expect(net.opens).toHaveLength(1);
  });

  test("a lane whose gateway is another goes on after what it has done, with what waited", async () => {
    const delivery = await open(configOf(gateway("g", "inout net.a #x")));
    await post("one");
    await until(net, "ref:#x <bob> one");
    net.session.answer = () => new Promise(() => undefined);
    const changing = change(delivery, configOf(gateway("g", "inout net.a #x", "inout web.b room")));
    await post("two");
    await changing;
    await post("three");
    await until(net, "ref:#x <bob> one", "ref:#x <bob> two", "ref:#x <bob> three");
    expect(net.session.asked).toEqual(["#x"]);
  });

  test("how messages look counts from the next one on, without another session", async () => {
    const old = configOf(gateway("g", "inout net.a #x"));
    const delivery = await open(old);
    await post("one");
    await until(net, "ref:#x <bob> one");
    await change(delivery, aConfig(old.gateways, [anAccount("net.a", { remoteNickFormat: "{NICK}: " })]));
    await post("two");
    await until(net, "ref:#x <bob> one", "ref:#x bob: two");
    expect(net.opens).toHaveLength(1);
  });

  test("how a source is shown changes the lanes that read it", async () => {
    const old = aConfig(
      [gateway("g", "inout net.a #x")],
      [anAccount("net.a", { remoteNickFormat: "{LABEL}<{NICK}> " })],
    );
    const delivery = await open(old);
    const left = anAccount("api.left", { label: "L" });
    await change(
      delivery,
      aConfig(
        old.gateways,
        [...old.accounts.values()].map((each) => (each.key === left.key ? left : each)),
      ),
    );
    await post("one");
    await until(net, "ref:#x L<bob> one");
    expect(net.opens).toHaveLength(1);
  });

  test("an account with other settings gets another session, one that goes is closed, and one that comes is opened", async () => {
    const old = configOf(gateway("g", "inout net.a #x"));
    const delivery = await open(old);
    await post("one");
    await until(net, "ref:#x <bob> one");
    const other = { ...anAccount("net.a", NICK), settings: { Nick: "other" } };
    await change(
      delivery,
      aConfig([gateway("g", "inout net.a #x", "inout web.b room")], [other, anAccount("web.b", NICK)]),
    );
    await post("two");
    await until(net, "ref:#x <bob> one", "ref:#x <bob> two");
    await until(web, "ref:room <bob> two");
    expect(net.sessions[0]?.steps).toEqual(["quiesce", "close"]);
    expect(net.opens.map(({ settings }) => settings)).toEqual([{}, { Nick: "other" }]);
    await change(delivery, configOf(gateway("g", "inout web.b room")));
    expect(net.session.steps).toEqual(["quiesce", "close"]);
    expect(delivery.state("net.a")).toBeUndefined();
    expect(await laneMarks()).toEqual(["lane/g/web.b/room"]);
    expect((await delivery.status()).map(({ key }) => key)).toEqual(["web.b"]);
  });

  test("a bridge whose removal was killed half-way begins anew, should a later configuration have it again", async () => {
    const old = configOf(gateway("g", "inout net.a #x", "inout web.b room"));
    net.plans.push(() => new Promise(() => undefined));
    const delivery = await open(old);
    await post("one");
    await until(web, "ref:room <bob> one");
    await change(delivery, configOf(gateway("g", "inout web.b room")), "marks");
    await delivery.quiesce();
    await delivery.close();
    await post("two");
    await open(old);
    await post("three");
    await until(net, "ref:#x <bob> three");
    expect([...(await log.marks("removed/")).keys()]).toEqual([]);
  });

  test("the lanes of an account that gets another session are in the commit: a log that takes nothing refuses the change", async () => {
    const old = configOf(gateway("g", "inout net.a #x"));
    const delivery = await open(old);
    const accounts = new Map(old.accounts).set("net.a", { ...anAccount("net.a", NICK), settings: { Nick: "other" } });
    const next = { config: { ...old, accounts }, routes: compileRoutes(old), reopen: new Set(["net.a"]) };
    const changing = await delivery.change(next);
    expect(changing.marks().map(({ name }) => name)).toEqual(["sources/g/net.a/#x"]);
  });

  test("an account that could not be opened at first, as the log could not be read, leaves nothing behind of that try", async () => {
    const delivery = await open(configOf(gateway("g", "inout web.b room")));
    const newest = log.newest.bind(log);
    let failures = 0;
    // The lanes are open by then, and known to those who wake them.
    log.newest = async (query) => {
      if (failures === 2 || query.limit > 1) return await newest(query);
      failures += 1;
      throw new LogError("io", "no");
    };
    const holds = heldBack();
    await change(delivery, configOf(gateway("g", "inout web.b room", "inout net.a #x", "inout net.a #y")));
    expect(failures).toBe(2);
    await post("one");
    await until(web, "ref:room <bob> one");
    await until(net, "ref:#x <bob> one", "ref:#y <bob> one");
    await eventually(
      () => Promise.resolve(holds.at(-1)?.after() ?? 0),
      (after) => after === log.head,
      () => "nothing to be waited for",
    );
  });

  test("what waits for lanes that are opened again is kept from retention meanwhile", async () => {
    net.plans.push(() => new Promise(() => undefined));
    const holds = heldBack();
    const delivery = await open(configOf(gateway("g", "inout net.a #x")));
    await post("one");
    const newest = log.newest.bind(log);
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    log.newest = async (query) => {
      asked.resolve();
      await answer.promise;
      return await newest(query);
    };
    const changing = change(delivery, configOf(gateway("g", "inout net.a #x", "inout net.a #y")));
    await asked.promise;
    expect(holds.map(({ after }) => after() < log.head)).toEqual([true, true]);
    answer.resolve();
    await changing;
    expect(holds.map(({ after }) => after() < log.head)).toEqual([true, true]);
  });

  test("another OutageNotice counts at once", async () => {
    net.plans.push(() => new Promise(() => undefined));
    const old = configOf(gateway("g", "inout net.a #x", "inout web.b room"));
    const delivery = await open({ ...old, general: { ...old.general, outageNoticeMs: 3_600_000 } });
    await change(delivery, { ...old, general: { ...old.general, outageNoticeMs: 100 } });
    const told = await eventually(
      () => Promise.resolve(posts(web)),
      (all) => all.length > 0,
      () => "the notice",
    );
    expect(told[0]).toContain("net.a #x has been out of reach");
  });

  test("what the cursor of an account knew goes with it", async () => {
    const delivery = await open(configOf(gateway("g", "inout net.a #x", "inout web.b room")));
    await log.mark([
      { name: "cursor/net.a", value: "c" },
      { name: "cursor/web.b", value: "c" },
    ]);
    await change(delivery, configOf(gateway("g", "inout web.b room")));
    expect([...(await log.marks("cursor/")).keys()]).toEqual(["cursor/web.b"]);
  });

  test("killed behind the marks: the next start begins there", async () => {
    const next = configOf(gateway("g", "inout net.a #x", "inout web.b room"));
    const first = await open(configOf(gateway("g", "inout net.a #x")));
    await post("one");
    await until(net, "ref:#x <bob> one");
    await change(first, next, "marks");
    await post("two");
    await until(net, "ref:#x <bob> one", "ref:#x <bob> two");
    await first.quiesce();
    await first.close();
    await open(next);
    await post("three");
    await until(web, "ref:room <bob> two", "ref:room <bob> three");
  });

  test("a stop in the middle opens nothing more, and ends", async () => {
    const delivery = await open(configOf(gateway("g", "inout net.a #x")));
    await post("one");
    await until(net, "ref:#x <bob> one");
    const changing = change(delivery, configOf(gateway("g", "inout net.a #x", "inout web.b room")));
    await delivery.quiesce();
    await delivery.close();
    await changing;
    expect(net.session.steps).toContain("close");
    expect(web.sessions.every(({ steps }) => steps.includes("close"))).toBe(true);
  });

  test("after a stop, a change is refused: lanes that were not opened again would seem new", async () => {
    const next = configOf(gateway("g", "inout net.a #x", "inout web.b room"));
    const delivery = await open(configOf(gateway("g", "inout net.a #x")));
    const changing = await delivery.change({ config: next, routes: compileRoutes(next), reopen: new Set() });
    await delivery.quiesce();
    await changing.settle();
    await expect(change(delivery, next)).rejects.toMatchObject({ code: "closed" });
    expect(await laneMarks()).toEqual(["lane/g/net.a/#x"]);
  });

  test("a stop while the log does not answer those that are opened leaves no timer", async () => {
    const delivery = await open(configOf(gateway("g", "inout net.a #x", "inout net.a #y")));
    net.session.answer = () => new Promise(() => undefined);
    const newest = log.newest.bind(log);
    const answer = Promise.withResolvers<void>();
    let asked = 0;
    log.newest = async (query) => {
      if (query.limit === 1 && ++asked === 2) await answer.promise;
      return await newest(query);
    };
    const changing = change(delivery, configOf(gateway("g", "inout net.a #x", "inout net.a #y", "inout web.b room")));
    await eventually(
      () => Promise.resolve(asked),
      (count) => count >= 2,
      () => "the lanes to be opened again",
    );
    await post("one");
    await delivery.quiesce();
    await delivery.close();
    answer.resolve();
    await changing;
    expect(timers.size).toBe(0);
  });
});
