import type { FastifyInstance } from "fastify";
import type { ApiSettings } from "./adapters/api/index.ts";
import { adapters } from "./adapters/registry.ts";
import type { Account, Config } from "./config/config.ts";
import { systemClock } from "./delivery/clock.ts";
import { type Delivery, openDelivery } from "./delivery/delivery.ts";
import { RemoteFiles } from "./delivery/remote-files.ts";
import { StartError, type StartErrorCode } from "./errors.ts";
import type { FileStore } from "./files/files.ts";
import { openFiles } from "./files/open-files.ts";
import { compileInbound } from "./gateway/inbound.ts";
import { compilePattern } from "./gateway/regex.ts";
import { compileRoutes, type Routes } from "./gateway/routes.ts";
import { compileView } from "./gateway/view.ts";
import { ApiAccount } from "./http/api/account.ts";
import { dispatchTo } from "./http/api/dispatch.ts";
import { Ingest } from "./http/api/ingest.ts";
import { SWEEP_MS } from "./http/api/stream-hub.ts";
import { explainListenError, listenAt } from "./http/listen.ts";
import type { MediaServer } from "./http/media/media-server.ts";
import type { HttpApi } from "./http/server.ts";
import { isLoopback, parseAddress } from "./lib/address.ts";
import { LogError } from "./log/errors.ts";
import type { Log } from "./log/log.ts";
import { openSqliteLog } from "./log/sqlite/open.ts";
import type { Logger } from "./logger.ts";

export interface App {
  /** `http://host:port` of every API account, by account key. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Resolves when the log has stopped working; the program cannot go on then. */
  readonly failed: Promise<LogError>;
  /**
   * Stops sending and taking in, finishes answers, ends streams, leaves the networks, and commits what is waiting: about 8 s at most
   * beside the last commit. Idempotent.
   */
  stop(): Promise<void>;
}

interface ApiServer {
  readonly account: Account;
  readonly settings: ApiSettings;
  readonly readers: ApiAccount;
  readonly ingest: Ingest;
  readonly http: HttpApi;
}

const nowMs = (): number => systemClock.nowMs();

/**
 * The whole program in the order it starts: log, files, routes, API readers, lanes, servers, and last the sessions, which nothing waits for.
 * Rejects with a StartError; nothing is left open then.
 */
