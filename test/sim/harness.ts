import type { Config } from "../../src/config/config.ts";
import { type Delivery, openDelivery } from "../../src/delivery/delivery.ts";
import { RemoteFiles } from "../../src/delivery/remote-files.ts";
import type { Files } from "../../src/files/files.ts";
import { type LiveRoutes, liveRoutes } from "../../src/gateway/live-routes.ts";
import { compileRoutes, type Routes } from "../../src/gateway/routes.ts";
import { ReadWriteLock } from "../../src/lib/read-write-lock.ts";
import type { Log } from "../../src/log/log.ts";
import type { Logger } from "../../src/logger.ts";
import { Api } from "./api.ts";
import type { Bugs } from "./bugs.ts";
import type { Chance } from "./chance.ts";
import { Counts } from "./counts.ts";
import { Disk } from "./disk.ts";
import { Life } from "./life.ts";
import { Loop } from "./loop.ts";
import { Network } from "./network.ts";
import { configOf, type Plan } from "./plan.ts";
import { changeTo } from "./reload.ts";
import { Server } from "./server.ts";
import type { Setting } from "./setting.ts";
import { Oracle } from "./oracle.ts";

/** How long a start or a stop may take, in simulated ms. */
const START_MS = 120_000;
const STOP_MS = 60_000;

type Opening = "opening" | "up" | "failed";

/** One simulated program with all that surrounds it. */
export class SimHarness {
  readonly loop = new Loop();
  readonly counts = new Counts();
  readonly oracle: Oracle;
  readonly setting: Setting;
  readonly chance: Chance;
  readonly disk: Disk;
  readonly networks: ReadonlyMap<string, Network>;
  readonly bugs: Bugs;
  readonly api: Api;
  /** What the program runs with, or did when it ran last. */
  config: Config;
  /** What the file says. */
  file: Config;
  /** Newest clock there was, Unix ms. */
  latestMs = 0;
  lives = 0;
  /** Why the last start failed. */
  failure = "";
  #numbers = 0;
  #life: Life | null = null;
  #delivery: Delivery | null = null;
  #log: Log | null = null;
  #routes: LiveRoutes | null = null;
  #lock = new ReadWriteLock();
  /** Resolves when the last change of the configuration is through. */
  #changing: Promise<void> = Promise.resolve();
  /** Simulated ms when the clock was last set. */
  jumpedMs = -Infinity;

