import type { PresentationSettings } from "../../src/config/config.ts";
import type { Clock } from "../../src/contract/host.ts";
import { type Delivery, openDelivery } from "../../src/delivery/delivery.ts";
import { RemoteFiles } from "../../src/delivery/remote-files.ts";
import { laneName } from "../../src/delivery/lanes.ts";
import { MemoryLogger } from "../../src/delivery/scripted.suite.ts";
import { compileRoutes } from "../../src/gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../src/gateway/samples.suite.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { Log, Receipt, StoredEntry } from "../../src/log/log.ts";
import { openAt, scratchFolder } from "../../src/log/sqlite/scratch.suite.ts";
import { appendThen } from "../../src/log/suite/append-then.suite.ts";
import { eventually } from "../support/wait.ts";
import { FakeFiles } from "./fake-files.ts";
import type { FakeNetwork } from "./fake-network.ts";
import { CountingClock } from "./recording-host.ts";

/** Back-offs are short here: a hundredth of the longest they may be. */
const LUCK = 0.01;

interface Life {
  readonly delivery: Delivery;
  readonly end: () => void;
}

/**
 * The whole delivery over fake networks and a real log, in real time; it can be killed and started again over the same
 * log. The one account of a network is named `<protocol>.x`, where the protocol is the network's name here.
 */
export class Harness {
  readonly log: Log;
  readonly logger = new MemoryLogger();
  readonly #networks: Readonly<Record<string, FakeNetwork>>;
  readonly #gateways: Readonly<Record<string, readonly string[]>>;
  readonly #presentation: Partial<PresentationSettings>;
  #life: Life | null = null;
  #taken = 0;

