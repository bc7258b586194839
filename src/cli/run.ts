import { startApp, type App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { createLogger, type Logger } from "../logger.ts";

/** Longest that a stop may take before the program ends anyway. */
const STOP_MS = 9_000;

/** Runs the bridge until it is told to stop or cannot go on; resolves with the exit code. */
export async function run(config: Config, secrets: readonly string[], debug: boolean): Promise<number> {
  const logger = createLogger({ debug: debug || config.general.debug, file: config.general.logFile, secrets });
  let app: App;
  try {
    app = await startApp(config, logger);
  } catch (error) {
    return explainFailure(error, logger);
  }
  logger.info(
    { gateways: config.gateways.length, accounts: config.accounts.size, data: config.general.dataPath },
    "Rialto runs",
  );
  if (config.path === null) printExample(app);
  return untilStopped(app, logger);
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

async function untilStopped(app: App, logger: Logger): Promise<number> {
  const ended = await Promise.race([
    new Promise<NodeJS.Signals>((resolve) => {
      // For good: npm and shells often send a signal twice, and the second must not cut the stop short, which is bounded anyway.
      process.on("SIGTERM", resolve);
      process.on("SIGINT", resolve);
    }),
    app.failed,
  ]);
  if (typeof ended !== "string") {
    logger.fatal({ code: ended.code, why: ended.message }, START_ERRORS.log_failed.what);
    return START_ERRORS.log_failed.exit;
  }
  logger.info({ signal: ended }, "stopping");
  const timeout = setTimeout(() => {
    logger.error("the stop took too long; ending anyway, nothing accepted is lost");
    process.exit(1);
  }, STOP_MS);
  await app.stop();
  clearTimeout(timeout);
  logger.info("stopped");
  return 0;
}

function explainFailure(error: unknown, logger: Logger): number {
  const code = error instanceof StartError ? error.code : "bug";
  const { exit, remedy } = START_ERRORS[code];
  const why = error instanceof Error ? (code === "bug" ? error.stack : error.message) : String(error);
  logger.fatal({ code, why }, "Rialto cannot start");
  console.error(`rialto: ${why}\n${remedy}`);
  return exit;
}
