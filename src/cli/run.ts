import { resolve } from "node:path";
import { protocols } from "../adapters/registry.ts";
import { startApp, type App } from "../app/app.ts";
import { ConfigThread } from "../app/config-thread.ts";
import { closeDataFolder, openConfiguration } from "../app/private.ts";
import type { ClusterNode } from "../app/cluster-node.ts";
import type { ClusterSettings, Config, GeneralSettings } from "../config/config.ts";
import type { Loaded } from "../config/load.ts";
import type { ConfigProblem } from "../config/problems.ts";
import { secretsOf } from "../config/secrets.ts";
import { startErrorOf } from "../app/open.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { LogError } from "../log/errors.ts";
import type { Scrubber } from "../lib/scrub.ts";
import { createLogger, type Logger } from "../logger.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { followReloads, listenForReloads } from "./reloads.ts";
import { openSystemd, type Systemd } from "./systemd.ts";

const DEGRADED = "the configuration has an error; everything else runs";
const ODD = "the configuration has a warning";

/** Longest that a stop may take before the program ends anyway. */
const STOP_MS = 9_000;

export interface RunOptions {
  /** Knows the secrets of every configuration that was read. */
  readonly scrubber: Scrubber;
  readonly debug: boolean;
  /** The file, to be read once more at each reload; null: the configuration is built in, until a file replaces it. */
  readonly path: string | null;
  /** Everything that was found in the configuration. */
  readonly problems: readonly ConfigProblem[];
  /** Options of the command line that have no effect. */
  readonly ignored: readonly string[];
}

/** Runs the bridge until it is told to stop or cannot continue; resolves with the exit code. */
export async function run(config: Config, options: RunOptions): Promise<number> {
  const { scrubber, debug, path } = options;
  const signalled = listenForSignals();
  let logger: Logger | null = null;
  try {
    const { logFormat: format, logFile: file } = config.general;
    logger = createLogger({ debug: debug || config.general.debug, format, file, scrubber });
    endOnBug(logger);
    logFindings(options, logger);
    const asked = listenForReloads(config.path, logger);
    const { cluster } = config.general;
    const clusterNode = cluster === null ? null : await joinOthers(config, cluster, logger);
    const newFile = path === null ? resolve("rialto.toml") : null;
    const read = async () => await readAgain(path ?? newFile ?? "", scrubber);
    const wrote = (digest: string, file: string): void => asked.expect(digest, file);
    const app = await startApp(config, logger, read, scrubber, wrote, clusterNode, newFile);
    warnOfOthers(config, scrubber, logger);
    const systemd = openSystemd({ env: process.env, logger, probe: app.probe });
    logger.info(
      { gateways: config.gateways.length, accounts: config.accounts.size, data: config.general.dataPath },
      "Rialto runs",
    );
    systemd.ready(`${config.gateways.length} gateways, ${config.accounts.size} accounts`);
    if (config.path === null) printExample(app);
    showDashboard(app, config, logger);
    followReloads(app, { asked, logger, systemd });
    return await untilStopped(app, signalled, logger, systemd);
  } catch (error) {
    return explainFailure(error, config.general, { logger, scrubber });
  }
}

/** What is wrong with the configuration and the command line, in the format of the log. */
function logFindings({ problems, ignored }: RunOptions, logger: Logger): void {
  for (const found of problems) {
    const problem = formatProblems([found]).trimEnd();
    if (found.severity === "error") logger.error({ problem }, DEGRADED);
    else logger.warn({ problem }, ODD);
  }
  for (const option of ignored) logger.warn({ option }, "this option of matterbridge has no effect");
}

const configThread = new ConfigThread();

/** In a thread: whatever the file holds, what runs goes on meanwhile. */
async function readAgain(path: string, scrubber: Scrubber): Promise<Loaded> {
  const loaded = await configThread.load({ source: { path }, env: { ...process.env }, cwd: process.cwd() });
  // Before anything of it can get into the log.
  if (loaded.ok) scrubber.learn(secretsOf(loaded.config, protocols));
  return loaded;
}

/** The log of several machines, whose code is not loaded for one. Rejects with a LogError. */
async function joinOthers(config: Config, cluster: ClusterSettings, logger: Logger): Promise<ClusterNode> {
  const { joinCluster } = await import("../app/cluster-node.ts");
  return await joinCluster(config, cluster, logger);
}

/** Says what other users of this machine can read, and closes to them what is Rialto's alone. */
function warnOfOthers({ path, general }: Config, scrubber: Scrubber, logger: Logger): void {
  const findings = [...closeDataFolder(general.dataPath), ...openConfiguration(path, scrubber.hasSecrets)];
  for (const { what, ...fields } of findings) logger.warn(fields, what);
}

