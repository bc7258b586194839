import type { Account as Configured, Config } from "../../src/config/config.ts";
import { type DeliveryChange, type NextConfig, ownedBy } from "../../src/delivery/change.ts";
import { pause } from "../../src/delivery/deadline.ts";
import { compileInbound } from "../../src/gateway/inbound.ts";
import type { Routes } from "../../src/gateway/routes.ts";
import { compileView } from "../../src/gateway/view.ts";
import { ApiAccount, type PollAnswer } from "../../src/http/api/account.ts";
import { dispatchTo } from "../../src/http/api/dispatch.ts";
import { Ingest } from "../../src/http/api/ingest.ts";
import {
  beginningMarks,
  forgetReaders,
  joiningMarks,
  leavingMarks,
  READERS_STEM,
} from "../../src/http/api/reader-marks.ts";
import type { ReadWriteLock } from "../../src/lib/read-write-lock.ts";
import { LogError } from "../../src/log/errors.ts";
import type { Log } from "../../src/log/log.ts";
import type { Message } from "../../src/contract/message.ts";
import type { Life } from "./life.ts";
import { textFor, tokensIn } from "./tokens.ts";
import type { Logger } from "../../src/logger.ts";
import type { Counts } from "./counts.ts";
import { logWith } from "./log-with.ts";
import type { Loop } from "./loop.ts";
import { Reader } from "./reader.ts";
import type { Oracle } from "./oracle.ts";

/** What is needed of the world around. */
interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  readonly loop: Loop;
  readonly oracle: Oracle;
  readonly counts: Counts;
  /** How often the program was started. */
  readonly lives: number;
}

const BUFFER = 100_000;

/** When readers that could not be opened are tried again. */
const RETRY_MS = 5_000;
/** How long readers that are opened wait for appends that are under way. */
const ALONE_MS = 2_000;

interface Account {
  readonly readers: ApiAccount;
  readonly ingest: Ingest;
}

/** The life of the program that the accounts are part of. */
interface Core {
  readonly log: Log;
  readonly routes: Routes;
  readonly lock: ReadWriteLock;
  readonly life: Life;
}

/** The HTTP API without its sockets: clients post and poll. */
export class Api {
  readonly #harness: Surroundings;
  readonly #readers = new Map<string, Reader>();
  #accounts = new Map<string, Account>();
  /** The same as above; what is committed is handed to these. */
  #feeds = new Map<string, ApiAccount>();
  #core: Core | null = null;

  constructor(harness: Surroundings) {
    this.#harness = harness;
  }

