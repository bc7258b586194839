import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "rialto-build-"));
/** The name of each folder has once been a fault, or looks like a part of a pattern, an address or a command. */
const checkout = join(scratch, "a b/src/ü#/http/50%/rialto");

/** A checkout with packages. The packages are hard links where the file system allows it: there are 500 MB of them. */
beforeAll(() => {
  mkdirSync(checkout, { recursive: true });
  const paths = ["package.json", "package-lock.json", "tsconfig.json", "bin", "src", "tools", "web"];
  for (const path of paths) cpSync(join(root, path), join(checkout, path), { recursive: true });
  try {
    execFileSync("cp", ["-al", join(root, "node_modules"), checkout], { stdio: "ignore" });
  } catch {
    execFileSync("cp", ["-a", join(root, "node_modules"), checkout]);
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program in the checkout. Gives its exit code, and what it printed. */
function run(...args: readonly string[]): Promise<readonly [number, string]> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: checkout }, (error, stdout, stderr) => {
      resolve([error === null ? 0 : Number(error.code), stdout + stderr]);
    });
  });
}

const version = (): Promise<readonly [number, string]> => run("bin/rialto.js", "version");

test("the build does not depend on the names of the folders above the checkout", async () => {
  expect(await run("tools/build.ts")).toEqual([0, expect.stringMatching(/^Built dist\/ in [\d.]+ s\.\n$/u)]);
  // Names of the pages' files end in a hash, into which the folder goes.
  const filesOf = (folder: string): readonly string[] =>
    readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
      .map((path) => path.replace(/^(?<name>web\/assets\/.+)-[\w-]{8}\./u, "$<name>-HASH."))
      .toSorted();
  expect(filesOf(checkout)).toEqual(filesOf(root));
  for (const name of ["main.js", "common.js", "service.js", "http.js", "THIRD-PARTY.md"]) {
    expect(readFileSync(join(checkout, "dist", name), "utf8")).toBe(readFileSync(join(root, "dist", name), "utf8"));
  }
  expect(await version()).toEqual([0, expect.stringMatching(/^version: /u)]);
});

test("a build that fails leaves the last one as it was, and none where there was none", async () => {
  const before = readdirSync(join(checkout, "dist"));
  writeFileSync(join(checkout, "src/main.ts"), 'import "./there-is-no-such-file.ts";\n');
  expect(await run("tools/build.ts")).toEqual([1, expect.stringContaining("there-is-no-such-file.ts")]);
  expect(readdirSync(join(checkout, "dist"))).toEqual(before);
  expect((await version())[0]).toBe(0);
  rmSync(join(checkout, "dist"), { recursive: true });
  expect((await run("tools/build.ts"))[0]).toBe(1);
  expect(readdirSync(checkout)).not.toContain("dist");
  expect(await version()).toEqual([1, expect.stringContaining("npm run build")]);
});
