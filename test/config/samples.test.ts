import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";

const folder = join(import.meta.dirname, "samples");
const samples = readdirSync(folder).filter((name) => !name.endsWith(".txt"));

function run(file: string, json = false): { readonly printed: string; readonly exitCode: number } {
  let printed = "";
  const write = (text: string): void => {
    printed += text;
  };
  return { exitCode: check(file, { env: {}, cwd: folder, write, json }), printed };
}

test("there are thirty-two, seventeen of them with mistakes", () => {
  expect(samples).toHaveLength(32);
  expect(samples.filter((name) => name.includes("mistake"))).toHaveLength(17);
});

// The expected output stands beside each sample; after a wanted change: vitest run test/config/samples.test.ts -u
test.each(samples)("what check prints for %s", async (file) => {
  const { printed, exitCode } = run(file);
  expect(exitCode).toBe(file.includes("mistake") ? 78 : 0);
  expect(printed).not.toContain("not-a-real");
  await expect(printed).toMatchFileSnapshot(join(folder, `${file}.txt`));
});

test("a file that is not there", () => {
  const { printed, exitCode } = run("none.toml");
  expect(exitCode).toBe(78);
  expect(printed).toBe(
    `none.toml: error: there is no such file; check the path (folder: ${folder})\nnone.toml: nothing can start: 1 error\n`,
  );
});

test("--json is one object: the problems with what to do, and what is linked", () => {
  const { printed, exitCode } = run("20-mistake-inherited.toml", true);
  expect(exitCode).toBe(78);
  const told = JSON.parse(printed) as { readonly problems: readonly object[]; readonly gateways: unknown };
  expect(Object.keys(told)).toEqual(["problems", "gateways"]);
  expect(told.problems).toHaveLength(4);
  for (const problem of told.problems)
    expect(Object.keys(problem)).toEqual(["severity", "file", "line", "column", "message", "remedy"]);
  expect(told.problems[1]).toEqual({
    severity: "error",
    file: "20-mistake-inherited.toml",
    line: 4,
    column: 18,
    message:
      "AdminBindAddress of [general] can be reached from other machines, and without AdminToken everybody could read and write in every gateway (operators can use the socket only)",
    remedy: "set AdminToken, or bind to 127.0.0.1",
  });
  expect(told.gateways).toEqual([
    {
      name: "main",
      sameChannel: false,
      bridges: [
        { account: "api.a", channel: "api", direction: "inout", up: true },
        { account: "api.b", channel: "api", direction: "inout", up: true },
        { account: "api.c", channel: "api", direction: "inout", up: false },
      ],
    },
  ]);
});

test.each(samples)("--json of %s holds the same problems", (file) => {
  const { printed, exitCode } = run(file, true);
  expect(exitCode).toBe(run(file).exitCode);
  const { problems } = JSON.parse(printed) as { readonly problems: readonly { readonly remedy: string }[] };
  expect(problems).toHaveLength(run(file).printed.match(/: (?:error|warning): /gu)?.length ?? 0);
  expect(problems.every(({ remedy }) => remedy !== "")).toBe(true);
});
