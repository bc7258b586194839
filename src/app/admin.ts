import { randomBytes } from "node:crypto";
import { Logins } from "../access/logins.ts";
import { operateTokens } from "../access/operate.ts";
import type { Tokens } from "../access/tokens.ts";
import { Destinations } from "../admin/destinations.ts";
import { Drops } from "../admin/drops.ts";
import { explain, explainOne } from "../admin/explain.ts";
import { Followers } from "../admin/followers.ts";
import { LogHealth } from "../admin/log-health.ts";
import { LoopDelay } from "../admin/loop-delay.ts";
import { Metrics } from "../admin/metrics.ts";
import { noSuchGateway, say } from "../admin/operator.ts";
import { Resender } from "../admin/resend.ts";
import { resendTyped } from "../admin/resend-choice.ts";
import { startTime } from "../admin/start-time.ts";
import { statusOf } from "../admin/status.ts";
import { SAMPLE_MS, Traffic } from "../admin/traffic.ts";
import { type ConfigError, readinessOf } from "../admin/alerts.ts";
import type { BridgeView, ConfigFileView, ReaderView, StatusView } from "../admin/views.ts";
import { placeOf } from "../config/problem-lines.ts";
import type { AdminSettings, Config, GeneralSettings } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Meter } from "../delivery/meter.ts";
import { StartError } from "../errors.ts";
import type { OnDrop } from "../gateway/drops.ts";
import type { Routes } from "../gateway/routes.ts";
import type { AdminDeps, DashboardLink } from "../http/admin/routes.ts";
import { inRooms, makeInvite } from "../http/admin/guest-office.ts";
import type { AccessDeps, ApiAccountView } from "../http/admin/v1/access-deps.ts";
import type { ServerShare } from "../http/server-share.ts";
import { V1Door } from "../http/v1/index.ts";
import { parseAddress } from "../lib/address.ts";
import { hostName } from "../lib/host-name.ts";
import { builtPages } from "../lib/static-files.ts";
import { faultOf } from "../lib/fault.ts";
import { fileBeside } from "../log/sqlite/upkeep.ts";
import type { Scrubber } from "../lib/scrub.ts";
import type { LogSearch } from "../log/search.ts";
import type { Log, Seq } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { AdminV1Sources } from "./admin-v1.ts";
import { describe } from "../lib/describe.ts";
import { guestOffice } from "./guest-office.ts";
import { HistoryKeeper } from "./history-keeper.ts";
import type { ClusterNode } from "./cluster-node.ts";
import type { Reloaded } from "./reload.ts";
import { namesOf } from "./own-names.ts";
import { version } from "./version.ts";

/** What an operator is shown, from the rest of the program. */
export interface AdminSources {
  readonly log: Log & { readonly archive: LogSearch };
  readonly routes: Routes;
  /** As it is now. */
  readonly config: () => Config;
  readonly delivery: () => Pick<Delivery, "guests" | "rooms" | "status" | "loops" | "control">;
  readonly readers: () => readonly ReaderView[];
  /** Passed by what is said: it waits while the configuration is changed. */
  readonly pass: <T>(task: () => Promise<T>) => Promise<T>;
  readonly reload: (() => Promise<Reloaded>) | null;
  /** See ConfigDeskOptions. */
  readonly newFile: string | null;
  /** There is no file to reload yet. */
  readonly isNone: () => boolean;
  readonly file: () => ConfigFileView;
  /** See ConfigDeskOptions. */
  readonly wrote: (digest: string, file: string) => void;
  readonly tokens: () => Promise<Tokens>;
  readonly webhooks: AccessDeps["webhooks"];
  readonly cluster: Pick<ClusterNode, "view" | "troubles"> | null;
  readonly logger: Logger;
  /** Servers repeat what they were told in confidence, also in the reasons that are shown here. */
  readonly scrubber: Scrubber;
}

/** Metrics count from the beginning; the ways in are opened when there is something to show. */
export class Admin {
  readonly metrics: Metrics;
  readonly #drops = new Drops();
  /** What delivery tells. */
  readonly told: { readonly meter: Meter; readonly onDrop: OnDrop };
  readonly #share: ServerShare;
  readonly #version = version();
  readonly #startedMs = startTime(systemClock);
  readonly #loop = new LoopDelay();
  readonly #traffic: Traffic;
  readonly #sampling: NodeJS.Timeout;
  readonly #logins = new Logins(systemClock, randomBytes);
  /** Where it listens; null: at the socket alone. */
  #url: string | null = null;
  #history: HistoryKeeper | null = null;
  #close: () => Promise<void> = () => Promise.resolve();

