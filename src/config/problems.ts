/** Something wrong, or worth knowing, in a configuration. */
export interface ConfigProblem {
  /** After an error, a start continues without the part that has it, if anything can run; a reload does not. */
  readonly severity: "error" | "warning";
  /** Stable name of the kind of problem, such as `unknown-setting`. */
  readonly code: string;
  /** The file as it was named on the command line, or `environment`. */
  readonly file: string;
  /** From 1; 0 when the problem has no place in a file. */
  readonly line: number;
  /** From 1, in UTF-16 units; 0 like `line`. */
  readonly column: number;
  /** What is wrong and what happens because of it, for people. Never holds the value of a secret. */
  readonly message: string;
  /** What to do about it. Empty: the message says it. */
  readonly remedy: string;
  /** It keeps an account down. The account itself says so. */
  readonly keepsDown?: boolean;
}

/** Keys and indexes from the root of the file, spelled as the file spells them. */
export type Path = readonly (string | number)[];

export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** Where a value came from: a place in the file (its key or its value), or an environment variable. */
export type Where =
  | { readonly in: "file"; readonly path: Path; readonly at: "key" | "value" }
  | { readonly in: "env"; readonly name: string };

/**
 * What is wrong, alone or with what to do about it. A remedy that takes work to find, such as a proposal for a misspelt
 * name, is a function: it is only called for a problem that is kept.
 */
export type ProblemText = string | readonly [what: string, remedy: string | (() => string)];

/** At most this many problems are listed. Errors come first, because only errors keep something from running. */
export const PROBLEMS_MAX = 100;

/** Why an account does not run, and what to do about it. */
export interface AccountDown {
  readonly reason: string;
  readonly remedy: string;
}

/** What happens at a start because of an error. */
export interface ProblemEffect {
  /** Continues "until this is corrected, …". */
  readonly says: string;
  /** The account that it keeps down. */
  readonly down?: { readonly key: string; readonly remedy: string };
}

export const takesDefault: ProblemEffect = { says: "the default is used" };
export const leavesOut = (what: string): ProblemEffect => ({ says: `this ${what} is left out` });

/** `inherited`: the error is in `[general]`. `setting`: what is to be corrected. */
export function keepsDown(
  { key, name }: { readonly key: string; readonly name: string },
  setting: string,
  inherited = false,
): ProblemEffect {
  const whose = inherited ? "[general]" : name;
  const remedy = `Correct ${setting} of ${whose} in the configuration, then run "rialto reload".`;
  return { says: inherited ? inheritorsDown.says : `${name} stays down`, down: { key, remedy } };
}

export const inheritorsDown: ProblemEffect = { says: "every account that inherits it stays down" };

/** A problem before its line is looked up. */
interface Finding {
  readonly code: string;
  readonly where: Where;
  readonly what: string;
  readonly remedy: string;
  readonly other: Where | undefined;
  readonly effect: ProblemEffect | null;
}

type Severity = ConfigProblem["severity"];

/** What one load has found so far; a report and its lenient views share it. */
class Findings {
  /** The accounts that errors keep down, by key, with the first reason of each. */
  readonly downs = new Map<string, AccountDown>();
  /** The first of each severity, without repetitions. */
  readonly kept: Readonly<Record<Severity, Map<string, Finding>>> = { error: new Map(), warning: new Map() };
  /** Of which severity there are more than were kept. */
  readonly cut = new Set<Severity>();
  /** Nothing can run. */
  hasFailed = false;
}

/** Looks up a path; an unknown path gives the nearest known one above it. */
export type Locate = (path: Path, at: "key" | "value") => FilePosition;

/** Collects what is found; the same finding is kept once. */
export class ProblemReport {
  readonly #found: Findings;
  readonly #lenient: string | null;

  constructor(base: { readonly of: ProblemReport; readonly lenient: string } | null = null) {
    this.#found = base === null ? new Findings() : base.of.#found;
    this.#lenient = base?.lenient ?? null;
  }

  /** The same report, where errors count as warnings and say why. */
  lenient(why: string): ProblemReport {
    return new ProblemReport({ of: this, lenient: why });
  }

