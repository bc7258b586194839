import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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
    env: { XDG_CACHE_HOME: scratch },
    on: () => undefined,
    getBuiltinModule: (name: string): unknown =>
      name === "node:module" ? { enableCompileCache: () => undefined } : globalThis.process.getBuiltinModule(name),
    stderr: { write: (text: string) => void (seen.said += text) },
    set exitCode(code: number) {
      seen.exitCode = code;
    },
  };
  // `import` cannot be replaced in a script: stand in for it by name.
  const script = source.replace("void import(", "void load(");
  const load = (): Promise<void> => {
    seen.imported = true;
    return Promise.resolve();
  };
  vm.runInNewContext(script, { process, load });
  return seen;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the entry from a folder of its own, with this text as dist/main.js (null: not built). */
function runWith(name: string, main: string | null, environment: Record<string, string> = {}): Promise<Ended> {
  const dir = join(scratch, name);
  mkdirSync(join(dir, "bin"), { recursive: true });
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  copyFileSync(bin, join(dir, "bin/rialto.js"));
  if (main !== null) {
    mkdirSync(join(dir, "dist"));
    writeFileSync(join(dir, "dist/main.js"), main);
    writeFileSync(join(dir, "dist/files.json"), '["main.js"]');
  }
  return run(dir, environment);
}

function run(dir: string, environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    // Only these variables: those of the test run change what is kept where.
    const options = { env: { PATH: process.env["PATH"], XDG_CACHE_HOME: join(dir, "cache"), ...environment } };
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

const STARTED = "process.stdout.write('started'); process.exitCode = 7;";
const AS_WRITTEN = { code: 7, stdout: "started", stderr: "" };
/** What lies in the folder for compiled code. */
const kept = (cache: string): readonly string[] =>
  existsSync(join(cache, "rialto/compiled")) ? readdirSync(join(cache, "rialto/compiled")) : [];

test("a built program is started, and its compiled code is kept in the cache folder of the user, not in its own", async () => {
  const cache = join(scratch, "caches");
  expect(await runWith("built", STARTED, { XDG_CACHE_HOME: cache })).toStrictEqual(AS_WRITTEN);
  expect(kept(cache)).toHaveLength(1);
  expect(statSync(join(cache, "rialto")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(scratch, "built"))).toEqual(["bin", "dist", "package.json"]);
});

test("without XDG_CACHE_HOME, or with a relative path in it, the cache folder is ~/.cache", async () => {
  const home = join(scratch, "home");
  mkdirSync(home);
  expect(await runWith("relative", STARTED, { XDG_CACHE_HOME: "here", HOME: home })).toStrictEqual(AS_WRITTEN);
  expect(kept(join(home, ".cache"))).toHaveLength(1);
});

test("a cache folder that others can write to is not used", async () => {
  const cache = join(scratch, "shared");
  mkdirSync(join(cache, "rialto/compiled"), { recursive: true });
  chmodSync(join(cache, "rialto/compiled"), 0o777);
  expect(await runWith("beside-others", STARTED, { XDG_CACHE_HOME: cache })).toStrictEqual(AS_WRITTEN);
  expect(kept(cache)).toEqual([]);
});

test.each(["/proc/rialto", "/dev/null", "/nowhere/at/all"])(
  "the program starts without the cache folder %s",
  async (cache) => {
    const name = `without${cache.replaceAll("/", "-")}`;
    expect(await runWith(name, STARTED, { XDG_CACHE_HOME: cache })).toStrictEqual(AS_WRITTEN);
  },
);

test("NODE_DISABLE_COMPILE_CACHE is obeyed", async () => {
  const cache = join(scratch, "disabled");
  const environment = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "1" };
  expect(await runWith("disabled-cache", STARTED, environment)).toStrictEqual(AS_WRITTEN);
  expect(kept(cache)).toEqual([]);
});

test("a checkout that is not built says how to build it", async () => {
  const { code, stderr } = await runWith("unbuilt", null);
  expect(code).toBe(1);
  expect(stderr).toContain("npm run build");
});

test.each([
  ["files.json is missing", "files.json", null],
  ["files.json is empty", "files.json", ""],
  ["a file is missing", "service.js", null],
  ["a file is empty", "service.js", ""],
])("a partial build in which %s is not started", async (name, file, text) => {
  const folder = `partial-${name.replaceAll(" ", "-")}`;
  await runWith(folder, STARTED);
  const dist = join(scratch, folder, "dist");
  writeFileSync(join(dist, "files.json"), '["main.js","service.js"]');
  writeFileSync(join(dist, "service.js"), "export {};");
  expect((await run(join(scratch, folder))).stdout).toBe("started");
  if (text === null) rmSync(join(dist, file));
  else writeFileSync(join(dist, file), text);
  const { code, stdout, stderr } = await run(join(scratch, folder));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(new RegExp(`dist/${file} is missing.*npm run build`, "u"));
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
