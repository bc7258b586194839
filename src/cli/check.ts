import { protocols } from "../adapters/registry.ts";
import type { Environment } from "../config/environment.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { hasErrors, type ConfigProblem } from "../config/problems.ts";
import { START_ERRORS } from "../errors.ts";
import { load } from "./load.ts";
import { wiringOf } from "./wiring.ts";

interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes whole lines. */
  readonly write: (text: string) => void;
  /** One JSON object instead of lines for people. */
  readonly json?: boolean;
}

/**
 * `rialto check FILE`: prints every problem, what is linked with what, and a summary. Returns the exit code: 0, or 78
 * with errors.
 */
export function check(file: string, { env, cwd, write, json = false }: Surroundings): number {
  const loaded = load({ path: file }, { env, cwd });
  const { problems } = loaded;
  const config = loaded.ok ? loaded.config : null;
  if (json) {
    const gateways = (config?.gateways ?? []).map(({ name, sameChannel, bridges }) => ({
      name,
      sameChannel,
      bridges: bridges.map(({ account, channel, direction }) => {
        const known = config?.accounts.get(account);
        return { account: known?.name ?? account, channel, direction, up: known?.down === null };
      }),
    }));
    write(`${JSON.stringify({ problems: problems.map(problemView), gateways })}\n`);
  } else {
    write(formatProblems(problems));
    if (config !== null) write(wiringOf(config, protocols));
    const counts = problems.length === 0 ? [] : [countProblems(problems)];
    const sizes =
      config === null ? [] : [count(config.gateways.length, "gateway"), count(config.accounts.size, "account")];
    write(`${file}: ${verdictOf(loaded)}: ${[...sizes, ...counts].join(", ")}\n`);
  }
  return hasErrors(problems) ? START_ERRORS.config.exit : 0;
}

function verdictOf({ ok, problems }: { readonly ok: boolean; readonly problems: readonly ConfigProblem[] }): string {
  if (!ok) return "nothing can start";
  return hasErrors(problems) ? "can start despite its errors" : "ok";
}

/** A problem as `--json` shows it. */
function problemView({
  severity,
  file,
  line,
  column,
  message,
  remedy,
}: ConfigProblem): Omit<ConfigProblem, "code" | "keepsDown"> {
  const fallback = severity === "error" ? "correct it" : "check whether you mean this";
  return { severity, file, line, column, message, remedy: remedy === "" ? fallback : remedy };
}

function countProblems(problems: readonly ConfigProblem[]): string {
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
