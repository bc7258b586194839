import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import type { Posted } from "../contract/events.ts";
import type { UserRef } from "../contract/ids.ts";
import { encode } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import type { Hold, Log } from "../log/log.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import type { OnHint } from "./hints.ts";
import { RemoteFiles } from "./remote-files.ts";
import { MemoryLogger, refOf, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";

const bridges = ["inout net.a #x", "inout web.b room", "inout api.left api"];
const accounts = ["net.a", "web.b"].map((name) => anAccount(name, { remoteNickFormat: "<{NICK}> " }));

let log: Log;
let hold: Hold | null;
let net: ScriptedNetwork;
let web: ScriptedNetwork;
let memory: MemoryLogger;

beforeEach(async () => {
  log = await openAt(scratchFolder());
  hold = null;
  const holdOf = log.hold.bind(log);
  log.hold = (given) => {
    hold = given;
    return holdOf(given);
  };
  restart();
});

/** The networks and the logger as after a start of the program. */
function restart(): void {
  net = new ScriptedNetwork();
  web = new ScriptedNetwork();
  memory = new MemoryLogger();
}

async function open(
  config: Config = aConfig([aGateway("main", bridges)], accounts),
  onHint: OnHint = () => undefined,
): Promise<Delivery> {
  const delivery = await openDelivery({
    config,
    adapters: new Map([
      ["net", net.adapter],
      ["web", web.adapter],
    ]),
    routes: compileRoutes(config),
    log,
    files: new MemoryFiles(),
    remoteFiles: new RemoteFiles(),
    logger: memory.logger,
    clock: systemClock,
    random: () => 0,
    onHint,
  });
  onTestFinished(() => stop(delivery));
  return delivery;
}

async function stop(delivery: Delivery): Promise<void> {
  await delivery.quiesce();
  await delivery.close();
}

async function post(text: string, label = ""): Promise<number> {
  const message = aMessage({ text, event: label, account: "api.left", protocol: "api", gateway: "main" });
  const entry = { subject: "api.left/main", key: null, label, payload: encode(message) };
  const appended = await log.append({ account: "api.left", entries: [entry] });
  return (appended.is === "stored" ? appended.seqs[0] : null) ?? 0;
}

function said(text: string): Posted {
  return {
    kind: "posted",
    key: null,
    channel: refOf("#x"),
    atMs: Date.now(),
    echoOf: null,
    messages: [],
    author: { id: "u" as UserRef, identity: null, name: "ann", avatar: null },
    body: { style: "normal", source: { format: "plain", text }, files: [] },
    replyTo: null,
    thread: null,
  };
}

const posts = (network: ScriptedNetwork): readonly string[] => network.sessions.flatMap((session) => session.posts);

const until = (network: ScriptedNetwork, count: number): Promise<readonly string[]> =>
  eventually(
    () => Promise.resolve(posts(network)),
    (all) => all.length >= count,
    () => `${count} posts, got ${JSON.stringify(posts(network))}`,
  );

test("what is appended after the opening goes everywhere, in order, and what was there before goes nowhere", async () => {
  await post("before the bridge");
  const delivery = await open();
  await post("one");
  delivery.start();
  await post("two");
  expect(await until(net, 2)).toEqual(["ref:#x <bob> one", "ref:#x <bob> two"]);
  expect(await until(web, 2)).toEqual(["ref:room <bob> one", "ref:room <bob> two"]);
});

test("what is said on one network goes to the other, and not back", async () => {
  const delivery = await open();
  delivery.start();
  await eventually(
    () => Promise.resolve(net.opens),
    (opens) => opens.length === 1 && delivery.state("net.a")?.is === "online",
    () => "the session",
  );
  expect(await net.opens[0]!.host.accept({ events: [said("hello")], cursor: null })).toEqual(["stored"]);
  await post("after it");
  expect(await until(web, 2)).toEqual(["ref:room <ann> hello", "ref:room <bob> after it"]);
  expect(await until(net, 1)).toEqual(["ref:#x <bob> after it"]);
  const traffic = async () => (await delivery.status()).map((one) => [one.account, one.accepted, one.delivered]);
  const told = await eventually(
    traffic,
    (now) => now.flat().filter((count) => count === 0).length === 1,
    () => "what was sent to be counted",
  );
  expect(told).toEqual([
    ["net.a", 1, 1],
    ["web.b", 0, 2],
  ]);
});

test("an account that does not come up holds up neither the start nor the others", async () => {
  web.plans.push(() => new Promise(() => undefined));
  const delivery = await open();
  delivery.start();
  await post("one");
  expect(await until(net, 1)).toHaveLength(1);
  expect(delivery.state("web.b")?.is).toBe("connecting");
  expect(delivery.state("api.left")).toBeUndefined();
});

test("what waits is delivered after a restart, and told at the stop", async () => {
  const lost = { cause: "lost", why: { code: "network", message: "down" } } as const;
  web.plans.push(() => new Promise(() => undefined));
  net.refuse(lost, 1_000);
  const first = await open();
  first.start();
  await post("one");
  await post("two");
  await stop(first);
  const told = memory.lines.filter(({ message }) => message === "the account has stopped").map(({ fields }) => fields);
  expect(told).toEqual([
    { account: "net.a", accepted: 0, dropped: {}, waiting: [{ gateway: "main", channel: "#x", messages: 2 }] },
    { account: "web.b", accepted: 0, dropped: {}, waiting: [{ gateway: "main", channel: "room", messages: 2 }] },
  ]);
  restart();
  const second = await open();
  second.start();
  expect(await until(net, 2)).toEqual(["ref:#x <bob> one", "ref:#x <bob> two"]);
  await stop(second);
  expect(memory.lines.at(-2)?.fields).toMatchObject({ account: "net.a", waiting: [] });
});

test("a stop takes nothing in any more, and posts nothing", async () => {
  const delivery = await open();
  delivery.start();
  await post("one");
  await until(net, 1);
  await delivery.quiesce();
  expect(await net.opens[0]!.host.accept({ events: [said("late")], cursor: null })).toEqual(["ignored"]);
  await post("two");
  expect(net.session.steps).toEqual(["quiesce"]);
  await delivery.close();
  expect(net.session.steps).toEqual(["quiesce", "close"]);
  expect(posts(net)).toHaveLength(1);
  expect(memory.lines.at(-2)?.fields).toMatchObject({ waiting: [{ gateway: "main", channel: "#x", messages: 1 }] });
});

test("a bridge that left the configuration is forgotten, and starts anew when it comes back", async () => {
  await stop(await open());
  await post("one");
  restart();
  const without = aConfig([aGateway("main", bridges.slice(0, 1).concat(bridges.slice(2)))], accounts);
  await stop(await open(without));
  expect(memory.shown("count")).toContain(
    "warn bridges are no longer in the configuration: the messages that waited for them are not delivered 1",
  );
  expect([...(await log.marks("lane/")).keys()]).toEqual(["lane/main/net.a/#x"]);
  restart();
  const delivery = await open();
  delivery.start();
  await post("two");
  expect(await until(web, 1)).toEqual(["ref:room <bob> two"]);
  expect(await until(net, 2)).toHaveLength(2);
});

test("retention is held from where the slowest lane waits, and not by those that wait for nothing", async () => {
  web.plans.push(() => new Promise(() => undefined));
  const delivery = await open();
  expect(hold).toMatchObject({ ageMs: 6 * 60 * 60_000 });
  const before = log.head;
  await log.append({
    account: "api.left",
    entries: [{ subject: "api.left/elsewhere", key: null, label: "", payload: "{}" }],
  });
  expect(hold!.after()).toBe(log.head);
  delivery.start();
  await post("one");
  await until(net, 1);
  expect(hold!.after()).toBe(before);
});

test("what a lane passes over does not hold retention", async () => {
  const delivery = await open();
  delivery.start();
  await post("bob joins", "join");
  await eventually(
    () => Promise.resolve(hold!.after()),
    (after) => after === log.head,
    () => "the lanes to pass it over",
  );
});

test("retention stays held over a stop: the log may sweep once more before it is closed", async () => {
  let ends = 0;
  const holdOf = log.hold.bind(log);
  log.hold = (given) => {
    holdOf(given);
    return () => void ends++;
  };
  await stop(await open());
  expect(hold?.after()).toBe(log.head);
  expect(ends).toBe(0);
});

test("an account of a protocol that does not exist is a bug of whoever made the configuration", async () => {
  await expect(open(aConfig([aGateway("main", ["inout nothing.a #x", "inout api.left api"])]))).rejects.toThrow(
    'no adapter for the protocol of the account "nothing.a"',
  );
});

test("typing on one network is shown on the other until the person has said something", async () => {
  const hints: string[] = [];
  const delivery = await open(undefined, (account, channel, hint) => {
    hints.push(`${account} ${channel}`);
    delivery.typing(account, channel, hint);
  });
  delivery.start();
  const shown = (): readonly string[] => web.sessions.flatMap((session) => session.shown);
  await eventually(
    () => Promise.resolve([...net.opens, ...web.opens]),
    (opens) => opens.length === 2 && delivery.state("web.b")?.is === "online",
    () => "the sessions",
  );
  const { host } = net.opens[0]!;
  const { author } = said("");
  await eventually(
    () => Promise.resolve(host.hint?.({ kind: "typing", channel: refOf("#x"), author, on: true })),
    () => shown().length > 0,
    () => "typing that is shown",
  );
  expect(await host.accept({ events: [said("hello")], cursor: null })).toEqual(["stored"]);
  await until(web, 1);
  expect([shown(), hints[0], net.session.shown]).toEqual([["ref:room on", "ref:room off"], "net.a #x", []]);
});
