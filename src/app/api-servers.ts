import { TOKEN_STEM } from "../access/token-marks.ts";
import { apiSettings } from "../adapters/api/index.ts";
import type { Account, Config } from "../config/config.ts";
import { AccountsHere } from "../delivery/accounts-here.ts";
import { pause } from "../delivery/deadline.ts";
import { systemClock } from "../delivery/clock.ts";
import { CONSUMERS_STEM, forgetConsumers, PUSHED_STEM } from "../consumers/marks.ts";
import { hasWebhooks, type Webhooks, WEBHOOKS_STEM } from "../consumers/webhooks.ts";
import type { SharedHint } from "../consumers/hint-event.ts";
import { type NextConfig, ownedBy, type OwnMark } from "../delivery/change.ts";
import { compileInbound } from "../gateway/inbound.ts";
import type { Routes } from "../gateway/routes.ts";
import type { ApiAccount } from "../http/api/account.ts";
import {
  beginningMarks,
  forgetReaders,
  hasPositions,
  joiningMarks,
  leavingMarks,
  prefixOf,
  READERS_STEM,
} from "../http/api/reader-marks.ts";
import { dispatchTo } from "../http/api/dispatch.ts";
import { SWEEP_MS } from "../http/api/reader-hub.ts";
import type { Side } from "../http/example/pages.ts";
import { type Entry, ownMarks, type TailListener } from "../log/log.ts";
import { isAborted } from "../lib/abort.ts";
import {
  type ApiCore,
  type ApiServer,
  closeServers,
  createApiServer,
  listen,
  reportCounts,
  viewOf,
} from "./api-server.ts";
import { describe } from "../lib/describe.ts";

/** The steps of a change, as `DeliveryChange` has them. */
export interface ServersChange {
  marks(): readonly OwnMark[];
  swap(): void;
  settle(): Promise<void>;
}

/** How long until an address, or a log, that did not work is tried again. */
const RETRY_MS = 5_000;
/** How long readers that are opened wait for appends that are under way. */
const ALONE_MS = 2_000;

/** All API accounts, over all configurations. */
export class ApiServers {
  /** `http://host:port` of every account that listens, by its key. */
  readonly addresses = new Map<string, string>();
  readonly #core: ApiCore;
  readonly #servers = new Map<string, ApiServer>();
  readonly #readers = new Map<string, ApiAccount>();
  /** Null: there is one machine, which serves all. */
  readonly #here: AccountsHere | null;
  readonly #ended = new AbortController();
  #sweeps: NodeJS.Timeout | undefined;
  #config: Config | null = null;
  /** `/v1` is used, or was before this start. */
  #keepsIds = false;
  /** An error of the configuration has left something out. */
  #isDegraded = false;

  constructor(core: Omit<ApiCore, "allowedHosts" | "config" | "sides" | "keepIds">) {
    const config = (): Config => this.#configNow();
    const allowedHosts = (): readonly string[] => config().general.allowedHosts;
    this.#here = core.sharing === null ? null : new AccountsHere(core.sharing);
    this.#core = { ...core, allowedHosts, config, sides: () => this.#sides(), keepIds: () => this.#keepIds() };
  }

