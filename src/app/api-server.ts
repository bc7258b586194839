import type { FastifyInstance } from "fastify";
import type { Tokens } from "../access/tokens.ts";
import { type ApiSettings, apiSettings } from "../adapters/api/index.ts";
import type { ReaderView } from "../admin/views.ts";
import type { Account, Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import type { Delivery, DeliveryOptions } from "../delivery/delivery.ts";
import { StartError } from "../errors.ts";
import type { FileStore } from "../files/files.ts";
import type { OnDrop } from "../gateway/drops.ts";
import type { SharedHint } from "../consumers/hint-event.ts";
import { compileInbound } from "../gateway/inbound.ts";
import type { Routes } from "../gateway/routes.ts";
import { compileView, type View } from "../gateway/view.ts";
import { ApiAccount } from "../http/api/account.ts";
import { Certainty } from "../http/api/certainty.ts";
import { FileLines } from "../http/api/file-lines.ts";
import { Ingest, type IngestDeps } from "../http/api/ingest.ts";
import type { Side } from "../http/example/pages.ts";
import type { ServerShare } from "../http/server-share.ts";
import { explainListenError, listenAt } from "../http/listen.ts";
import type { HttpApi } from "../http/server.ts";
import { V1Door } from "../http/v1/index.ts";
import { namesOf } from "./own-names.ts";
import { type Address, isLoopback, parseAddress } from "../lib/address.ts";
import type { ReadWriteLock } from "../lib/read-write-lock.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import type { LogSearch } from "../log/search.ts";
import type { Logger } from "../logger.ts";
import { describe } from "../lib/describe.ts";

/** One API account with its readers, and the server they are reached by. */
export interface ApiServer {
  readonly account: Account;
  readonly settings: ApiSettings;
  readonly readers: ApiAccount;
  readonly ingest: Ingest;
  readonly http: HttpApi;
  readonly v1: V1Door;
}

/** The code of the HTTP servers, the heaviest of all: loaded while something else opens. */
export async function loadHttp() {
  const [{ createServer }, { addApiRoutes }, { addExampleRoutes }] = await Promise.all([
    import("../http/server.ts"),
    import("../http/api/routes.ts"),
    import("../http/example/routes.ts"),
  ]);
  return { createServer, addApiRoutes, addExampleRoutes };
}

/** What all API accounts share. */
export interface ApiCore {
  readonly log: Log & { readonly archive: LogSearch };
  readonly files: FileStore;
  readonly routes: Routes;
  readonly lock: ReadWriteLock;
  /** See DeliveryOptions. */
  readonly sharing: ReadWriteLock | null;
  /** See DeliveryOptions. */
  readonly mayCall?: DeliveryOptions["mayCall"];
  readonly share: ServerShare;
  readonly http: Awaited<ReturnType<typeof loadHttp>>;
  readonly logger: Logger;
  readonly onDrop: OnDrop;
  /** `AllowedHosts` as it is now. */
  readonly allowedHosts: () => readonly string[];
  /** The configuration as it is now. */
  readonly config: () => Config;
  /** Told what a program says of typing, by account key and gateway. Must be quick. */
  readonly hint: (accountKey: string, gateway: string, hint: SharedHint) => void;
  /** `/v1` of an account is in use: what others say is referred to there as well. */
  readonly keepIds: () => void;
  /** Read from the log when somebody asks for them first. Rejects with a LogError. */
  readonly tokens: () => Promise<Tokens>;
  /** Null: it is not open yet. */
  readonly delivery: () => Pick<Delivery, "control" | "members" | "status"> | null;
  /** All API accounts, as pages of the built-in example; null until all of them listen. */
  readonly sides: () => readonly Side[] | null;
}

/** How the readers of an account see messages. */
export function viewOf(account: Account, { accounts }: Config, { files }: Pick<ApiCore, "files">): View {
  return compileView(account, accounts, (id, name) => files.linkFor(id, name));
}

const nowMs = (): number => systemClock.nowMs();

/** Links of the endpoint end: readers get them from `linkFor`, when they are given a message. */
function folderAddresses({ general: { media } }: Config, files: FileStore): Pick<IngestDeps, "addressOf"> {
  const { endpoint, folder } = media;
  if (endpoint === null && folder === null) return {};
  return {
    addressOf: async (id, name) => {
      if (folder === null) return null;
      const ready = await files.ready({ id, name, mime: null, bytes: null }, new AbortController().signal);
      return ready.ok && ready.link?.startsWith(folder.url) === true ? ready.link : null;
    },
  };
}

/** Opens the readers of an API account and its server, which does not listen yet. Rejects with a LogError. */
export async function createApiServer(account: Account, config: Config, core: ApiCore): Promise<ApiServer> {
  const { log, files, routes, lock, share, logger, onDrop, mayCall } = core;
  const settings = apiSettings(account.settings);
  const view = viewOf(account, config, core);
  const keepFile = async (content: Uint8Array, name: string): Promise<string | null> => {
    const kept = await files.keep(content, name);
    if (kept === null || typeof kept === "string") return kept;
    throw new LogError("unreachable", kept.why.message);
  };
  const inbound = compileInbound(account);
  const addressOf = folderAddresses(config, files);
  const ingest = new Ingest({ account, log, routes, lock, inbound, logger, nowMs, keepFile, ...addressOf, onDrop });
  const onError = (error: unknown, path: string): void =>
    logger.error({ account: account.name, path, error: describe(error) }, "a request failed: this is a bug");
  const token = settings.Token === "" ? null : settings.Token;
  const names = namesOf(settings.BindAddress, core.allowedHosts);
  const v1 = new V1Door(async (host) => {
    const { openV1 } = await import("./v1.ts");
    const { config: configNow, delivery, tokens, keepIds, hint } = core;
    const now = (): Account => configNow().accounts.get(account.key) ?? account;
    const parts = { log, files, routes, ingest, keepIds, hint, names, delivery, tokens, logger, clock: systemClock };
    return await openV1({ ...parts, account: now, config: configNow }, host);
  });
  const maxBodySize = settings.MaxBodySize;
  const http = await core.http.createServer({ token, names, maxBodySize, share, onError, v1 });
  // Last: what is committed meanwhile is for the caller to hand to these readers.
  const buffer = settings.Buffer;
  const fileLines = new FileLines(files, (id, name) => files.linkFor(id, name));
  const certainty = new Certainty(mayCall === undefined ? null : () => mayCall(account.key), systemClock);
  const own = { account, certainty, logger, clock: systemClock };
  const readers = await ApiAccount.open({ ...own, buffer, log, routes, view, fileLines });
  core.http.addApiRoutes(http, { readers, ingest, nowMs, onError });
  // Only the built-in example has no file.
  if (config.path === null) core.http.addExampleRoutes(http, account.key, core.sides);
  return { account, settings, readers, ingest, http, v1 };
}

/**
 * Resolves with the `http://host:port` under which it answers; rejects with a StartError. Where accounts are shared,
 * `PassedOn` listens there.
 */
export async function listen(
  { account, settings, http }: ApiServer,
  { sharing, logger }: Pick<ApiCore, "sharing" | "logger">,
): Promise<string> {
  const address = parseAddress(settings.BindAddress);
  if ("error" in address) {
    throw new StartError("config", `[${account.name}] BindAddress: ${address.error}`, { remedy: "" });
  }
  try {
    if (sharing === null) await listenAt(address, (host, port) => http.app.listen({ host, port }));
    else await http.open();
  } catch (error) {
    throw new StartError(
      "address_in_use",
      `[${account.name}] cannot listen on ${settings.BindAddress}: ${explainListenError(error)}`,
      { cause: error, remedy: "" },
    );
  }
  const url = urlOf(http.app, address);
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
export async function closeServers(servers: readonly ApiServer[]): Promise<void> {
  const closing = servers.map(({ http }) => http.close());
  for (const { readers } of servers) readers.endStreams();
  await Promise.all(closing);
  await Promise.all(servers.map(({ v1 }) => v1.close()));
}

function urlOf(app: FastifyInstance, { host, port: wanted }: Address): string {
  const bound = app.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : wanted;
  const name =
    host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** What operators are shown of it. `addresses`: as in `App`. */
export function readerView(
  { account, readers, ingest, v1 }: ApiServer,
  addresses: ReadonlyMap<string, string>,
): ReaderView {
  const { accepted, dropped } = ingest;
  return {
    account: account.name,
    key: account.key,
    url: addresses.get(account.key) ?? null,
    down: account.down,
    accepted,
    dropped,
    skipped: readers.skipped,
    troubles: v1.alerts(),
  };
}

export function reportCounts({ account, readers, ingest }: ApiServer, logger: Logger): void {
  const { accepted, dropped } = ingest;
  logger.info({ account: account.name, accepted, dropped, skipped: readers.skipped }, "the HTTP API has stopped");
}