  constructor(setting: Setting, chance: Chance, bugs: Bugs) {
    this.setting = setting;
    this.chance = chance;
    this.bugs = bugs;
    const places = setting.nets.flatMap(({ name: net }) => setting.rooms.map((room) => ({ net, room })));
    this.oracle = new Oracle(this.counts, places);
    this.config = configOf(setting, setting.plan);
    this.file = this.config;
    this.disk = new Disk(this.loop, chance.fork(), this.counts, setting.disk);
    this.networks = new Map(setting.nets.map((traits) => [traits.name, this.#network(traits, chance.fork())]));
    this.oracle.nowMs = () => this.loop.monotonicMs;
    this.oracle.mayRepeat = (net, sinceMs) => this.#mayRepeat(net, sinceMs);
    this.api = new Api(this);
    this.oracle.propose(this.config);
  }

  get isUp(): boolean {
    return this.#life !== null && !this.#life.dead;
  }

  /** Whether every account is online, and every channel joined. */
  async isJoined(): Promise<boolean> {
    const accounts = (await this.#delivery?.status()) ?? [];
    return accounts.every(
      ({ state, channels }) => state === "online" && channels.every((channel) => channel.state === "joined"),
    );
  }

  get life(): Life {
    if (this.#life === null) throw new Error("nothing runs");
    return this.#life;
  }

  get log(): Log {
    if (this.#log === null) throw new Error("nothing runs");
    return this.#log;
  }

  /** For the next thing that is said. */
  readonly number = (): number => (this.#numbers += 1);

  /** Starts the program; false when it did not come up (killed meanwhile, or the log cannot be read). */
  async start(): Promise<boolean> {
    if (this.isUp) return true;
    const life = new Life();
    this.#life = life;
    this.lives += 1;
    const is = (): Opening => state;
    let state: Opening = "opening";
    this.#open(life).then(
      () => void (state = "up"),
      (error: unknown) => {
        this.failure = String(error);
        state = "failed";
      },
    );
    await this.loop.run(START_MS, () => is() !== "opening" || life.dead);
    if (is() === "up" && !life.dead) {
      this.oracle.begin(this.config, this.log.head);
      return true;
    }
    life.die();
    return false;
  }

  async #open(life: Life): Promise<void> {
    const opened = this.oracle.watched(this.disk.open(life));
    const log = this.bugs.log?.(opened) ?? opened;
    this.#log = log;
    log.tail((entries) => this.oracle.committed(entries));
    await this.#catchUp(log);
    this.config = this.file;
    const routes = liveRoutes(this.#compile(this.config));
    const lock = new ReadWriteLock();
    this.#routes = routes;
    this.#lock = lock;
    this.#changing = Promise.resolve();
    await this.api.open({ log, routes, lock, life });
    this.#delivery = await openDelivery({
      config: this.config,
      adapters: new Map(Array.from(this.networks, ([name, { adapter }]) => [name, adapter])),
      routes,
      lock,
      log,
      files: NO_FILES,
      remoteFiles: new RemoteFiles(),
      logger: this.logger,
      clock: this.loop.clockOf(life),
      random: this.chance.fork().next,
    });
    this.#delivery.start();
  }

  #compile(config: Config): Routes {
    const compiled = compileRoutes(config);
    return this.bugs.routes?.(compiled) ?? compiled;
  }

  /** The file says something else; a program that runs goes by it as soon as it can. */
  reload(plan: Plan): void {
    this.file = configOf(this.setting, plan);
    this.oracle.propose(this.file);
    this.changeToFile();
  }

  /** One change after the other. */
  changeToFile(): void {
    this.#changing = this.#changeAfter(this.#changing);
    this.#changing.catch((error: unknown) => this.oracle.fail("no throw", String(error)));
  }

  async #changeAfter(before: Promise<void>): Promise<void> {
    const [life, delivery, log, routes] = [this.#life, this.#delivery, this.#log, this.#routes];
    await before;
    const next = this.file;
    if (life === null || life.dead || delivery === null || log === null || routes === null) return;
    if (next === this.config) return;
    const swapped = (): void => {
      this.config = next;
      this.oracle.begin(next, log.head);
    };
    const running = { life, delivery, log, routes, lock: this.#lock, api: this.api };
    await changeTo({ next, compiled: this.#compile(next), old: this.config, swapped }, running);
  }

  /** As `kill -9`. */
  kill(): void {
    if (!this.isUp) return;
    this.life.die();
  }

  /** As SIGTERM. */
  async stop(): Promise<void> {
    if (!this.isUp) return;
    const { life } = this;
    let isOver = false;
    void this.#close().then(() => (isOver = true));
    await this.loop.run(STOP_MS, () => isOver || life.dead);
    this.oracle.check("stops in time", isOver || life.dead, () => `a stop takes longer than ${STOP_MS / 1000} s`);
    life.die();
  }

  async #close(): Promise<void> {
    await this.#delivery?.quiesce();
    await this.api.close();
    await this.#delivery?.close();
    await this.#log?.close();
  }

  async pass(ms: number, until: () => boolean = () => false): Promise<void> {
    await this.loop.run(ms, until);
    this.latestMs = Math.max(this.latestMs, this.loop.nowMs());
  }

  /** The log alone, to look at it; nothing else runs. */
  async look<T>(task: (log: Log) => Promise<T>): Promise<T> {
    this.kill();
    const life = new Life();
    const log = this.disk.open(life);
    let found: { readonly value: T } | { readonly error: unknown } | null = null;
    const looking = this.#catchUp(log).then(async () => await task(log));
    looking.then(
      (value) => (found = { value }),
      (error: unknown) => (found = { error }),
    );
    await this.loop.run(START_MS, () => found !== null);
    life.die();
    return await looking;
  }

  end(): void {
    this.#life?.die();
    this.disk.remove();
  }

  /** What was committed, and nobody lived to be told of. */
  async #catchUp(log: Log): Promise<void> {
    const subjects = [...this.oracle.subjects];
    for (let after = Math.max(0, ...this.oracle.entries.keys()); ;) {
      const entries = await log.read({ subjects, after, limit: 1_000 });
      this.oracle.committed(entries);
      const last = entries.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  readonly logger: Logger = loggerTo((level, fields, message) => {
    if (
      level === "error" &&
      message.includes("bug") &&
      !("error" in fields && String(fields["error"]).includes("simulated"))
    ) {
      this.oracle.fail("no bug lines", `${message} ${JSON.stringify(fields)}`);
    }
  });

  #mayRepeat(net: string, sinceMs: number): boolean {
    const idempotency = this.networks.get(net)?.server.traits.idempotency;
    if (idempotency?.by !== "key") return false;
    // How long it was in doubt goes by the calendar, over a restart.
    return this.loop.monotonicMs - sinceMs >= idempotency.windowMs && this.jumpedMs >= sinceMs;
  }

  #network(traits: Setting["nets"][number], chance: Chance): Network {
    const server = new Server(traits, this.loop, this.oracle);
    const { session = (each) => each, host = (each) => each } = this.bugs;
    return new Network({
      server,
      loop: this.loop,
      chance,
      oracle: this.oracle,
      life: () => this.life,
      wrap: { session, host },
    });
  }
}

const NOTHING = { ok: false, why: { code: "unsupported", message: "no files" } } as const;

const NO_FILES: Files = {
  ready: () => Promise.resolve({ ...NOTHING, retry: false }),
  open: () => Promise.resolve(NOTHING),
  keep: () => Promise.resolve(null),
  publish: () => Promise.resolve(null),
};

function loggerTo(tell: (level: string, fields: Readonly<Record<string, unknown>>, message: string) => void): Logger {
  const levels = ["trace", "debug", "info", "warn", "error", "fatal"].map((level) => [
    level,
    (fields: Readonly<Record<string, unknown>>, message: string): void => tell(level, fields, message),
  ]);
  return Object.fromEntries(levels) as Logger;
}
