import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { protocols } from "../adapters/registry.ts";
import type { Account } from "../config/config.ts";
import { configFileNames, findConfigFile } from "../config/example.ts";
import type { Environment } from "../config/environment.ts";
import { hasErrors } from "../config/problems.ts";
import type { Manifest } from "../contract/manifest.ts";
import { accountFolder } from "../delivery/account-folder.ts";
import { systemClock } from "../delivery/clock.ts";
import { START_ERRORS } from "../errors.ts";
import type { Command } from "./args.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { isUnreadable, load } from "./load.ts";

interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes whole lines: the result. */
  readonly write: (text: string) => void;
  /** Takes whole lines: notes that are not part of the result. */
  readonly tell: (text: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** As a shell has it for SIGINT. */
const INTERRUPTED = 130;

/**
 * `rialto <protocol> <command> ACCOUNT`: prints what a protocol makes of an account's settings, or does something for
 * it. Resolves with the exit code.
 */
export async function accountCommand(
  command: Extract<Command, { is: "account" }>,
  surroundings: Surroundings,
  known: ReadonlyMap<string, Manifest> = protocols,
): Promise<number> {
  const { tell, write, env, cwd } = surroundings;
  const usage = (message: string): number => {
    tell(`rialto: ${message}\nSee: rialto help\n`);
    return START_ERRORS.usage.exit;
  };
  const { protocol, name } = command;
  const manifest = known.get(protocol);
  const found = manifest?.commands?.find((each) => each.name === name);
  if (manifest === undefined || found === undefined) return usage(`there is no command "${protocol} ${name}"`);
  const wanted = command.account.includes(".") ? command.account : `${protocol}.${command.account}`;
  const print = (settings: Account["settings"]): number => {
    if ("load" in found) return usage(`"${protocol} ${name}" needs the account`);
    const { output, notes } = found.run(settings, { name: wanted, random });
    write(output);
    tell(notes.map((note) => `note: ${note}\n`).join(""));
    return 0;
  };
  const path = command.conf ?? findConfigFile(cwd);
  const isEarly = "run" in found && found.evenBefore === true;
  if (path === null)
    return isEarly
      ? print(defaultsOf(manifest))
      : usage(`there is no ${configFileNames} here; name the file with -conf`);
  const loaded = load({ path }, { env, cwd }, new Map([...known, [protocol, withoutLogin(manifest)]]));
  const account = loaded.ok
    ? [...loaded.config.accounts.values()].find((each) => each.name === wanted && each.protocol === protocol)
    : undefined;
  if (isEarly && !isUnreadable(loaded)) return print(account?.settings ?? defaultsOf(manifest));
  if (!loaded.ok || hasErrors(loaded.problems)) {
    tell(formatProblems(loaded.problems));
    return START_ERRORS.config.exit;
  }
  if (account === undefined) return usage(`${path} has no account ${wanted} in an enabled gateway`);
  if (!("load" in found)) return print(account.settings);
  const { signal } = surroundings;
  const acted = await (
    await found.load()
  ).act({
    settings: account.settings,
    name: wanted,
    folder: accountFolder(loaded.config.general.dataPath, account),
    clock: systemClock,
    pause: async (ms) => await sleep(ms, undefined, { signal }).catch(() => undefined),
    random,
    say: (line) => write(`${line}\n`),
    signal,
  });
  if (acted.ok) return 0;
  tell(`rialto: ${acted.why}\n`);
  return signal.aborted ? INTERRUPTED : 1;
}

const random = (): string => randomBytes(32).toString("hex");

/** The manifest, for which an account may lack what it logs in with. */
function withoutLogin(manifest: Manifest): Manifest {
  const check: Manifest["check"] = (settings) =>
    (manifest.check?.(settings) ?? []).filter(({ lacksLogin }) => lacksLogin !== true);
  return { ...manifest, check };
}

const defaultsOf = ({ schema }: Manifest): Account["settings"] =>
  Object.fromEntries(Object.entries(schema.properties).map(([name, setting]) => [name, setting.default]));
