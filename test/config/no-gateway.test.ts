import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import type { Loaded } from "../../src/config/load.ts";

function problemsOf(loaded: Loaded): readonly string[] {
  return loaded.problems.map(({ severity, code, line, column }) => `${line}:${column} ${severity} ${code}`);
}

test.each([
  ["with AdminBindAddress it starts", '[general]\nAdminBindAddress = "127.0.0.1:1"', true],
  ["with an AdminBindAddress that is not opened it does not", '[general]\nAdminBindAddress = "0.0.0.0:1"', false],
  ["with accounts alone it does not", '[api.a]\nBindAddress = "127.0.0.1:1"', false],
])("without a gateway: %s", (_name, text, ok) => {
  const loaded = load({ text, format: "toml", name: "x" }, { env: {}, cwd: "/" });
  expect(loaded.ok).toBe(ok);
  expect(problemsOf(loaded)).toContain(`1:1 ${ok ? "warning" : "error"} no-gateway`);
});

test("an empty file lacks a gateway", () => {
  for (const format of ["toml", "yaml"] as const) {
    const loaded = load({ text: "", format, name: "empty" }, { env: {}, cwd: "/" });
    expect(problemsOf(loaded)).toEqual(["1:1 error no-gateway"]);
    expect(loaded.problems[0]?.remedy).toContain("AdminBindAddress");
  }
  expect(problemsOf(load({ text: "[]", format: "json", name: "a.json" }, { env: {}, cwd: "/" }))).toContain(
    "1:1 error bad-value",
  );
});