  get all(): readonly ApiServer[] {
    return [...this.#servers.values()];
  }

  /** Hands what is committed to the readers. */
  get listener(): TailListener {
    return dispatchTo(this.#readers, this.#core.routes);
  }

  /** Before anything is appended. Rejects with a LogError. */
  async open(config: Config): Promise<void> {
    this.#config = config;
    // What an error leaves out is meant to come back.
    this.#isDegraded = config.errors.length > 0;
    if (!this.#isDegraded) await this.#forget(apisOf(config).map(({ key }) => key));
    this.#keepsIds = await this.#wasV1Used();
    for (const account of this.#accountsHere(config)) await this.#create(account, config);
  }

  /** Rejects with a StartError. */
  async listen(): Promise<void> {
    this.#sweeps = setInterval(() => {
      for (const { readers } of this.#servers.values()) readers.sweep();
    }, SWEEP_MS);
    for (const server of this.all) {
      const { name, key, down } = server.account;
      if (down !== null) this.#core.logger.error({ account: name, ...down }, "the account stays down");
      else {
        this.addresses.set(key, await listen(server, this.#core));
        void this.#resume(server);
      }
    }
  }

  /** Of a channel of a network, or of a gateway where an account of the API says it. Must be quick. */
  hint(accountKey: string, channel: string, hint: SharedHint): void {
    for (const { v1 } of this.#servers.values()) v1.hint(accountKey, channel, hint);
  }

  /** The webhooks of all accounts that have any, by the account's name. Rejects with a LogError. */
  async webhooks(): Promise<ReadonlyMap<string, Webhooks>> {
    const found = new Map<string, Webhooks>();
    for (const { account, v1 } of this.all) {
      if (account.down !== null || !(await hasWebhooks(this.#core.log, account.key))) continue;
      const { webhooks } = await v1.service();
      if (webhooks !== null) found.set(account.name, webhooks);
    }
    return found;
  }

  /** Where accounts are shared: one is served here from now on. Resolves when it is. Never rejects. */
  async run(accountKey: string): Promise<void> {
    await this.#here?.add(accountKey, async (signal) => {
      const account = this.#configNow().accounts.get(accountKey);
      if (account === undefined || this.#servers.has(accountKey) || signal.aborted) return;
      await this.#retryUntilAvailable(account, this.#configNow(), signal);
    });
  }

  /** … and no longer. Resolves when the positions of its readers are stored, as far as the log takes them. */
  async release(accountKey: string): Promise<void> {
    await this.#here?.remove(accountKey, async () => {
      const server = this.#servers.get(accountKey);
      if (server !== undefined) await this.#end([server], () => false);
    });
  }

  /** Lets go of what accounts have left in the log that are not in this configuration. Rejects with a LogError. */
  async forget(config: Config): Promise<void> {
    await forgetAll(this.#core, { kept: apisOf(config).map(({ key }) => key), reads: this.#core.routes.reads });
  }

  /** The steps to another configuration; nothing has moved yet. Rejects with a LogError. */
  async change(next: NextConfig): Promise<ServersChange> {
    const { log, routes, sharing } = this.#core;
    const isAlone = sharing === null;
    // What opens later goes by it anyway, and is not new.
    const accounts = this.#accountsHere(next.config).filter(({ key }) => isAlone || this.#servers.has(key));
    const marks = await log.marks(READERS_STEM);
    const news = accounts.map((account) => {
      const server = next.reopen.has(account.key) ? undefined : this.#servers.get(account.key);
      return { account, server, view: viewOf(account, next.config, this.#core), inbound: compileInbound(account) };
    });
    const isKnown = ({ key }: Account): boolean => this.#servers.has(key);
    const isBack = ({ key }: Account): boolean => this.#isDegraded && hasPositions(key, marks);
    return {
      marks: () =>
        accounts.flatMap((account) => {
          const { key } = account;
          const after = next.routes.reads(key);
          const { head } = log;
          const before = isKnown(account) ? routes.reads(key) : isBack(account) ? after : null;
          const own =
            before === null
              ? beginningMarks(key, after, head)
              : joiningMarks(key, { before, after, isAlone, marks, head });
          return ownedBy(key, own);
        }),
      swap: () => {
        this.#config = next.config;
        this.#isDegraded = false;
        for (const { account, server, view, inbound } of news) {
          if (server === undefined) continue;
          server.readers.change(view);
          server.ingest.change({ account, inbound });
          this.#servers.set(account.key, { ...server, account });
        }
      },
      settle: async () => await this.#settle(next),
    };
  }

  /**
   * Answers that are under way are finished and streams ended; what listens later, as a change may still have it, is
   * closed as well.
   */
  async close(): Promise<void> {
    this.#ended.abort();
    clearInterval(this.#sweeps);
    await closeServers(this.all);
    await Promise.all(this.all.map(async ({ readers }) => await readers.settled()));
  }

  async #settle({ config, routes, reopen }: NextConfig): Promise<void> {
    const { logger } = this.#core;
    const accounts = apisOf(config);
    const keys = new Set(accounts.map(({ key }) => key));
    // Readers that are opened again take in what comes until then.
    await this.#end(
      this.all.filter(({ account: { key } }) => !keys.has(key) || reopen.has(key)),
      (key) => keys.has(key),
    );
    const opening = this.#accountsHere(config).filter(({ key }) => !this.#servers.has(key));
    await Promise.all(opening.map(async (account) => await this.#retryUntilAvailable(account, config)));
    if (this.#ended.signal.aborted) return;
    try {
      await this.#leave(routes);
      await this.#forget(keys, routes);
    } catch (error) {
      logger.warn(
        { error: describe(error) },
        "the records of removed accounts could not be deleted; the next start deletes them",
      );
    }
  }

  /** What readers do not hear any more is new to them should it come back. Rejects with a LogError. */
  async #leave({ reads }: Pick<Routes, "reads">): Promise<void> {
    const { log } = this.#core;
    for (const { account } of this.all) {
      const { key } = account;
      const marks = leavingMarks(key, { reads: reads(key), marks: await log.marks(prefixOf(key)), head: log.head });
      if (marks.length > 0) await ownMarks(log, key).mark(marks);
    }
  }

  async #end(ending: readonly ApiServer[], comesBack: (accountKey: string) => boolean): Promise<void> {
    await closeServers(ending);
    await Promise.all(ending.map(async ({ readers }) => await readers.settled()));
    for (const server of ending) {
      const { key } = server.account;
      reportCounts(server, this.#core.logger);
      this.addresses.delete(key);
      this.#servers.delete(key);
      if (!comesBack(key)) this.#readers.delete(key);
    }
  }

  #accountsHere(config: Config): readonly Account[] {
    return apisOf(config).filter(({ key }) => this.#here?.has(key) ?? true);
  }

  /** Opens an account with what is stored meanwhile, also by other machines. Rejects with a LogError. */
  async #create(account: Account, config: Config): Promise<ApiServer> {
    const missed: Entry[] = [];
    const untail = this.#core.log.tail((entries) => missed.push(...entries));
    try {
      const server = await createApiServer(account, config, this.#core);
      const { newest } = server.readers;
      dispatchTo(new Map([[account.key, server.readers]]), this.#core.routes)(missed.filter(({ seq }) => seq > newest));
      this.#put(server);
      return server;
    } finally {
      untail();
    }
  }

  /** Until the log can be read; then listens, or goes on trying to. */
  async #retryUntilAvailable(account: Account, config: Config, given?: AbortSignal): Promise<void> {
    const signal = given === undefined ? this.#ended.signal : AbortSignal.any([given, this.#ended.signal]);
    while (!signal.aborted) {
      try {
        const opening = async (): Promise<ApiServer> => await this.#create(account, config);
        const server = await this.#core.lock.exclusive(ALONE_MS, opening);
        await this.#listen(server);
        return;
      } catch (error) {
        this.#core.logger.error(
          { account: account.name, error: describe(error) },
          "the readers of the HTTP API cannot be opened yet; Rialto tries again",
        );
        await pause({ clock: systemClock, ms: RETRY_MS, signal });
      }
    }
  }

  /** One try; another one later when it fails. */
  async #listen(server: ApiServer): Promise<void> {
    const { key, name, down } = server.account;
    const { signal } = this.#ended;
    if (signal.aborted) return await server.http.close();
    if (down !== null) {
      this.#core.logger.error({ account: name, ...down }, "the account stays down");
      return;
    }
    try {
      const url = await listen(server, this.#core);
      if (isAborted(signal)) await server.http.close();
      else {
        this.addresses.set(key, url);
        void this.#resume(server);
      }
    } catch (error) {
      this.#core.logger.error(
        { account: name, error: describe(error), retryInS: RETRY_MS / 1000 },
        "the HTTP API cannot listen on its address; Rialto tries again",
      );
      void this.#listenLater(server);
    }
  }

  async #listenLater(server: ApiServer): Promise<void> {
    await pause({ clock: systemClock, ms: RETRY_MS, signal: this.#ended.signal });
    // Another change may have taken it away meanwhile.
    if (this.#servers.get(server.account.key)?.http === server.http) await this.#listen(server);
  }

  /** What accounts that are gone have left in the log. Rejects with a LogError. */
  async #forget(keys: Iterable<string>, { reads }: Pick<Routes, "reads"> = this.#core.routes): Promise<void> {
    // One machine alone does not know what others run.
    if (this.#core.sharing === null) await forgetAll(this.#core, { kept: [...keys], reads });
  }

  #keepIds(): void {
    this.#keepsIds = true;
    for (const { ingest } of this.all) ingest.keepIds();
  }

  /** Whoever uses it for long has one of these; what is posted before its first request is known by its id then. */
  async #wasV1Used(): Promise<boolean> {
    for (const stem of [CONSUMERS_STEM, WEBHOOKS_STEM, TOKEN_STEM]) {
      if ((await this.#core.log.marks(stem)).size > 0) return true;
    }
    return false;
  }

  /** Webhooks go on although nobody asks for anything below `/v1`. */
  async #resume({ account: { key, name }, v1 }: ApiServer): Promise<void> {
    const { log, logger } = this.#core;
    const { signal } = this.#ended;
    while (!signal.aborted && this.#servers.get(key)?.v1 === v1) {
      try {
        if (await hasWebhooks(log, key)) await v1.service();
        return;
      } catch (error) {
        logger.warn({ account: name, error: describe(error) }, "webhooks wait until the log can be read");
        await pause({ clock: systemClock, ms: RETRY_MS, signal });
      }
    }
  }

  #configNow(): Config {
    if (this.#config === null) throw new Error("the accounts of the API are not open yet");
    return this.#config;
  }

  /** See ApiCore. */
  #sides(): readonly Side[] | null {
    const sides = this.all.flatMap(({ account: { key, name } }) => {
      const url = this.addresses.get(key);
      return url === undefined ? [] : [{ account: key, name: name.slice(name.indexOf(".") + 1), url }];
    });
    return sides.length === this.#servers.size ? sides : null;
  }

  #put(server: ApiServer): void {
    if (this.#keepsIds) server.ingest.keepIds();
    this.#servers.set(server.account.key, server);
    this.#readers.set(server.account.key, server.readers);
  }
}

async function forgetAll(
  { log }: Pick<ApiCore, "log">,
  { kept, reads }: Pick<Routes, "reads"> & { readonly kept: readonly string[] },
): Promise<void> {
  await forgetReaders(log, kept, reads);
  for (const stem of [CONSUMERS_STEM, PUSHED_STEM, WEBHOOKS_STEM]) await forgetConsumers(log, kept, stem);
}

/** The accounts of the API, and where each is to listen. */
export const apisOf = ({ accounts }: Config): readonly Account[] =>
  [...accounts.values()].filter(({ protocol }) => protocol === "api");

export const addressOf = ({ settings }: Account): string => apiSettings(settings).BindAddress;
