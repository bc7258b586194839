import { expect, test } from "vitest";
import { PROBLEMS } from "../src/http/v1/problems.ts";
import { adminV1Routes } from "../src/http/admin/v1/index.ts";
import { v1Routes } from "../src/http/v1/routes/index.ts";
import { adminTables, v1Tables } from "./docs-v1.ts";

test("every route and every problem has its line", () => {
  const { routes = "", problems = "" } = v1Tables();
  for (const { method, path } of v1Routes) expect(routes).toContain(`| \`${method} ${path}\` |`);
  expect(routes.split("\n")).toHaveLength(v1Routes.length + 2);
  for (const [code, { status }] of Object.entries(PROBLEMS)) expect(problems).toContain(`| ${status} | \`${code}\` |`);
});

test("every route of operators has its line", () => {
  const { routes = "" } = adminTables();
  for (const { method, path } of adminV1Routes) expect(routes).toContain(`| \`${method} ${path}\` |`);
});
