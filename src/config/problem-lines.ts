import type { Problem } from "./problems.ts";

/** One line per problem, `file:line:column: error: message`, each ended by a newline; the place is left out where there is none. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => `${placeOf(problem)}: ${problem.severity}: ${textOf(problem)}\n`).join("");
}

/** `file:line:column`, or the file alone where there is no place in it. */
export function placeOf({ file, line, column }: Problem): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

const textOf = ({ message, remedy }: Problem): string => (remedy === "" ? message : `${message}; ${remedy}`);
