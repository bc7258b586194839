import { protocols } from "./adapters/registry.ts";
import { version } from "./app/version.ts";
import { accountCommand } from "./cli/account.ts";
import { parseCommand } from "./cli/args.ts";
import type { Terminal } from "./cli/control.ts";
import { CONTROL_HELP } from "./cli/control-help.ts";
import { check, formatProblems } from "./cli/check.ts";
import { HELP } from "./cli/help.ts";
import { load } from "./cli/load.ts";
import { exampleConfig, exampleName, findConfigFile } from "./config/example.ts";
import type { Loaded } from "./config/load.ts";
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
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => interrupted.abort());
  const { stdout } = process;
  const plain = (env["NO_COLOR"] ?? "") !== "";
  const columns = Number(env["COLUMNS"] ?? "") || Infinity;
  return {
    env,
    cwd,
    tell: err,
    signal: interrupted.signal,
    screen: () => ({ width: stdout.isTTY ? stdout.columns : columns, colour: stdout.isTTY && !plain }),
    write: (text) => {
      if (stdout.listenerCount("error") === 0) stdout.on("error", () => undefined);
      return new Promise((resolve) => stdout.write(text, (error) => resolve(error === null || error === undefined)));
    },
  };
}

/** Runs one command; resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommand(argv, env);
  switch (command.is) {
    case "help":
      out(command.of === null ? HELP : CONTROL_HELP[command.of]);
      return 0;
    case "control":
      // A start needs none of it.
      return (await import("./cli/control.ts")).control(command, terminal());
    case "version":
      out(`version: ${version()}\n`);
      return 0;
    case "usage":
      err(`rialto: ${command.message}\nSee: rialto help\n`);
      return START_ERRORS.usage.exit;
    case "check": {
      const file = command.file ?? findConfigFile(cwd);
      if (file !== null) return check(file, { env, cwd, write: out });
      err("rialto: there is no rialto.toml or matterbridge.toml here; name the file: rialto check FILE\n");
      return START_ERRORS.usage.exit;
    }
    case "account":
      return accountCommand(command, { env, cwd, write: out, tell: err });
    case "run":
      return start(command.conf ?? findConfigFile(cwd), command.debug);
  }
}

async function start(path: string | null, debug: boolean): Promise<number> {
  const source = path === null ? { text: exampleConfig, format: "toml" as const, name: exampleName } : { path };
  const scrubber = new Scrubber();
  const read = (): Loaded => {
    const loaded = load(source, { env, cwd });
    // Before anybody can say anything about it.
    if (loaded.ok) scrubber.learn(secretsOf(loaded.config, protocols));
    return loaded;
  };
  const loaded = read();
  err(formatProblems(loaded.problems));
  if (!loaded.ok) {
    err(`rialto: ${START_ERRORS.config.what} ${START_ERRORS.config.remedy}\n`);
    return START_ERRORS.config.exit;
  }
  // Most of the program, of which the other commands need nothing.
  const { run } = await import("./cli/run.ts");
  return await run(loaded.config, { scrubber, debug, read: path === null ? null : read });
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  err(`rialto: ${error instanceof Error ? error.stack : String(error)}\n${START_ERRORS.bug.remedy}\n`);
  process.exit(START_ERRORS.bug.exit);
}