/** Resolves with the first signal that asks for a stop, also one that comes while the program starts. */
function listenForSignals(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // For good: npm and shells often send a signal twice, and the second must not cut the stop short, which is bounded
    // anyway.
    process.on("SIGTERM", resolve);
    process.on("SIGINT", resolve);
  });
}

/** An exception that nobody caught, or a rejection nobody handled: the program may be in any state. */
function endOnBug(logger: Logger): void {
  process.on("uncaughtException", (error: unknown) => {
    const why = error instanceof Error ? error.stack : String(error);
    logger.fatal({ code: "bug", why }, START_ERRORS.bug.what);
    process.exit(START_ERRORS.bug.exit);
  });
}

/** The page, and two lines to paste: the first ways to see a message cross. */
function printExample(app: App): void {
  const left = app.addresses.get("api.left") ?? "";
  const right = app.addresses.get("api.right") ?? "";
  console.log(`
The built-in example runs: two API accounts, linked by the gateway "example".
Open ${left}/ in a browser and write on one side: your message arrives on the other.
Or paste these two lines into another shell:

  curl -sN ${right}/api/stream &
  curl -s ${left}/api/message -H 'Content-Type: application/json' -d '{"gateway":"example","username":"you","text":"What news on the Rialto?"}'
`);
}

/** The link on a terminal only: every reader of the output could use it, and a log has many readers. */
function showDashboard(app: Pick<App, "dashboard">, { path, gateways }: Config, logger: Logger): void {
  const link = app.dashboard();
  if (link === null) return;
  if (process.stdout.isTTY) {
    const writes = path === null ? "It writes rialto.toml into this folder." : `It writes into ${path}.`;
    console.log(
      path === null || gateways.length === 0
        ? `To link your own networks, question by question, open this link.\n${writes}\n\n  ${link}&page=connect\n`
        : "",
    );
    console.log(`The dashboard, by a link that works once and expires after 10 minutes:\n\n  ${link}\n`);
    return;
  }
  const [url = ""] = link.split("#", 1);
  logger.info({ url }, "to open the dashboard, run `rialto dashboard`: it prints a link that signs you in");
}

async function untilStopped(
  app: App,
  signalled: Promise<NodeJS.Signals>,
  logger: Logger,
  systemd: Systemd,
): Promise<number> {
  const ended = await Promise.race([signalled, app.failed]);
  if (typeof ended !== "string") {
    const { what, exit } = START_ERRORS.log_failed;
    logger.fatal({ code: ended.code, why: ended.message }, what);
    return exit;
  }
  logger.info({ signal: ended }, "stopping");
  const [exit] = await Promise.all([stopWithin(STOP_MS, app, logger), systemd.stopping()]);
  return exit;
}

/** Stops the app; resolves with the exit code, at the latest after `limitMs`. */
export async function stopWithin(limitMs: number, app: Pick<App, "stop">, logger: Logger): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, limitMs, "late");
  });
  const ended = await Promise.race([app.stop(), late]);
  clearTimeout(timer);
  if (ended === "late") {
    logger.error({ code: "stop_timeout" }, START_ERRORS.stop_timeout.what);
    return START_ERRORS.stop_timeout.exit;
  }
  logger.info("stopped");
  return 0;
}

/**
 * Says why the program ends, once for each reader: in the log, or as text on standard error where a person reads (a
 * terminal), and both where the log is a file. A service manager collects standard output and standard error in one
 * place, so a second copy would be noise there.
 */
function explainFailure(
  error: unknown,
  { logFile, logFormat }: GeneralSettings,
  { logger, scrubber }: { readonly logger: Logger | null; readonly scrubber: Scrubber },
): number {
  const known = error instanceof LogError ? startErrorOf(error) : error;
  const code = known instanceof StartError ? known.code : "bug";
  const remedy = known instanceof StartError ? known.remedy : START_ERRORS.bug.remedy;
  const why = error instanceof Error ? (code === "bug" ? error.stack : error.message) : String(error);
  const isTerminal = logFile === null && logFormat !== "json" && process.stdout.isTTY;
  if (!isTerminal) logger?.fatal({ code, why, ...(remedy !== "" && { remedy }) }, "Rialto cannot continue");
  if (isTerminal || logger === null || logFile !== null)
    console.error(scrubber.clean(`rialto: ${why}\n${remedy}`.trimEnd()));
  return START_ERRORS[code].exit;
}
