import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../src/cli/check.ts";

const folder = join(import.meta.dirname, "samples");
const samples = readdirSync(folder).filter((name) => !name.endsWith(".txt"));

function run(file: string): { readonly printed: string; readonly exitCode: number } {
  let printed = "";
  const write = (text: string): void => {
    printed += text;
  };
  return { exitCode: check(file, { env: {}, cwd: folder, write }), printed };
}

test("there are sixteen, seven of them with mistakes", () => {
  expect(samples).toHaveLength(16);
  expect(samples.filter((name) => name.includes("mistake"))).toHaveLength(7);
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
  expect(printed).toBe("none.toml: error: there is no such file; name a configuration file with -conf FILE\n1 error\n");
});