  /** The program can run without it. `other` is a second place concerned; its line is added to the message. */
  error(code: string, where: Where, said: ProblemText, effect: ProblemEffect, other?: Where): void {
    if (this.#lenient !== null) return this.#soften(code, where, said, other);
    this.#add("error", { code, where, said, other, effect });
    const { down } = effect;
    const { downs } = this.#found;
    if (down !== undefined && !downs.has(down.key)) downs.set(down.key, { reason: textOf(said), remedy: down.remedy });
  }

  /** Nothing can run. */
  fatal(code: string, where: Where, said: ProblemText, other?: Where): void {
    if (this.#lenient !== null) return this.#soften(code, where, said, other);
    this.#add("error", { code, where, said, other, effect: null });
    this.#found.hasFailed = true;
  }

  warning(code: string, where: Where, said: ProblemText, other?: Where): void {
    this.#add("warning", { code, where, said, other, effect: null });
  }

  /** The accounts that errors keep down, by key, with the first reason of each. */
  get downs(): ReadonlyMap<string, AccountDown> {
    return this.#found.downs;
  }

  get isEmpty(): boolean {
    const { error, warning } = this.#found.kept;
    return error.size + warning.size === 0;
  }

  get failed(): boolean {
    return this.#found.hasFailed;
  }

  /**
   * The findings with their places, in the order of the file; what comes from the environment is last. Of more than
   * `PROBLEMS_MAX`, the warnings are left out first, and a last line says that there are more.
   */
  problems(file: string, locate: Locate): ConfigProblem[] {
    const { kept, cut } = this.#found;
    const room = PROBLEMS_MAX - kept.error.size;
    const problems = [
      ...Array.from(kept.error.values(), (finding) => problemOf("error", finding, { file, locate })),
      ...[...kept.warning.values()].slice(0, room).map((finding) => problemOf("warning", finding, { file, locate })),
    ].sort(byPlace);
    const left = cut.has("error") ? "error" : cut.has("warning") || kept.warning.size > room ? "warning" : null;
    return left === null ? problems : [...problems, moreProblems(left, file)];
  }

  #soften(code: string, where: Where, said: ProblemText, other: Where | undefined): void {
    const [what, ...remedy] = typeof said === "string" ? [said] : said;
    const softened = `${what} (only a warning, because ${this.#lenient ?? ""})`;
    this.warning(code, where, remedy[0] === undefined ? softened : [softened, remedy[0]], other);
  }

  #add(severity: Severity, { said, ...rest }: Omit<Finding, "what" | "remedy"> & { readonly said: ProblemText }): void {
    const kept = this.#found.kept[severity];
    if (this.#found.cut.has(severity)) return;
    const [what, remedy] = typeof said === "string" ? [said, ""] : said;
    const id = JSON.stringify([rest.where, what]);
    if (kept.size >= PROBLEMS_MAX && !kept.has(id)) this.#found.cut.add(severity);
    else kept.set(id, { ...rest, what, remedy: typeof remedy === "string" ? remedy : remedy() });
  }
}

interface Placing {
  readonly file: string;
  readonly locate: Locate;
}

function problemOf(severity: Severity, finding: Finding, { file, locate }: Placing): ConfigProblem {
  const { code, where, what, remedy, other, effect } = finding;
  const see = other?.in === "file" ? ` (see line ${locate(other.path, other.at).line})` : "";
  const message = `${what}${see}${effect === null ? "" : ` (${effect.says})`}`;
  const kind = { severity, code, remedy, keepsDown: effect?.down !== undefined };
  if (where.in === "env")
    return { ...kind, file: "environment", line: 0, column: 0, message: `${where.name}: ${message}` };
  return { ...kind, file, ...locate(where.path, where.at), message };
}

function moreProblems(severity: Severity, file: string): ConfigProblem {
  const message = `there are more problems; only ${PROBLEMS_MAX} are listed`;
  return { severity, code: "more-problems", file, line: 0, column: 0, message, remedy: "correct these first" };
}

const textOf = (said: ProblemText): string => (typeof said === "string" ? said : said[0]);

export function hasErrors(problems: readonly ConfigProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

/** In the order of the file; what has no place in it is last. */
export function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  const [first, second] = [a.line === 0 ? Infinity : a.line, b.line === 0 ? Infinity : b.line];
  if (first !== second) return first - second;
  return a.column - b.column;
}
