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

/** What is wrong, alone or with what to do about it. */
export type ProblemText = string | readonly [what: string, remedy: string];

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
  readonly severity: ConfigProblem["severity"];
  readonly code: string;
  readonly where: Where;
  readonly said: ProblemText;
  readonly other: Where | undefined;
  readonly effect: ProblemEffect | null;
}

/** Looks up a path; an unknown path gives the nearest known one above it. */
export type Locate = (path: Path, at: "key" | "value") => FilePosition;

/** Collects what is found; the same finding is kept once. */
export class ProblemReport {
  /** The accounts that errors keep down, by key, with the first reason of each. */
  readonly downs: Map<string, AccountDown>;
  readonly #findings: Map<string, Finding>;
  readonly #lenient: string | null;

  constructor(base: { readonly of: ProblemReport; readonly lenient: string } | null = null) {
    this.downs = base?.of.downs ?? new Map<string, AccountDown>();
    this.#findings = base === null ? new Map<string, Finding>() : base.of.#findings;
    this.#lenient = base?.lenient ?? null;
  }

  /** The same report, where errors count as warnings and say why. */
  lenient(why: string): ProblemReport {
    return new ProblemReport({ of: this, lenient: why });
  }

  /** The program can run without it. `other` is a second place concerned; its line is added to the message. */
  error(code: string, where: Where, said: ProblemText, effect: ProblemEffect, other?: Where): void {
    if (this.#lenient !== null) return this.#soften(code, where, said, other);
    this.#add({ severity: "error", code, where, said, other, effect });
    const { down } = effect;
    if (down !== undefined && !this.downs.has(down.key))
      this.downs.set(down.key, { reason: textOf(said), remedy: down.remedy });
  }

  /** Nothing can run. */
  fatal(code: string, where: Where, said: ProblemText, other?: Where): void {
    if (this.#lenient === null) this.#add({ severity: "error", code, where, said, other, effect: null });
    else this.#soften(code, where, said, other);
  }

  warning(code: string, where: Where, said: ProblemText, other?: Where): void {
    this.#add({ severity: "warning", code, where, said, other, effect: null });
  }

  get size(): number {
    return this.#findings.size;
  }

  get failed(): boolean {
    return [...this.#findings.values()].some(({ severity, effect }) => severity === "error" && effect === null);
  }

  /** All findings with their places, in the order of the file; what comes from the environment is last. */
  problems(file: string, locate: Locate): ConfigProblem[] {
    const problems: ConfigProblem[] = [];
    for (const { severity, code, where, said, other, effect } of this.#findings.values()) {
      const [what, remedy] = typeof said === "string" ? [said, ""] : said;
      const see = other?.in === "file" ? ` (see line ${locate(other.path, other.at).line})` : "";
      const message = `${what}${see}${effect === null ? "" : ` (${effect.says})`}`;
      const kind = { severity, code, keepsDown: effect?.down !== undefined };
      if (where.in === "env") {
        const text = `${where.name}: ${message}`;
        problems.push({ ...kind, file: "environment", line: 0, column: 0, message: text, remedy });
      } else {
        const { line, column } = locate(where.path, where.at);
        problems.push({ ...kind, file, line, column, message, remedy });
      }
    }
    return problems.sort(byPlace);
  }

  #soften(code: string, where: Where, said: ProblemText, other: Where | undefined): void {
    const [what, ...remedy] = typeof said === "string" ? [said] : said;
    const softened = `${what} (only a warning, because ${this.#lenient ?? ""})`;
    this.warning(code, where, remedy[0] === undefined ? softened : [softened, remedy[0]], other);
  }

  #add(finding: Finding): void {
    const { severity, where, said } = finding;
    this.#findings.set(JSON.stringify([severity, where, textOf(said)]), finding);
  }
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
