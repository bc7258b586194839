import type { Config } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import type { Problem } from "../config/problems.ts";
import { START_ERRORS } from "../errors.ts";
import { load } from "./load.ts";

interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes whole lines. */
  readonly write: (text: string) => void;
}

/** `rialto check FILE`: prints every problem, then a summary. Returns the exit code: 0, or 78 with errors. */
export function check(file: string, { env, cwd, write }: Surroundings): number {
  const loaded = load({ path: file }, { env, cwd });
  write(formatProblems(loaded.problems));
  write(`${loaded.ok ? summariseConfig(loaded.config, loaded.problems) : countProblems(loaded.problems)}\n`);
  return loaded.ok ? 0 : START_ERRORS.config.exit;
}

/** One line per problem, `file:line:column: error: message`, each ended by a newline; the place is left out where there is none. */
export function formatProblems(problems: readonly Problem[]): string {
  const lines = problems.map(({ severity, file, line, column, message }) => {
    const place = line === 0 ? file : `${file}:${line}:${column}`;
    return `${place}: ${severity}: ${message}\n`;
  });
  return lines.join("");
}

function summariseConfig({ gateways, accounts }: Config, problems: readonly Problem[]): string {
  const counts = [count(gateways.length, "gateway"), count(accounts.size, "account")];
  if (problems.length > 0) counts.push(countProblems(problems));
  return `ok: ${counts.join(", ")}`;
}

function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const counts = [];
  if (errors > 0) counts.push(count(errors, "error"));
  if (warnings > 0) counts.push(count(warnings, "warning"));
  return counts.join(", ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
