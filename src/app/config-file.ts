import type { Alert, ConfigFileView } from "../admin/views.ts";
import type { Loaded } from "../config/load.ts";
import type { ConfigProblem } from "../config/problems.ts";
import { localTime } from "../lib/local-time.ts";

/** Why the configuration cannot be used as it is on disk. Every text is for people. */
export interface FileFault {
  /** What is wrong, as in `the file on disk has 2 errors`. */
  readonly what: string;
  /** The first reason, with its line. */
  readonly first: string;
  /** What a restart would do with the same file; continues "a restart". */
  readonly restart: string;
  readonly remedy: string;
}

const UNUSABLE = "the file on disk cannot be used";
const FAILS = "would fail";
const NAMES_MAX = 5;

/** Why a configuration with errors is refused. A restart goes by the same `Loaded`. Pure. */
export function faultOfFile(loaded: Loaded): FileFault {
  const errors = loaded.problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const [reason, restart] = [first === undefined ? "" : placed(first), restartOf(loaded, errors)];
  if (first?.code === "unreadable" && first.line === 0) {
    const remedy = 'Put the file back and allow the user of Rialto to read it, then run "rialto reload".';
    return { what: UNUSABLE, first: reason, restart, remedy };
  }
  const where = errors.every(({ file }) => file === "environment") ? "the environment" : "the file on disk";
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  const remedy = `${errors.length === 1 ? "Correct it" : "Correct them"}, then run "rialto reload".`;
  return { what: `${where} has ${count}`, first: reason, restart, remedy };
}

/** Why a configuration without errors cannot be used now. `passes`: a restart would not meet these reasons. Pure. */
export function faultOfChange(reasons: readonly string[], passes: boolean): FileFault {
  return {
    what: UNUSABLE,
    first: reasons[0] ?? "",
    restart: passes ? "would use it" : FAILS,
    remedy: 'Correct that, then run "rialto reload".',
  };
}

/** Whether the configuration can be used as it is on disk, from the start of the program on. */
export class ConfigFile {
  readonly #nowMs: () => number;
  #inForceMs: number;
  #readMs: number;
  #fault: { readonly sinceMs: number; readonly is: FileFault } | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#inForceMs = nowMs();
    this.#readMs = this.#inForceMs;
  }

  /** The configuration on disk runs now. `isNew`: another one ran before. */
  accepted(isNew: boolean): void {
    this.#readMs = this.#nowMs();
    if (isNew) this.#inForceMs = this.#readMs;
    this.#fault = null;
  }

  /** The configuration on disk was refused. The trouble began with the first of several refusals. */
  refused(fault: FileFault): void {
    this.#fault = { sinceMs: this.#fault?.sinceMs ?? this.#nowMs(), is: fault };
  }

  get view(): ConfigFileView {
    return { readMs: this.#readMs, trouble: this.#trouble() };
  }

  #trouble(): Alert | null {
    if (this.#fault === null) return null;
    const { sinceMs, is } = this.#fault;
    const { what, first, restart, remedy } = is;
    const runs = `Rialto runs the configuration of ${localTime(this.#inForceMs)}`;
    const text = `${what} since ${localTime(sinceMs)} (${first}); ${runs}; a restart ${restart}`;
    return { of: "the configuration", what: text, remedy, sinceMs };
  }
}

function placed({ line, message }: ConfigProblem): string {
  return line === 0 ? message : `line ${line}: ${message}`;
}

/** A start leaves out what has errors, unless nothing can run. */
function restartOf(loaded: Loaded, errors: readonly ConfigProblem[]): string {
  if (!loaded.ok) return FAILS;
  const down = [...loaded.config.accounts.values()].filter(({ down: why }) => why !== null).map(({ name }) => name);
  const others = errors.filter(({ keepsDown }) => keepsDown !== true).length;
  const parts = [
    ...down.slice(0, NAMES_MAX),
    ...(down.length > NAMES_MAX ? [`${down.length - NAMES_MAX} more accounts`] : []),
    ...(others === 0 ? [] : [others === 1 ? "the part that has the error" : "the parts that have errors"]),
  ];
  const last = parts.pop() ?? "";
  return `would start without ${parts.length === 0 ? last : `${parts.join(", ")} and ${last}`}`;
}
