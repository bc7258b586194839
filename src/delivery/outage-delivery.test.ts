import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import type { Opened } from "../contract/adapter.ts";
import { encode } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import type { Log } from "../log/log.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { RemoteFiles } from "./remote-files.ts";
import { MemoryLogger, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";

const bridges = ["inout net.a #x", "inout web.b room", "inout api.left api"];
const accounts = ["net.a", "web.b"].map((name) => anAccount(name, { remoteNickFormat: "" }));

let log: Log;
let net: ScriptedNetwork;
let web: ScriptedNetwork;
/** Lets the account of `web` in. */
let letIn: () => void;

beforeEach(async () => {
  log = await openAt(scratchFolder());
});

function configOf(outageNoticeMs: number): Config {
  const config = aConfig([aGateway("main", bridges)], accounts);
  return { ...config, general: { ...config.general, outageNoticeMs } };
}

/** Starts with two networks, of which one does not answer before `letIn`. */
async function start(outageNoticeMs = 200): Promise<Delivery> {
  net = new ScriptedNetwork();
  web = new ScriptedNetwork();
  const gate = Promise.withResolvers<void>();
  letIn = gate.resolve;
  web.plans.push(async (): Promise<Opened> => {
    await gate.promise;
    return await web.welcome();
  });
  const config = configOf(outageNoticeMs);
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
    logger: new MemoryLogger().logger,
    clock: systemClock,
    random: () => 0,
  });
  onTestFinished(() => stop(delivery));
  delivery.start();
  return delivery;
}

async function stop(delivery: Delivery): Promise<void> {
  letIn();
  await delivery.quiesce();
  await delivery.close();
}

async function post(text: string): Promise<void> {
  const message = aMessage({ text, account: "api.left", protocol: "api", gateway: "main" });
  const entry = { subject: "api.left/main", key: null, label: "", payload: encode(message) };
  await log.append({ account: "api.left", entries: [entry] });
}

/** Without what is said of the other network: on a busy machine, it can seem to be out of reach, too. */
const posts = (network: ScriptedNetwork): readonly string[] =>
  network.sessions.flatMap((session) => session.posts).filter((said) => !said.includes("net.a #x "));

const until = (network: ScriptedNetwork, count: number): Promise<readonly string[]> =>
  eventually(
    () => Promise.resolve(posts(network)),
    (all) => all.length >= count,
    () => `${count} posts, got ${JSON.stringify(posts(network))}`,
  );

const DOWN = /^ref:#x web\.b room has been out of reach since [\d: +-]+( \([A-Za-z ]+\))?\. Messages for it are kept/u;
const BACK = /^ref:#x web\.b room was out of reach from [\d: +-]+( to [\d: +-]+)?; 2 messages waited\.$/u;

test("the other rooms are told, once, and again when it is back; the place itself is not, nor are clients of the API", async () => {
  await start();
  expect(await until(net, 1)).toEqual([expect.stringMatching(DOWN)]);
  await post("one");
  await post("two");
  await until(net, 3);
  letIn();
  const all = await until(net, 4);
  expect(all.slice(1)).toEqual(["ref:#x one", "ref:#x two", expect.stringMatching(BACK)]);
  await post("three");
  expect(await until(web, 3)).toEqual(["ref:room one", "ref:room two", "ref:room three"]);
  expect((await until(net, 5)).slice(4)).toEqual(["ref:#x three"]);
});

test("a restart in the middle does not tell it again, and takes it back", async () => {
  const first = await start();
  await until(net, 1);
  await stop(first);
  await start();
  await eventually(
    () => log.marks("outage/"),
    (marks) => [...marks.values()].filter((value) => value !== "").length === 1,
    () => "the mark of the outage",
  );
  await post("one");
  expect(await until(net, 1)).toEqual(["ref:#x one"]);
  letIn();
  expect((await until(net, 2))[1]).toMatch(
    /web\.b room was out of reach from [\d: +-]+( to [\d: +-]+)?; 1 message waited\.$/u,
  );
});

test("nobody is told of what is back before that", async () => {
  await start(3_600_000);
  await post("one");
  await until(net, 1);
  letIn();
  expect(await until(web, 1)).toEqual(["ref:room one"]);
  expect(posts(net)).toEqual(["ref:#x one"]);
});
