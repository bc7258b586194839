import { protocols } from "../adapters/registry.ts";
import type { Environment } from "../config/environment.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { hasErrors, type ConfigProblem } from "../config/problems.ts";
import { START_ERRORS } from "../errors.ts";
import type { Loaded } from "../config/load.ts";
import { obstacleTo } from "../lib/make-folder.ts";
import type { OnlineView } from "./check-online.ts";
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
export function check(file: string, surroundings: Surroundings): number {
  return show(file, loadFully(file, surroundings), surroundings);
}

/** The configuration, with what no start could do because of the file system, whichever user it runs as. */
function loadFully(file: string, surroundings: Surroundings): Loaded {
  const loaded = load({ path: file }, surroundings);
  if (!loaded.ok) return loaded;
  const { dataPath } = loaded.config.general;
  const obstacle = obstacleTo(dataPath);
  if (obstacle === null) return loaded;
  const message = `the data folder ${dataPath} cannot be made: ${obstacle}`;
  const place = { file, line: 0, column: 0 };
  const remedy = "choose another folder with DataPath in [general]";
  return {
    ok: false,
    problems: [...loaded.problems, { severity: "error", code: "data-path", ...place, message, remedy }],
  };
}

/** What a command exits with that was refused. */
const UNREACHED = 1;

/** `--online`: then tries each account. Exit code 1 when one does not work. */
export async function checkWithNetworks(
  file: string,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  const loaded = loadFully(file, surroundings);
  const { write, json = false } = surroundings;
  const { checkOnline, onlineText } = await import("./check-online.ts");
  const online = loaded.ok ? await checkOnline(loaded.config, signal) : [];
  const code = show(file, loaded, surroundings, online);
  if (!json) write(onlineText(online));
  const works = online.every(({ steps }) => steps.every(({ ok }) => ok));
  return code === 0 && !works ? UNREACHED : code;
}

function show(
  file: string,
  loaded: Loaded,
  { write, json = false }: Surroundings,
  online?: readonly OnlineView[],
): number {
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
    write(`${JSON.stringify({ problems: problems.map(problemView), gateways, ...(online && { online }) })}\n`);
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
