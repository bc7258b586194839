import { protocols } from "./adapters/registry.ts";
import { version } from "./app/version.ts";
import { accountCommand } from "./cli/account.ts";
import { type Command, parseCommand } from "./cli/args.ts";
import type { Terminal } from "./cli/control.ts";
import { accountHelp, COMMAND_HELP } from "./cli/command-help.ts";
import { check, checkWithNetworks } from "./cli/check.ts";
import { formatProblems } from "./config/problem-lines.ts";
import { reportFailure } from "./cli/failure.ts";
import { HELP } from "./cli/help.ts";
import { load } from "./cli/load.ts";
import { versionText } from "./cli/version-text.ts";
import {
  configFileIn,
  configFileNames,
  exampleAddresses,
  exampleConfig,
  exampleName,
  findConfigFile,
  noConfigFile,
} from "./config/example.ts";
import type { RunOptions } from "./cli/run.ts";
import type { LoadRequest } from "./config/load.ts";
import { secretsOf } from "./config/secrets.ts";
import { START_ERRORS } from "./errors.ts";
import { Scrubber } from "./lib/scrub.ts";

const { env } = process;
const cwd = process.cwd();
const out = (text: string): void => print(process.stdout, text);
const err = (text: string): void => print(process.stderr, text);

/** A reader that has gone away (`rialto check | head`) is no reason to fail. */
function print(stream: NodeJS.WriteStream, text: string): void {
  if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  stream.write(text);
}

/** Colour and width only where somebody looks at it. */
function terminal(): Terminal {
  let interrupted: AbortController | null = null;
  const { stdout } = process;
  const plain = (env["NO_COLOR"] ?? "") !== "";
  const columns = Number(env["COLUMNS"] ?? "") || Infinity;
  return {
    env,
    cwd,
    tell: err,
    // Once somebody asks: what does not would no longer end by Ctrl-C.
    get signal() {
      if (interrupted === null) {
        const controller = new AbortController();
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => controller.abort());
        interrupted = controller;
      }
      return interrupted.signal;
    },
    screen: () => ({ width: stdout.isTTY ? stdout.columns : columns, colour: stdout.isTTY && !plain }),
    write: (text) => {
      if (stdout.listenerCount("error") === 0) stdout.on("error", () => undefined);
      return new Promise((resolve) => stdout.write(text, (error) => resolve(error === null || error === undefined)));
    },
  };
}

/** Runs one command; resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommand(argv, { env, protocols });
  switch (command.is) {
    case "help":
      out(helpText(command.of));
      return 0;
    case "control":
      // A start needs none of it.
      return (await import("./cli/control.ts")).control(command, terminal());
    case "version":
      out(versionText(version(), process.argv[1] ?? "", command.json));
      return 0;
    case "usage":
      await reportFailure(command.message, command.json, terminal());
      err("See: rialto help\n");
      return START_ERRORS.usage.exit;
    case "check": {
      const file = command.file ?? findConfigFile(cwd);
      const how = { env, cwd, write: out, json: command.json };
      if (file !== null && command.online) return await checkWithNetworks(file, how, terminal().signal);
      if (file !== null) return check(file, how);
      const missing = `there is no ${configFileNames} here; name the file: rialto check FILE`;
      await reportFailure(missing, command.json, terminal());
      return START_ERRORS.usage.exit;
    }
    case "init": {
      const { stdin, stdout } = process;
      const people = stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : null;
      return (await import("./cli/init.ts")).init(command.file, { env, cwd, say: out, tell: err, terminal: people });
    }
    case "log":
      return (await import("./cli/log.ts")).logCommand(command, terminal());
    case "token":
      return (await import("./cli/token.ts")).tokenCommand(command, terminal());
    case "account":
      return await accountCommand(command, { env, cwd, write: out, tell: err, signal: terminal().signal });
    case "run": {
      // `npm start` in a checkout begins with the example, whatever else runs on the machine.
      const path = command.conf ?? (command.orExample ? configFileIn(cwd) : findConfigFile(cwd));
      if (path !== null) return await start({ path }, command);
      if (command.orExample || process.stdout.isTTY) return await startExample(command);
      err(`rialto: ${noConfigFile}`);
      return START_ERRORS.config.exit;
    }
    case "example":
      return await startExample({ debug: command.debug, ignored: [] });
  }
}

function helpText(of: Extract<Command, { is: "help" }>["of"]): string {
  if (of === null) return HELP;
  if (typeof of === "string") return COMMAND_HELP[of];
  const manifest = protocols.get(of.protocol);
  return manifest === undefined ? HELP : accountHelp(manifest);
}

/** Where somebody has its addresses already, it takes others. */
async function startExample(how: Pick<RunOptions, "debug" | "ignored">): Promise<number> {
  const { whyBusy } = await import("./app/busy.ts");
  let text: string = exampleConfig;
  for (const address of exampleAddresses) {
    if ((await whyBusy(address)) !== null) text = text.replace(address, "127.0.0.1:0");
  }
  return await start({ text, format: "toml", name: exampleName }, how);
}

async function start(
  source: LoadRequest["source"],
  { debug, ignored }: Pick<RunOptions, "debug" | "ignored">,
): Promise<number> {
  const scrubber = new Scrubber();
  const loaded = load(source, { env, cwd });
  // Before anybody can say anything about it.
  if (loaded.ok) scrubber.learn(secretsOf(loaded.config, protocols));
  if (!loaded.ok) {
    // There is no log: where it goes and its format are settings. Each problem has its own remedy.
    err(`${formatProblems(loaded.problems)}rialto: ${START_ERRORS.config.what}\n`);
    return START_ERRORS.config.exit;
  }
  // Most of the program, of which the other commands need nothing.
  const { run } = await import("./cli/run.ts");
  const { config, problems } = loaded;
  return await run(config, { scrubber, debug, ignored, problems, path: "path" in source ? source.path : null });
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The command line may be what failed.
  await reportFailure(`${what}\n${START_ERRORS.bug.remedy}`, process.argv.includes("--json"), terminal());
  process.exit(START_ERRORS.bug.exit);
}
