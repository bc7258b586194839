import { readFileSync } from "node:fs";
import { protocols } from "./adapters/registry.ts";
import { accountCommand } from "./cli/account.ts";
import { parseCommand } from "./cli/args.ts";
import { check, formatProblems } from "./cli/check.ts";
import { HELP } from "./cli/help.ts";
import { load } from "./cli/load.ts";
import { run } from "./cli/run.ts";
import { exampleConfig, exampleName, findConfigFile } from "./config/example.ts";
import { secretsOf } from "./config/secrets.ts";
import { START_ERRORS } from "./errors.ts";

const { env } = process;
const cwd = process.cwd();
const out = (text: string): void => print(process.stdout, text);
const err = (text: string): void => print(process.stderr, text);

/** A reader that has gone away (`rialto check | head`) is no reason to fail. */
function print(stream: NodeJS.WriteStream, text: string): void {
  if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  stream.write(text);
}

/** Runs one command; resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const command = parseCommand(argv, env);
  switch (command.is) {
    case "help":
      out(HELP);
      return 0;
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

function start(path: string | null, debug: boolean): Promise<number> {
  const source = path === null ? { text: exampleConfig, format: "toml" as const, name: exampleName } : { path };
  const loaded = load(source, { env, cwd });
  err(formatProblems(loaded.problems));
  if (loaded.ok) return run(loaded.config, secretsOf(loaded.config, protocols), debug);
  err(`rialto: ${START_ERRORS.config.what} ${START_ERRORS.config.remedy}\n`);
  return Promise.resolve(START_ERRORS.config.exit);
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  err(`rialto: ${error instanceof Error ? error.stack : String(error)}\n${START_ERRORS.bug.remedy}\n`);
  process.exit(START_ERRORS.bug.exit);
}
