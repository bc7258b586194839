import { neededBy } from "../src/http/v1/openapi.ts";
import { PROBLEMS } from "../src/http/v1/problems.ts";
import { v1Routes } from "../src/http/v1/routes/index.ts";

/** The tables of docs/api-v1.md: what is served, and how it is refused. */
export function v1Tables(): Readonly<Record<string, string>> {
  const routes = v1Routes
    .toSorted((one, other) => compare(one.path, other.path))
    .map(
      ({ method, path, summary, needs }) => `| \`${method} ${path}\` | ${cell(summary)} | ${cell(neededBy(needs))} |`,
    );
  const problems = Object.entries(PROBLEMS).map(
    ([code, { status, title, remedy }]) => `| ${status} | \`${code}\` | ${cell(title)} | ${cell(remedy)} |`,
  );
  return {
    routes: ["| request | what it does | needs |", "|---|---|---|", ...routes].join("\n"),
    problems: ["| status | code | what it means | what to do |", "|---|---|---|---|", ...problems].join("\n"),
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const cell = (words: string): string => words.replaceAll("|", "\\|");