export async function startApp(config: Config, logger: Logger): Promise<App> {
  // The log's thread starts while the HTTP modules are loaded, the heaviest of all.
  const [log, http] = await Promise.all([openLog(config), loadHttp()]);
  const servers: ApiServer[] = [];
  const sweeps = setInterval(() => {
    for (const { readers } of servers) readers.sweep();
  }, SWEEP_MS);
  let delivery: Delivery | null = null;
  let files: FileStore | null = null;
  let media: MediaServer | null = null;
  const stop = async (): Promise<void> => {
    clearInterval(sweeps);
    await delivery?.quiesce();
    await Promise.all([closeServers(servers), media?.close()]);
    await delivery?.close();
    await files?.close();
    for (const server of servers) reportCounts(server, logger);
    await log.close();
  };
  try {
    const remoteFiles = new RemoteFiles();
    // Not before the log has made sure that nobody else uses the data folder.
    files = await openStore(config, remoteFiles, logger);
    const routes = compileRoutes(config);
    for (const account of config.accounts.values()) {
      if (account.protocol === "api")
        servers.push(await createApiServer(account, config, { log, files, routes, http, logger }));
    }
    log.tail(dispatchTo(new Map(servers.map(({ account, readers }) => [account.key, readers])), routes));
    delivery = await openDelivery({
      config,
      adapters,
      routes,
      log,
      files,
      remoteFiles,
      logger,
      clock: systemClock,
      random: Math.random,
    });
    const addresses = new Map<string, string>();
    for (const server of servers) addresses.set(server.account.key, await listen(server, logger));
    media = await listenForMedia(config, files, logger);
    delivery.start();
    return { addresses, failed: log.failed, stop: once(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openLog({ general }: Config): Promise<Log> {
  try {
    return await openSqliteLog(general);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const code: StartErrorCode = error.code === "locked" ? "data_locked" : "data_path";
    throw new StartError(code, error.message, { cause: error });
  }
}

async function openStore({ general }: Config, sources: RemoteFiles, log: Logger): Promise<FileStore> {
  const { dataPath, retentionDays, media } = general;
  const forbidden = media.blackList.map((pattern) => compilePattern(pattern));
  const blacklisted = (name: string): boolean => forbidden.some(({ test }) => test(name));
  try {
    return await openFiles({ dataPath, retentionDays, media, blacklisted, sources, clock: systemClock, log });
  } catch (error) {
    throw new StartError("data_path", `the folder for files cannot be used: ${describe(error)}`, { cause: error });
  }
}

/** Null when there is no media endpoint; its code is not even loaded then. */
async function listenForMedia({ general }: Config, files: FileStore, logger: Logger): Promise<MediaServer | null> {
  const { bindAddress } = general.media;
  if (bindAddress === null) return null;
  const address = parseAddress(bindAddress);
  if ("error" in address) throw new StartError("config", `MediaBindAddress: ${address.error}`);
  const { startMedia } = await import("./http/media/media-server.ts");
  const onError = (error: unknown): void => logger.error({ error: describe(error) }, "a file could not be served");
  try {
    const server = await startMedia({ files, address, nowMs, onError });
    logger.info({ address: bindAddress, url: general.media.endpoint?.url }, "the media endpoint listens");
    return server;
  } catch (error) {
    const message = `MediaBindAddress: cannot listen on ${bindAddress}: ${explainListenError(error)}`;
    throw new StartError("address_in_use", message, { cause: error });
  }
}

async function loadHttp() {
  const [{ createServer }, { addApiRoutes }] = await Promise.all([
    import("./http/server.ts"),
    import("./http/api/routes.ts"),
  ]);
  return { createServer, addApiRoutes };
}

interface Core {
  readonly log: Log;
  readonly files: FileStore;
  readonly routes: Routes;
  readonly http: Awaited<ReturnType<typeof loadHttp>>;
  readonly logger: Logger;
}

async function createApiServer(account: Account, config: Config, core: Core): Promise<ApiServer> {
  const { log, files, routes, logger } = core;
  const settings = account.settings as ApiSettings;
  const view = compileView(account, config.accounts, (id, name) => files.linkFor(id, name));
  const readers = await ApiAccount.open({ account, buffer: settings.Buffer, log, routes, view, logger, nowMs });
  const keepFile = async (content: Uint8Array, name: string): Promise<string | null> => await files.keep(content, name);
  const ingest = new Ingest({ account, log, routes, inbound: compileInbound(account), logger, nowMs, keepFile });
  const onError = (error: unknown, path: string): void =>
    logger.error({ account: account.name, path, error: describe(error) }, "a request failed: this is a bug");
  const token = settings.Token === "" ? null : settings.Token;
  const http = await core.http.createServer({ token, maxBodySize: settings.MaxBodySize, onError });
  core.http.addApiRoutes(http.app, { readers, ingest, nowMs, release: http.release, onError });
  return { account, settings, readers, ingest, http };
}

async function listen({ account, settings, http: { app } }: ApiServer, logger: Logger): Promise<string> {
  const address = parseAddress(settings.BindAddress);
  if ("error" in address) throw new StartError("config", `[${account.name}] BindAddress: ${address.error}`);
  try {
    await listenAt(address, (host, port) => app.listen({ host, port }));
  } catch (error) {
    throw new StartError(
      "address_in_use",
      `[${account.name}] cannot listen on ${settings.BindAddress}: ${explainListenError(error)}`,
      { cause: error },
    );
  }
  const url = urlOf(app, address.host);
  logger.info({ account: account.name, url }, "the HTTP API listens");
  if (settings.Token === "" && !isLoopback(address.host)) {
    logger.warn(
      { account: account.name, address: settings.BindAddress },
      "THIS API IS OPEN TO EVERYBODY WHO REACHES THE ADDRESS: it has no Token and does not listen on loopback only; set Token, or bind to 127.0.0.1",
    );
  }
  return url;
}

/** Answers that are under way are finished and streams ended. */
async function closeServers(servers: readonly ApiServer[]): Promise<void> {
  const closing = servers.map(({ http }) => http.close());
  for (const { readers } of servers) readers.endStreams();
  await Promise.all(closing);
}

function urlOf(app: FastifyInstance, host: string): string {
  const bound = app.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const name =
    host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function reportCounts({ account, readers, ingest }: ApiServer, logger: Logger): void {
  const { accepted, dropped } = ingest;
  logger.info({ account: account.name, accepted, dropped, skipped: readers.skipped }, "the HTTP API has stopped");
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function once(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= task());
}
