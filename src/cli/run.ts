import { startApp, type App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { createLogger, type Logger } from "../logger.ts";

/** Longest that a stop may take before the program ends anyway. */
const STOP_MS = 9_000;

/** Runs the bridge until it is told to stop or cannot go on; resolves with the exit code. */
export async function run(config: Config, secrets: readonly string[], debug: boolean): Promise<number> {
  const signalled = listenForSignals();
  let logger: Logger | null = null;
  try {
    logger = createLogger({ debug: debug || config.general.debug, file: config.general.logFile, secrets });
    endOnBug(logger);
    const app = await startApp(config, logger);
    logger.info(
      { gateways: config.gateways.length, accounts: config.accounts.size, data: config.general.dataPath },
      "Rialto runs",
    );
    if (config.path === null) printExample(app);
    return await untilStopped(app, signalled, logger);
  } catch (error) {
    return explainFailure(error, logger);
  }
}

/** Resolves with the first signal that asks for a stop, also one that comes while the program starts. */
function listenForSignals(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // For good: npm and shells often send a signal twice, and the second must not cut the stop short, which is bounded anyway.
    process.on("SIGTERM", resolve);
    process.on("SIGINT", resolve);
  });
}

/** An exception that nobody caught, or a rejection nobody handled: nothing can be relied on any more. */
function endOnBug(logger: Logger): void {
  process.on("uncaughtException", (error: unknown) => {
    const why = error instanceof Error ? error.stack : String(error);
    logger.fatal({ code: "bug", why }, START_ERRORS.bug.what);
    process.exit(START_ERRORS.bug.exit);
  });
}

/** Two lines to paste: the first way to see a message cross. */
function printExample(app: App): void {
  const left = app.addresses.get("api.left") ?? "";
  const right = app.addresses.get("api.right") ?? "";
  console.log(`
There is no rialto.toml here, so a built-in example runs: two API accounts, linked by the gateway "example".
Paste these two lines into another shell:

  curl -sN ${right}/api/stream &
  curl -s ${left}/api/message -H 'Content-Type: application/json' -d '{"gateway":"example","username":"you","text":"What news on the Rialto?"}'
`);
}

async function untilStopped(app: App, signalled: Promise<NodeJS.Signals>, logger: Logger): Promise<number> {
  const ended = await Promise.race([signalled, app.failed]);
  if (typeof ended !== "string") {
    logger.fatal({ code: ended.code, why: ended.message }, START_ERRORS.log_failed.what);
    return START_ERRORS.log_failed.exit;
  }
  logger.info({ signal: ended }, "stopping");
  return stopWithin(STOP_MS, app, logger);
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

function explainFailure(error: unknown, logger: Logger | null): number {
  const code = error instanceof StartError ? error.code : "bug";
  const { exit, remedy } = START_ERRORS[code];
  const why = error instanceof Error ? (code === "bug" ? error.stack : error.message) : String(error);
  logger?.fatal({ code, why }, "Rialto cannot go on");
  console.error(`rialto: ${why}\n${remedy}`);
  return exit;
}
