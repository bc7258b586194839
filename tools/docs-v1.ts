import { neededBy } from "../src/http/v1/openapi.ts";
import { PROBLEMS } from "../src/http/v1/problems.ts";
import { adminV1Routes } from "../src/http/admin/v1/index.ts";
import type { Operation } from "../src/http/v1/route.ts";
import { v1Routes } from "../src/http/v1/routes/index.ts";

/** The tables of docs/api-v1.md: what is served, and how it is refused. */
export function v1Tables(): Readonly<Record<string, string>> {
  const problems = Object.entries(PROBLEMS).map(
    ([code, { status, title, remedy }]) => `| ${status} | \`${code}\` | ${cell(title)} | ${cell(remedy)} |`,
  );
  return {
    routes: routesTable(v1Routes),
    problems: ["| status | code | what it means | what to do |", "|---|---|---|---|", ...problems].join("\n"),
  };
}

/** The table of docs/api-admin.md: what operators are served. */
export function adminTables(): Readonly<Record<string, string>> {
  return { routes: routesTable(adminV1Routes) };
}

function routesTable(routes: readonly Operation[]): string {
  const lines = routes
    .toSorted((one, other) => compare(one.path, other.path))
    .map(
      ({ method, path, summary, needs }) => `| \`${method} ${path}\` | ${cell(summary)} | ${cell(neededBy(needs))} |`,
    );
  return ["| request | what it does | needs |", "|---|---|---|", ...lines].join("\n");
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const cell = (words: string): string => words.replaceAll("|", "\\|");