  private constructor(
    log: Log,
    networks: Harness["networks"],
    gateways: Readonly<Record<string, readonly string[]>>,
    presentation: Partial<PresentationSettings>,
  ) {
    this.log = log;
    log.tail((entries) => (this.#taken += entries.length));
    this.#networks = networks;
    this.#gateways = gateways;
    this.#presentation = presentation;
  }

  get networks(): Readonly<Record<string, FakeNetwork>> {
    return this.#networks;
  }

  /**
   * `gateways`: name → bridges, `inout left.x one` each; `presentation`: of all accounts. The world's log is removed
   * when the test ends.
   */
  static async make(
    networks: Readonly<Record<string, FakeNetwork>>,
    gateways: Readonly<Record<string, readonly string[]>>,
    presentation: Partial<PresentationSettings> = {},
  ): Promise<Harness> {
    return new Harness(await openAt(scratchFolder(), { durability: "process" }), networks, gateways, presentation);
  }

  get delivery(): Delivery {
    if (this.#life === null) throw new Error("nothing runs");
    return this.#life.delivery;
  }

  async start(): Promise<void> {
    const accounts = Object.entries(this.#networks).map(([protocol, { settings }]) =>
      Object.assign(anAccount(`${protocol}.x`, { remoteNickFormat: "<{NICK}> ", ...this.#presentation }), { settings }),
    );
    const gateways = Object.entries(this.#gateways).map(([name, bridges]) => aGateway(name, bridges));
    const config = aConfig(gateways, accounts);
    const mortal = new Mortal(this.log);
    const remoteFiles = new RemoteFiles();
    const delivery = await openDelivery({
      config,
      adapters: new Map(Object.entries(this.#networks).map(([protocol, { adapter }]) => [protocol, adapter])),
      routes: compileRoutes(config),
      log: mortal.log,
      files: new FakeFiles(remoteFiles),
      remoteFiles,
      logger: this.logger.logger,
      clock: mortal.clock,
      random: () => LUCK,
    });
    this.#life = { delivery, end: () => mortal.die() };
    delivery.start();
  }

  /** As `kill -9`: nothing of the program moves any more, and the kernel closes its sockets. */
  kill(): void {
    this.#life?.end();
    this.#life = null;
    for (const network of Object.values(this.#networks)) network.cut();
  }

  async stop(): Promise<void> {
    const { delivery } = this;
    await delivery.quiesce();
    await delivery.close();
    this.#life?.end();
    this.#life = null;
  }

  /** How many entries the log has taken. */
  taken(): number {
    return this.#taken;
  }

  /** Waits until the lane that goes to this channel has so many receipts on disk. */
  async receiptsDurable(gateway: string, account: string, channel: string, count: number): Promise<void> {
    await eventually(
      async () => (await this.receipts(gateway, account, channel)).length,
      (found) => found >= count,
      () => `${count} receipts of ${channel}`,
    );
  }

  /** What people said in a channel, as far as it was accepted, oldest first. */
  async entries(account: string, channel: string): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    for (;;) {
      const subjects = [subjectOf(account, channel)];
      const more = await this.log.read({ subjects, after: found.at(-1)?.seq ?? 0, limit: 1_000 });
      if (more.length === 0) return found.filter(({ label }) => label === "");
      found.push(...more);
    }
  }

  /** Of the lane that goes to this channel of this account. */
  async receipts(gateway: string, account: string, channel: string): Promise<readonly Receipt[]> {
    const lane = laneName({ gateway, account: anAccount(account), channel });
    return await this.log.receipts({ lane, after: 0, limit: 10_000 });
  }
}

/**
 * A program's clock and log that stand still for ever once it is dead. What it had given to the disk may still be
 * written.
 */
class Mortal {
  readonly clock: Clock;
  readonly log: Log;
  readonly #log: Log;
  readonly #cancel: (() => void)[] = [];
  #dead = false;

  constructor(log: Log) {
    this.#log = log;
    const real = new CountingClock();
    this.clock = {
      nowMs: () => real.nowMs(),
      monoMs: () => real.monoMs(),
      after: (ms, task) => {
        if (this.#dead) return () => undefined;
        const cancel = real.after(ms, task);
        this.#cancel.push(cancel);
        return cancel;
      },
    };
    this.log = this.#wrap();
  }

  die(): void {
    this.#dead = true;
    for (const cancel of this.#cancel) cancel();
  }

  #wrap(): Log {
    const log = this.#log;
    const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
      if (this.#dead) return await never();
      const answer = await ask().catch(async (error: unknown) => {
        if (this.#dead) return await never<T>();
        throw error;
      });
      return this.#dead ? await never() : answer;
    };
    const append: Log["append"] = async (batch) => await alive(async () => await log.append(batch));
    return {
      get head() {
        return log.head;
      },
      failed: log.failed,
      ids: {
        find: async (place, refs) => await alive(async () => await log.ids.find(place, refs)),
        get: async (seq) => await alive(async () => await log.ids.get(seq)),
        refs: async (seq, lane) => await alive(async () => await log.ids.refs(seq, lane)),
        reactions: async (seq) => await alive(async () => await log.ids.reactions(seq)),
      },
      append,
      appendThen: (batch, done) => appendThen({ append }, batch, done),
      mark: async (marks) => await alive(async () => await log.mark(marks)),
      unmark: async (names) => await alive(async () => await log.unmark(names)),
      marks: async (prefix) => await alive(async () => await log.marks(prefix)),
      receipts: async (query) => await alive(async () => await log.receipts(query)),
      read: async (query) => await alive(async () => await log.read(query)),
      newest: async (query) => await alive(async () => await log.newest(query)),
      first: async () => await alive(async () => await log.first()),
      removed: async (range) => await alive(async () => await log.removed(range)),
      removedSince: async (ms) => await alive(async () => await log.removedSince(ms)),
      tail: (listener) => {
        const forget = log.tail(listener);
        this.#cancel.push(forget);
        return forget;
      },
      hold: (hold) => {
        const forget = log.hold(hold);
        this.#cancel.push(forget);
        return forget;
      },
      close: () => Promise.resolve(),
    };
  }
}

async function never<T>(): Promise<T> {
  return await new Promise(() => undefined);
}