  constructor(share: ServerShare) {
    this.#share = share;
    this.metrics = new Metrics(this.#version);
    this.#traffic = new Traffic(this.metrics.traffic);
    this.#sampling = setInterval(() => this.#traffic.sample(), SAMPLE_MS).unref();
    this.told = { meter: this.metrics, onDrop: (dropped) => this.#drops.add(dropped) };
  }

  /** Rejects with a StartError when AdminBindAddress cannot be had. */
  async open(sources: AdminSources): Promise<void> {
    const { log, routes, config, logger } = sources;
    const { dataPath, admin } = config().general;
    const followers = new Followers(routes, (seq, error) =>
      logger.error({ seq, ...faultOf(error) }, "a message cannot be shown to those who follow the log"),
    );
    const newest = { atMs: (await log.archive.entry(log.head))?.at ?? null };
    log.tail((entries) => {
      this.metrics.accepted(entries);
      followers.show(entries);
      newest.atMs = entries.at(-1)?.at ?? newest.atMs;
    });
    this.metrics.watch({
      accounts: () => sources.delivery().status(),
      readers: sources.readers,
      loop: () => this.#loop.now(),
      cluster: () => sources.cluster?.view() ?? null,
      file: sources.file,
      nowMs,
    });
    const history = new HistoryKeeper({
      log,
      places: async () => ({ accounts: await sources.delivery().status(), readers: sources.readers() }),
      // What an error leaves out is meant to come back.
      isGone: (key) => config().errors.length === 0 && !config().accounts.has(key),
      nowMs,
      logger,
    });
    this.#history = history;
    const deps = this.#deps(sources, followers, new LogHealth({ log, dataPath }), () => newest.atMs);
    const address = admin === null ? null : parseAddress(admin.bindAddress);
    if (address !== null && "error" in address) {
      throw new StartError("config", `AdminBindAddress: ${address.error}`, { remedy: "" });
    }
    // How late the start itself was is nothing to look at.
    this.#loop.forget();
    const remote = { operator: deps, history: async () => await history.view() };
    const listen = admin === null || address === null ? null : { address, ...this.#remote(admin, sources, remote) };
    const { startAdmin } = await import("../http/admin/admin-server.ts");
    try {
      const server = await startAdmin({ deps, followers, dataPath, listen, share: this.#share, logger });
      this.#url = server.url;
      this.#close = () => server.close();
    } catch (error) {
      const message = `AdminBindAddress: cannot listen on ${admin?.bindAddress ?? ""}: ${describe(error)}`;
      throw new StartError("address_in_use", message, { cause: error, remedy: "" });
    }
  }

  /** A link to the dashboard, which counts once; null: it has no address. */
  dashboard({ dashboardUrl }: GeneralSettings): DashboardLink | null {
    if (this.#url === null) return null;
    const { secret, expiresMs } = this.#logins.make();
    return { url: `${dashboardUrl ?? this.#url}/#login=${secret}`, expiresMs };
  }

  async close(): Promise<void> {
    this.#loop.stop();
    clearInterval(this.#sampling);
    await Promise.all([this.#close(), this.#history?.close()]);
  }

  /** The way in over TCP. */
  #remote(
    { bindAddress, token, proxies }: AdminSettings,
    sources: AdminSources,
    shown: Pick<AdminV1Sources, "operator" | "history">,
  ) {
    const { config, tokens, log, logger } = sources;
    const publicOrigin = (): string | null => config().general.dashboardUrl;
    const names = namesOf(bindAddress, () => config().general.allowedHosts);
    // Not at the older addresses: without AdminToken these are for this machine, and not for who reaches that name.
    const pageNames = namesOf(bindAddress, () => {
      const { allowedHosts, dashboardUrl } = config().general;
      const own = dashboardUrl === null ? null : hostName(new URL(dashboardUrl).host);
      return own === null ? allowedHosts : [...allowedHosts, own];
    });
    const logins = this.#logins;
    const port = (): number => Number(URL.parse(this.#url ?? "")?.port ?? 0);
    const { config: running, reload, newFile, wrote } = sources;
    const accounts = async () => await sources.delivery().status();
    const rooms: AdminV1Sources["rooms"] = async (...of) => await sources.delivery().rooms(...of);
    const desk = { running, reload, newFile, port, wrote, env: process.env, nowMs };
    const common = { ...shown, token, proxies, logins, tokens, log, clock: systemClock, logger };
    const access = { apis: () => apisOf(config()), webhooks: sources.webhooks };
    const guests = guestOffice(config, sources.delivery);
    const own = { ...common, names: pageNames, publicOrigin, port, config: desk, access, accounts, rooms, guests };
    const v1 = new V1Door(async (host) => {
      const { openOperatorApi } = await import("./admin-v1.ts");
      return await openOperatorApi(own, host);
    });
    const files = builtPages();
    return { token, names, v1, pages: files === null ? null : { files, names: pageNames } };
  }

  #deps(
    { log, routes, config, delivery, readers, pass, reload, isNone, file, tokens, cluster, scrubber }: AdminSources,
    followers: Followers,
    health: LogHealth,
    newestMs: () => number | null,
  ): AdminDeps {
    const gateways = (): readonly string[] => config().gateways.map(({ name }) => name);
    const accounts = () => delivery().status();
    const office = guestOffice(config, delivery);
    const status = (): Promise<StatusView> =>
      statusOf({
        version: this.#version,
        startedMs: this.#startedMs(),
        nowMs,
        health,
        loop: this.#loop,
        traffic: this.#traffic,
        accounts,
        loops: () => delivery().loops(),
        readers,
        gateways,
        bridges: () => bridgesOf(config()),
        newestMs,
        errors: () => errorsOf(config(), cluster !== null),
        file,
        waitingMs: () => config().general.outageNoticeMs,
        shortage: () => this.#share.descriptors.shortage,
        guests: () => ({
          held: inRooms(office, (desk) => desk.held()),
          reports: inRooms(office, (desk) => desk.reports()),
        }),
        cluster,
      });
    const refs = (seq: Seq): Promise<readonly string[]> => log.ids.refs(seq, null);
    const destinations = async () => new Destinations({ log, routes, accounts: await accounts() });
    const resender = new Resender({ log, archive: log.archive, routes, accounts, destinations });
    const telling = { archive: log.archive, log, refs, destinations };
    return {
      status: async () => scrubber.cleanAll(await status()),
      readiness: async () => scrubber.cleanAll(readinessOf(await health.look(), file())),
      metrics: () => this.metrics.scrape(),
      explain: async (question, limit, only) => {
        const asked = { ...telling, subjects: routes.subjects, drops: this.#drops };
        const bounds = { ...(limit !== undefined && { limit }), ...(only !== undefined && { only }) };
        return scrubber.cleanAll(await explain(question, { ...asked, ...bounds }));
      },
      story: async (seq) => scrubber.cleanAll(await explainOne(seq, telling)),
      control: async (accountKey, act) => await delivery().control(accountKey, act),
      account: (name) => config().accounts.get(name.toLowerCase()) ?? null,
      unknown: (gateway) => (gateways().includes(gateway) ? null : noSuchGateway(gateways())),
      follow: (follower) => followers.add(follower),
      say: (words) => pass(() => say(words, { log, routes, gateways, nowMs })),
      resend: (request) => pass(() => resender.send(request)),
      resendTyped: (order) => {
        const story = async (seq: Seq) => await explainOne(seq, telling);
        return pass(() => resendTyped(order, { story, send: (request) => resender.send(request) }));
      },
      backup: async () => {
        const file = fileBeside(config().general.dataPath, "backup", nowMs());
        await log.archive.backup(file);
        return file;
      },
      tokens: async (order) => await operateTokens(order, { tokens: await tokens(), config: config(), nowMs: nowMs() }),
      invite: async (order) => await makeInvite(office, order),
      dashboard: () => this.dashboard(config().general),
      get reload() {
        return reload === null || isNone() ? null : async () => scrubber.cleanAll(await reload());
      },
    };
  }
}

const apisOf = ({ accounts, gateways }: Config): readonly ApiAccountView[] =>
  [...accounts.values()]
    .filter(({ protocol }) => protocol === "api")
    .map(({ key, name }) => {
      const own = gateways.filter(({ bridges }) => bridges.some((bridge) => bridge.account === key));
      return { account: name, gateways: own.map((gateway) => gateway.name) };
    });

/** Without `options`, which may hold the password of a channel. */
const bridgesOf = ({ gateways }: Config): readonly BridgeView[] =>
  gateways.flatMap(({ name, bridges }) =>
    bridges.map(({ account, channel, direction }) => ({ gateway: name, account, channel, direction })),
  );

/** Those that no account says itself; of several machines, one that is down is open on none. */
function errorsOf({ errors }: Config, isShared: boolean): readonly ConfigError[] {
  const untold = errors.filter(({ keepsDown }) => isShared || keepsDown !== true);
  return untold.map((problem) => ({ place: placeOf(problem), message: problem.message, remedy: problem.remedy }));
}

const nowMs = (): number => systemClock.nowMs();
