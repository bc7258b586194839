import { randomBytes } from "node:crypto";
import { lazyTokens } from "../access/lazy-tokens.ts";
import { adapters } from "../adapters/registry.ts";
import type { ConfigFileView } from "../admin/views.ts";
import type { Config } from "../config/config.ts";
import type { Loaded } from "../config/load.ts";
import { systemClock } from "../delivery/clock.ts";
import { type Delivery, openDelivery } from "../delivery/delivery.ts";
import { RemoteFiles } from "../delivery/remote-files.ts";
import type { FileStore } from "../files/files.ts";
import { liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import type { MediaServer } from "../http/media/media-server.ts";
import { Scrubber } from "../lib/scrub.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import type { LogError } from "../log/errors.ts";
import type { Logger } from "../logger.ts";
import { Admin } from "./admin.ts";
import { type ApiCore, loadHttp, readerView, reportCounts } from "./api-server.ts";
import { ApiServers } from "./api-servers.ts";
import type { Running } from "./change.ts";
import { ConfigFile } from "./config-file.ts";
import { listenForMedia } from "./media.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { reportIndexing } from "./indexing.ts";
import { openLog, openStore } from "./open.ts";
import { type Reloaded, Reloader } from "./reload.ts";
import { openShare } from "./share.ts";

export interface App {
  /** `http://host:port` of every API account, by account key. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Resolves when the log has stopped working; the program cannot go on then. */
  readonly failed: Promise<LogError>;
  /** Resolves when the log's thread has answered: what accepts messages is alive. Rejects with a LogError. */
  readonly probe: () => Promise<unknown>;
  /** A link to the dashboard, which counts once; null: it has no address. */
  readonly dashboard: () => string | null;
  /**
   * Reads the configuration again and goes on with it; null where it did not come from a file. Never rejects but for
   * bugs.
   */
  reload(): Promise<Reloaded> | null;
  /**
   * Stops sending and taking in, finishes answers, ends streams, leaves the networks, and commits what is waiting:
   * about 8 s at most beside the last commit. Idempotent.
   */
  stop(): Promise<void>;
}

/**
 * The whole program in the order it starts: log, files, routes, API readers, lanes, servers, and last the sessions,
 * which nothing waits for. `read`: loads the configuration once more, as it is then; null: it never changes. `wrote`:
 * told when the file was written by us, and is about to be read. `clusterNode`: of a log that several machines have,
 * and that is open already. `newFile`: what `read` reads is not there yet, and runs once somebody has had it written
 * here. Rejects with a StartError; nothing is left open then.
 */
export async function startApp(
  config: Config,
  logger: Logger,
  read: (() => Loaded | Promise<Loaded>) | null = null,
  scrubber: Scrubber = new Scrubber(),
  wrote: (digest: string, file: string) => void = () => undefined,
  clusterNode: ClusterNode | null = null,
  newFile: string | null = null,
): Promise<App> {
  // The log's thread starts while the HTTP modules are loaded, the heaviest of all.
  const share = openShare(config, logger);
  const admin = new Admin(share);
  clusterNode?.observe(admin.metrics);
  const [log, http] = await Promise.all([clusterNode?.log ?? openLog(config, admin.metrics), loadHttp()]);
  reportIndexing(log, logger);
  const lock = new ReadWriteLock();
  const tokens = lazyTokens({ log, clock: systemClock, bytes: randomBytes, logger });
  let servers: ApiServers | null = null;
  let reloader: Reloader | null = null;
  let delivery: Delivery | null = null;
  let files: FileStore | null = null;
  let media: MediaServer | null = null;
  const stop = async (): Promise<void> => {
    reloader?.stop();
    delivery?.interrupt();
    await clusterNode?.leave();
    await delivery?.quiesce();
    await Promise.all([servers?.close(), media?.close(), admin.close(), share.close()]);
    await delivery?.close();
    await files?.close();
    tokens.close();
    for (const server of servers?.all ?? []) reportCounts(server, logger);
    clusterNode?.close();
    await log.close();
  };
  try {
    const remoteFiles = new RemoteFiles(config);
    // Not before the log has made sure that nobody else uses the data folder.
    files = await openStore(config, remoteFiles, { log: logger, marks: log.marks.bind(log) }, clusterNode?.log ?? null);
    const routes = liveRoutes(compileRoutes(config));
    const common = { log, routes, lock, logger, files, ...(clusterNode?.terms ?? ALONE) };
    const { onDrop } = admin.told;
    const hint: ApiCore["hint"] = (...of) => {
      servers?.hint(...of);
      delivery?.typing(...of);
      clusterNode?.hint(...of);
    };
    servers = new ApiServers({ ...common, share, http, onDrop, hint, delivery: () => delivery, tokens: tokens.get });
    await servers.open(config);
    log.tail(servers.listener);
    const outside = { adapters, remoteFiles, clock: systemClock, random: Math.random, onHint: hint };
    delivery = await openDelivery({ ...common, ...outside, ...admin.told, config });
    const follow = followedBy(remoteFiles, clusterNode);
    const running: Running = { ...common, config, servers, delivery, share, follow };
    const file = new ConfigFile(() => systemClock.nowMs());
    reloader = read && new Reloader(running, read, file, logger);
    const source = sourceOf({ running, reloader, file, newFile });
    await servers.listen();
    media = await listenForMedia(config, files, share, logger);
    const own = { ...source, wrote, tokens: tokens.get, cluster: clusterNode, scrubber };
    await admin.open({ ...shownOf(running), ...own, log, logger });
    delivery.start();
    clusterNode?.join(running);
    const seen = seenFromOutside(running, source, admin);
    return { ...seen, failed: log.failed, probe: () => log.marks(PROBE), stop: once(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

const followedBy =
  (files: RemoteFiles, node: ClusterNode | null): Running["follow"] =>
  (next) => {
    files.follow(next);
    node?.follow(next);
  };

/** What operators are shown of what runs, as it is when they look. */
function shownOf(running: Running) {
  const { routes, lock } = running;
  return {
    routes,
    config: () => running.config,
    delivery: () => running.delivery,
    readers: () => running.servers.all.map((server) => readerView(server, running.servers.addresses)),
    pass: async <T>(task: () => Promise<T>): Promise<T> => await lock.shared(task),
    webhooks: async () => await running.servers.webhooks(),
  };
}

function seenFromOutside(
  running: Running,
  { isNone, reload }: ReturnType<typeof sourceOf>,
  admin: Admin,
): Pick<App, "addresses" | "dashboard" | "reload"> {
  return {
    addresses: running.servers.addresses,
    dashboard: () => admin.dashboard(running.config.general)?.url ?? null,
    reload: () => (isNone() ? null : (reload?.() ?? null)),
  };
}

/** Where the configuration comes from: a file, or the built-in example until `newFile` is written. */
function sourceOf(of: {
  readonly running: Running;
  readonly reloader: Reloader | null;
  readonly file: ConfigFile;
  readonly newFile: string | null;
}) {
  const { running, reloader, file, newFile } = of;
  const isNone = (): boolean => newFile !== null && running.config.path === null;
  return {
    newFile,
    isNone,
    reload: reloader === null ? null : async () => await reloader.reload(),
    file: (): ConfigFileView => (isNone() ? { ...file.view, trouble: null } : file.view),
  };
}

/** No mark begins like this: the answer is as short as can be. */
const PROBE = "\0";

/** The log is of this machine alone. */
const ALONE = { sharing: null };

function once(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= task());
}
