import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { type Delivery, openDelivery } from "../delivery/delivery.ts";
import { forgetRemoved } from "../delivery/forgetting.ts";
import { laneName } from "../delivery/lanes.ts";
import { RemoteFiles } from "../delivery/remote-files.ts";
import { MemoryLogger, ScriptedNetwork } from "../delivery/scripted.suite.ts";
import { MemoryFiles } from "../delivery/stage.suite.ts";
import { encode } from "../gateway/codec.ts";
import { liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import type { ApiServers } from "./api-servers.ts";
import { type Changed, changeConfig } from "./change.ts";

const ACCOUNTS = ["net.a", "web.b"].map((name) => anAccount(name));
const configOf = (...bridges: readonly string[]): Config => aConfig([aGateway("g", bridges)], ACCOUNTS);
const CONFIG = configOf("inout net.a #x", "inout web.b room", "inout api.left api");
const { logger } = new MemoryLogger();

let log: Log;
let store: Log["mark"];

beforeEach(async () => {
  log = await openAt(scratchFolder());
  store = log.mark.bind(log);
});

/** One of the machines that share the log; nothing leaves it before it is `sure`. */
class Machine {
  readonly net = new ScriptedNetwork();
  readonly sharing = new ReadWriteLock();
  readonly routes = liveRoutes(compileRoutes(CONFIG));
  #delivery: Promise<Delivery> | null = null;
  isSure = false;

  /** Has the account from now on. */
  async run(account: string): Promise<void> {
    this.#delivery ??= this.#open();
    await (await this.#delivery).run(account);
  }

  async release(account: string): Promise<void> {
    await (await this.#delivery)?.release(account, { isLost: false });
  }

  async change(next: Config): Promise<Changed> {
    this.#delivery ??= this.#open();
    const { routes, sharing } = this;
    const nothing = { marks: () => [], swap: () => undefined, settle: () => Promise.resolve() };
    return await changeConfig(next, {
      config: CONFIG,
      log,
      routes,
      lock: new ReadWriteLock(),
      sharing,
      servers: { change: () => Promise.resolve(nothing) } as unknown as ApiServers,
      delivery: await this.#delivery,
      share: { lack: () => null, change: () => undefined, descriptors: ampleDescriptors() },
      follow: () => undefined,
    });
  }

  /** What its network was told in the end, once that is so much. */
  async told(count: number): Promise<readonly string[]> {
    const all = (): readonly string[] => this.net.sessions.flatMap(({ posts }) => posts);
    return await eventually(
      () => Promise.resolve(all()),
      (posts) => posts.length >= count,
      () => `${count} posts, got ${JSON.stringify(all())}`,
    );
  }

  async #open(): Promise<Delivery> {
    const delivery = await openDelivery({
      config: CONFIG,
      adapters: new Map(["net", "web"].map((protocol) => [protocol, this.net.adapter])),
      routes: this.routes,
      log,
      files: new MemoryFiles(),
      remoteFiles: new RemoteFiles(),
      logger,
      clock: systemClock,
      random: () => 0,
      sharing: this.sharing,
      mayCall: () => this.isSure,
    });
    onTestFinished(async () => {
      await delivery.quiesce();
      await delivery.close();
    });
    delivery.start();
    return delivery;
  }
}

async function post(text: string): Promise<void> {
  const payload = encode(aMessage({ text, account: "api.left", protocol: "api", gateway: "g" }));
  await log.append({ account: "api.left", entries: [{ subject: "api.left/g", key: null, label: "", payload }] });
}

/** What a log says whose servers did not answer. */
const storedInDoubt: Log["mark"] = async (...marks) => {
  await store(...marks);
  throw new UnknownOutcome("the servers did not answer", new Promise(() => undefined));
};

/** As the machine does it that holds the log, once all have had the configuration for a while. */
const forget = async (): Promise<void> =>
  await forgetRemoved(log, logger, {
    lanes: new Set(compileRoutes(CONFIG).lanes().map(laneName)),
    accounts: new Set(CONFIG.accounts.keys()),
  });

test.each([
  ["from a place that it takes out of a gateway", configOf("inout net.a #x", "inout web.b room")],
  ["for a bridge that it takes out", configOf("inout web.b room", "inout api.left api")],
])("a change that was refused, and stored all the same, leaves what waits there: %s", async (_, next) => {
  const [one, other] = [new Machine(), new Machine()];
  await Promise.all([one.run("net.a"), one.run("web.b")]);
  await post("one");
  log.mark = storedInDoubt;
  expect(await one.change(next)).toMatchObject({ is: "impossible" });
  log.mark = store;
  await forget();
  await one.release("net.a");
  other.isSure = true;
  await other.run("net.a");
  await post("two");
  expect(await other.told(2)).toEqual(["ref:#x bobone", "ref:#x bobtwo"]);
});

test("marks of a change are their account's: those of one that another machine has taken over are void, and the change goes on", async () => {
  const one = new Machine();
  await Promise.all([one.run("net.a"), one.run("web.b")]);
  const given = new Map<string | undefined, readonly string[]>();
  log.mark = async (marks, how) => {
    given.set(
      how?.account,
      marks.map(({ name }) => name.slice(0, name.indexOf("/g/") + 8)),
    );
    if (how?.account === "net.a") throw new LogError("fenced", "The node n2 holds net.a: nothing was stored.");
    await store(marks, how);
  };
  const next = configOf("inout net.a #x", "inout web.b room", "inout web.b hall", "inout api.left api");
  expect(await one.change(next)).toMatchObject({ is: "applied" });
  log.mark = store;
  expect(given).toEqual(
    new Map([
      ["net.a", ["sources/g/net.a"]],
      [
        "web.b",
        ["sources/g/web.b", ...["lane", "sources", "intent", "summary", "removed"].map((it) => `${it}/g/web.b`)],
      ],
    ]),
  );
});
