import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import vm from "node:vm";

const root = join(import.meta.dirname, "..");
const bin = join(root, "bin/rialto.js");
const source = readFileSync(bin, "utf8");
const scratch = mkdtempSync(join(tmpdir(), "rialto-bin-"));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/**
 * What the entry says and answers under a Node of this version. A script, not a module: parsing it so is part of the
 * test.
 */
function startedBy(version: string): { said: string; exitCode: number | undefined; imported: boolean } {
  const seen: { said: string; exitCode: number | undefined; imported: boolean } = {
    said: "",
    exitCode: undefined,
    imported: false,
  };
  const process = {
    versions: { node: version },
    argv: ["node", bin],
    getBuiltinModule: (name: string): unknown =>
      name === "node:module" ? { enableCompileCache: () => undefined } : globalThis.process.getBuiltinModule(name),
    stderr: { write: (text: string) => void (seen.said += text) },
    set exitCode(code: number) {
      seen.exitCode = code;
    },
  };
  // `import` cannot be replaced in a script: stand in for it by name.
  const script = source.replace("import(", "load(");
  const load = (): Promise<void> => {
    seen.imported = true;
    return Promise.resolve();
  };
  vm.runInNewContext(script, { process, load });
  return seen;
}

/** Runs the entry from a folder of its own, with this text as dist/main.js (none: not built). */
function runWith(name: string, main: string | null): Promise<{ code: number; stdout: string; stderr: string }> {
  const dir = join(scratch, name);
  mkdirSync(join(dir, "bin"), { recursive: true });
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  copyFileSync(bin, join(dir, "bin/rialto.js"));
  if (main !== null) {
    mkdirSync(join(dir, "dist"));
    writeFileSync(join(dir, "dist/main.js"), main);
  }
  return new Promise((resolve) => {
    // Without what these tests themselves run with.
    const options = { env: { PATH: process.env["PATH"] } };
    execFile(process.execPath, [join(dir, "bin/rialto.js")], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test.each(["0.12.18", "8.17.0", "20.20.2", "22.17.1"])("Node %s is refused in one clear line", (version) => {
  const { said, exitCode, imported } = startedBy(version);
  expect(exitCode).toBe(1);
  expect(imported).toBe(false);
  expect(said.split("\n")).toHaveLength(2);
  expect(said).toContain(`Node ${version}`);
  expect(said).toContain("Node 22.18 or newer");
  expect(said).toContain("npm ci && npm start");
});

test.each(["22.18.0", "22.23.3", "23.0.0", "24.21.0", "100.0.0"])("Node %s is taken", (version) => {
  expect(startedBy(version)).toStrictEqual({ said: "", exitCode: undefined, imported: true });
});

test("the version asked for is the one package.json declares", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
  const needed = engines.node.replace(">=", "");
  expect(startedBy(`${needed}.0`).imported).toBe(true);
  expect(startedBy("0.1.0").said).toContain(`Node ${needed} or newer`);
});

test("a built program is started, and its compiled code kept", async () => {
  const { code, stdout, stderr } = await runWith("built", "process.stdout.write('started'); process.exitCode = 7;");
  expect({ code, stdout, stderr }).toStrictEqual({ code: 7, stdout: "started", stderr: "" });
  expect(readdirSync(join(scratch, "built/node_modules/.cache/compiled"))).toHaveLength(1);
});

test("a folder that cannot be written is no obstacle", async () => {
  mkdirSync(join(scratch, "fixed"));
  writeFileSync(join(scratch, "fixed/node_modules"), "a file where the folder would be");
  const { code, stdout, stderr } = await runWith("fixed", "process.stdout.write('started');");
  expect({ code, stdout, stderr }).toStrictEqual({ code: 0, stdout: "started", stderr: "" });
});

test("a checkout that is not built says how to build it", async () => {
  const { code, stderr } = await runWith("unbuilt", null);
  expect(code).toBe(1);
  expect(stderr).toContain("npm run build");
});

test.each([
  ["a missing package", 'import "no-such-package-here";', "no-such-package-here"],
  ["a throw at start", 'throw new Error("broken at start");', "broken at start"],
])("%s is shown as it is, not as a missing build", async (name, main, expected) => {
  const { code, stderr } = await runWith(name.replaceAll(" ", "-"), main);
  expect(code).toBe(1);
  expect(stderr).toContain(expected);
  expect(stderr).not.toContain("npm run build");
});

test("the lock file keeps npm 10 from compiling the SQLite binding, which is shipped compiled and would need Python", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { gypfile?: boolean }>>;
  };
  expect(packages["node_modules/better-sqlite3"]?.gypfile, 'npm drops "gypfile": false there; put it back').toBe(false);
});
