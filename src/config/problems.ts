/** Something wrong, or worth knowing, in a configuration. */
export interface Problem {
  /** With an error the program does not start. */
  readonly severity: "error" | "warning";
  /** Stable name of the kind of problem, such as `unknown-setting`. */
  readonly code: string;
  /** The file as it was named on the command line, or `environment`. */
  readonly file: string;
  /** From 1; 0 when the problem has no place in a file. */
  readonly line: number;
  /** From 1, in UTF-16 units; 0 like `line`. */
  readonly column: number;
  /** What is wrong and how to mend it, for people. Never holds the value of a secret. */
  readonly message: string;
}

/** Keys and indexes from the root of the file, spelled as the file spells them. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a value came from: a place in the file (its key or its value), or an environment variable. */
export type Where =
  | { readonly in: "file"; readonly path: Path; readonly at: "key" | "value" }
  | { readonly in: "env"; readonly name: string };

/** A problem before its line is looked up. */
interface Finding {
  readonly severity: Problem["severity"];
  readonly code: string;
  readonly where: Where;
  readonly message: string;
  readonly other: Where | undefined;
}

/** Looks up a path; an unknown path gives the nearest known one above it. */
export type Locate = (path: Path, at: "key" | "value") => Position;

/** Collects what is found; a finding that was made before is kept once. */
export class Report {
  readonly #findings: Map<string, Finding>;
  readonly #lenient: string | null;

  constructor(findings = new Map<string, Finding>(), lenient: string | null = null) {
    this.#findings = findings;
    this.#lenient = lenient;
  }

  /** The same report, where errors count as warnings and say why. */
  lenient(why: string): Report {
    return new Report(this.#findings, why);
  }

  /** `other` is a second place concerned; its line is added to the message. */
  error(code: string, where: Where, message: string, other?: Where): void {
    if (this.#lenient === null) this.#add({ severity: "error", code, where, message, other });
    else this.warning(code, where, `${message} (only a warning, because ${this.#lenient})`, other);
  }

  warning(code: string, where: Where, message: string, other?: Where): void {
    this.#add({ severity: "warning", code, where, message, other });
  }

  get size(): number {
    return this.#findings.size;
  }

  get failed(): boolean {
    return [...this.#findings.values()].some((finding) => finding.severity === "error");
  }

  /** All findings with their places, in the order of the file; what comes from the environment stands last. */
  problems(file: string, locate: Locate): Problem[] {
    const problems: Problem[] = [];
    for (const { severity, code, where, message, other } of this.#findings.values()) {
      const text = other?.in === "file" ? `${message} (see line ${locate(other.path, other.at).line})` : message;
      if (where.in === "env") {
        problems.push({ severity, code, file: "environment", line: 0, column: 0, message: `${where.name}: ${text}` });
      } else {
        const { line, column } = locate(where.path, where.at);
        problems.push({ severity, code, file, line, column, message: text });
      }
    }
    return problems.sort(byPlace);
  }

  #add(finding: Finding): void {
    const { severity, where, message } = finding;
    this.#findings.set(JSON.stringify([severity, where, message]), finding);
  }
}

/** In the order of the file; what has no place in it stands last. */
export function byPlace(a: Problem, b: Problem): number {
  const [first, second] = [a.line === 0 ? Infinity : a.line, b.line === 0 ? Infinity : b.line];
  if (first !== second) return first - second;
  return a.column - b.column;
}