  get names(): readonly string[] {
    return apisOf(this.#harness.config).map(({ key }) => key);
  }

  async open(core: Core): Promise<void> {
    const { log, routes } = core;
    const { config } = this.#harness;
    this.#core = core;
    this.#accounts = new Map();
    this.#feeds = new Map();
    await forgetReaders(log, this.names, routes.reads);
    for (const account of apisOf(config)) await this.#open(account, config, core);
    log.tail(dispatchTo(this.#feeds, routes));
  }

  /** The steps of `app/api-servers.ts`, without its servers. */
  async change(next: NextConfig): Promise<DeliveryChange> {
    const core = this.#core;
    if (core === null) throw new Error("nothing runs");
    const { log, routes } = core;
    const accounts = apisOf(next.config);
    const marks = await log.marks(READERS_STEM);
    return {
      marks: () =>
        accounts.flatMap(({ key }) => {
          const after = next.routes.reads(key);
          const { head } = log;
          const own = this.#accounts.has(key)
            ? joiningMarks(key, { before: routes.reads(key), after, isAlone: true, marks, head })
            : beginningMarks(key, after, head);
          return ownedBy(key, own);
        }),
      swap: () => {
        for (const account of accounts) {
          const known = this.#accounts.get(account.key);
          known?.readers.change(compileView(account, next.config.accounts));
          known?.ingest.change({ account, inbound: compileInbound(account) });
        }
      },
      settle: async () => await this.#settle(next, core),
    };
  }

  async #settle({ config, routes }: NextConfig, core: Core): Promise<void> {
    const accounts = apisOf(config);
    const keys = new Set(accounts.map(({ key }) => key));
    for (const [key, { readers }] of this.#accounts) {
      if (keys.has(key)) continue;
      await readers.settled();
      this.#accounts.delete(key);
      this.#feeds.delete(key);
    }
    for (const account of accounts) {
      while (!this.#accounts.has(account.key) && !core.life.dead) {
        try {
          await core.lock.exclusive(ALONE_MS, async () => await this.#open(account, config, core));
        } catch {
          await pause({ clock: this.#harness.loop.clockOf(core.life), ms: RETRY_MS });
        }
      }
    }
    // Else at the next start.
    await this.#forget(keys, routes.reads, core.log).catch(() => undefined);
  }

  async #forget(keys: ReadonlySet<string>, reads: Routes["reads"], log: Log): Promise<void> {
    for (const key of keys) {
      const marks = leavingMarks(key, { reads: reads(key), marks: await log.marks(READERS_STEM), head: log.head });
      if (marks.length > 0) await log.mark(marks);
    }
    await forgetReaders(log, keys, reads);
  }

  async #open(account: Configured, config: Config, { life, log, routes, lock }: Core): Promise<void> {
    const { logger, loop } = this.#harness;
    const nowMs = (): number => loop.nowMs();
    const view = compileView(account, config.accounts);
    const reader = this.#readers.get(account.key) ?? new Reader();
    this.#readers.set(account.key, reader);
    const readers = await ApiAccount.open({
      account,
      buffer: BUFFER,
      log: watched(log, reader),
      routes,
      view,
      logger,
      clock: loop.clockOf(life),
    });
    const ingest = new Ingest({ account, log, routes, lock, inbound: compileInbound(account), logger, nowMs });
    this.#accounts.set(account.key, { readers, ingest });
    this.#feeds.set(account.key, readers);
  }

  /** A change that is under way still knows the accounts. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#accounts.values(), async ({ readers }) => await readers.settled()));
  }

  /** A client posts, and hears what became of it in its own time. */
  post(name: string, gateway: string, message: number): void {
    const { oracle } = this.#harness;
    const life = this.#core?.life ?? null;
    if (life === null || life.cross()) return;
    const text = textFor({ message, edit: 0, parts: 1 });
    const draft = {
      text,
      username: "client",
      userid: "",
      avatar: "",
      gateway,
      parent_id: "",
      id: "",
      event: "",
      files: [],
      hops: 0,
    };
    void this.#accounts
      .get(name)
      ?.ingest.post(draft, null)
      .then((posted) => {
        if (!posted.ok || life.cross()) return;
        oracle.check(
          "accepted is kept",
          oracle.accepted.has(message),
          () => `m${message} was answered 200, and is not in the log`,
        );
      });
  }

  /** A client polls; it may go before it has all of the answer. */
  poll(name: string, breaks: boolean): void {
    const life = this.#core?.life ?? null;
    const reader = this.#readers.get(name);
    if (life === null || reader === undefined || life.cross()) return;
    const account = this.#accounts.get(name);
    if (account === undefined) return;
    reader.ask(this.#harness.lives);
    void account.readers.poll().then((answer) => {
      if (life.cross()) return;
      reader.answered();
      if (answer instanceof LogError) return reader.broke();
      if (breaks) {
        this.#harness.counts.fault("poll broken");
        answer.broken();
        return reader.broke();
      }
      this.#take(name, reader, answer);
    });
  }

  #take(name: string, reader: Reader, answer: PollAnswer): void {
    const { oracle } = this.#harness;
    const keys: string[] = [];
    for (const { text, gateway, account } of JSON.parse(answer.body) as Message[]) {
      oracle.check("privacy", !account.startsWith("rialto."), () => `${name} read of an outage: ${text}`);
      const token = tokensIn(text).at(-1);
      if (token === undefined) continue;
      oracle.read(name, gateway, token);
      keys.push(`${gateway} m${token.message}e${token.edit}`);
    }
    const wrong = reader.take(keys);
    for (const key of keys) oracle.check("poll once", !wrong.has(key), () => `${name} read ${key} again`);
    answer.delivered();
  }

  /** Whether a client has read it in the end. */
  hasRead(name: string, gateway: string, message: number): boolean {
    return this.#readers.get(name)?.has(`${gateway} m${message}e0`) ?? false;
  }
}

/** The accounts of the API. */
export const apisOf = ({ accounts }: Config): readonly Configured[] =>
  [...accounts.values()].filter(({ protocol }) => protocol === "api");

/** Tells the reader whether its positions are written. */
function watched(log: Log, reader: Reader): Log {
  const mark: Log["mark"] = async (marks) => {
    try {
      await log.mark(marks);
      reader.marked(true);
    } catch (error) {
      reader.marked(false);
      throw error;
    }
  };
  return logWith(log, { mark });
}
