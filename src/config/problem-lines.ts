import type { ConfigProblem } from "./problems.ts";

/**
 * One line per problem, `file:line:column: error: message`, each ended by a newline; the place is left out where there
 * is none.
 */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map((problem) => `${placeOf(problem)}: ${problem.severity}: ${textOf(problem)}\n`).join("");
}

/** `file:line:column`, or the file alone where there is no place in it. */
export function placeOf({ file, line, column }: ConfigProblem): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

const textOf = ({ message, remedy }: ConfigProblem): string => (remedy === "" ? message : `${message}; ${remedy}`);
