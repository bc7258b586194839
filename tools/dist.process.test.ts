import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiClient } from "../test/support/client.ts";
import { freePorts } from "../test/support/ports.ts";
import { startProgram } from "../test/support/program.ts";
import { lazyFile, requiredIn } from "./build/lazy-packages.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>;
};
/** What is installed with the package, besides it. */
const installed = Object.keys(lock.packages).filter((path) => path !== "" && lock.packages[path]?.dev !== true);

let home: string;

/** The program as it is after its installation: what it is built of is not there. */
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "rialto-dist-"));
  for (const path of ["bin", "dist", "package.json"]) cpSync(join(root, path), join(home, path), { recursive: true });
  for (const path of installed) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    symlinkSync(join(root, path), join(home, path));
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Runs the installed program to its end. */
function rialto(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: home, env: { PATH: process.env["PATH"] } };
    execFile(process.execPath, [join(home, "bin/rialto.js"), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });
}

function file(name: string, text: string): string {
  writeFileSync(join(home, name), text);
  return name;
}

/** Packages that do something more where somebody installs them, and names within texts. */
const OPTIONAL = /^(?:bufferutil|utf-8-validate|supports-color|zlib-sync|ajv(?:-formats)?\/.*)$/u;

test("every file that the program may load is there, and every package is installed", () => {
  const files = readdirSync(dist);
  const named = files
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => {
      const text = readFileSync(join(dist, name), "utf8");
      const specifiers = text.matchAll(
        /(?:\bfrom |\bimport |\bimport\(|\b(?:__)?require\w*\(|\bload\()"(?<name>[\w@./:-]+)"/gu,
      );
      return Array.from(specifiers, ({ groups }) => groups?.["name"] ?? "");
    });
  const there = (name: string): boolean =>
    name.startsWith("./")
      ? files.includes(name.slice(2))
      : isBuiltin(name) || installed.includes(`node_modules/${name}`) || OPTIONAL.test(name);
  expect(named).toEqual(expect.arrayContaining(["./common.js", "better-sqlite3", "./lazy-yaml.js"]));
  expect(named.filter((name) => !there(name))).toEqual([]);
});

test("a file takes one byte in memory for each character, and has the lines and names of its source", () => {
  for (const name of readdirSync(dist).filter((each) => each.endsWith(".js"))) {
    const text = readFileSync(join(dist, name), "latin1");
    expect(name + (/[^\0-\u007f]/u.exec(text)?.[0] ?? "")).toBe(name);
  }
  expect(readFileSync(join(dist, "worker.js"), "utf8")).toMatch(/^class Writer |^var Writer = class /mu);
});

test("the client library of Discord is in the file that its first session loads, and brings no other HTTP client", () => {
  const holding = (words: RegExp): readonly string[] =>
    readdirSync(dist).filter((name) => name.endsWith(".js") && words.test(readFileSync(join(dist, name), "utf8")));
  expect(holding(/^var _AsyncEventEmitter = class /mu)).toEqual(["adapters-discord-session.js"]);
  expect(holding(/["']undici["']/u)).toEqual([]);
});

test("the licences of what is in it are there, and docs/security.md counts them", () => {
  const page = readFileSync(join(dist, "THIRD-PARTY.md"), "utf8");
  const names = Array.from(
    page.matchAll(/^\| `(?<name>[^`]+)` \| \S+ \| [\w. -]+ \|$/gmu),
    ({ groups }) => groups?.["name"] ?? "",
  );
  const sections = page.split(/^## /mu).slice(1);
  expect(sections.map((section) => section.split(" ", 1)[0])).toEqual(names);
  expect(sections.filter((section) => !/(?:copyright|\(c\)|©|license)/iu.test(section))).toEqual([]);
  const security = readFileSync(join(root, "docs/security.md"), "utf8");
  expect(security).toContain(`with what they bring along (${names.length} in all)`);
  const scripts = Object.keys(lock.packages).filter((path) => lock.packages[path]?.hasInstallScript === true);
  expect(scripts.filter((path) => names.includes(path.slice(path.lastIndexOf("node_modules/") + 13)))).toEqual([]);
});

test("a configuration in each format, and what is wrong with it", async () => {
  const good = { "api.a": { BindAddress: "127.0.0.1:1", Buffer: 10 } };
  expect((await rialto(["version"])).said).toMatch(/^version: \d+\.\d+\.\d+\n$/u);
  const said = async (name: string, text: string): Promise<string> => (await rialto(["check", file(name, text)])).said;
  expect(await said("a.json", JSON.stringify({ api: good, api2: 1 }))).toContain("a.json:1:");
  expect(await said("b.json", '{ "a": 1,, }')).toMatch(/b\.json:1:\d+.*not valid JSON/u);
  expect(await said("c.yaml", "a: [\n")).toMatch(/c\.yaml:\d+:\d+/u);
  expect(await said("d.yaml", "api:\n  a:\n    Bufer: 1\n")).toMatch(/d\.yaml:3:5.*Bufer/u);
  expect(await said("e.toml", "[api.a]\nBufer = 1\n")).toMatch(/e\.toml:2:1.*Bufer/u);
});

test("what an account is made with is printed before there is a configuration", async () => {
  const { code, said } = await rialto(["slack", "manifest", "crew"]);
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/"socket_mode_enabled": true[^]*note: set AppToken of slack.crew/u),
  ]);
  expect((await rialto(["help"])).said).toMatch(/rialto slack manifest ACCOUNT +print the manifest/u);
});

test("a charset that only some networks have", async () => {
  const irc = (charset: string): string => `[irc.a]\nServer = "localhost:6667"\nNick = "a"\nCharset = "${charset}"\n`;
  expect((await rialto(["check", file("known.toml", irc("koi8-r"))])).said).not.toContain("Charset");
  expect((await rialto(["check", file("unknown.toml", irc("klingon"))])).said).toContain("4:11: warning: Charset");
});

test("what is loaded later is the same as the package", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test|\.suite)\.ts$/u.test(path))
    .flatMap((path) => requiredIn(readFileSync(join(root, "src", path), "utf8")).map(({ name }) => name));
  const names = [...new Set(sources)].toSorted();
  expect(names).toContain("yaml");
  const made = readdirSync(dist).filter((name) => /^lazy-.*\.js$/u.test(name));
  expect(made.toSorted()).toEqual(names.map(lazyFile).toSorted());
  const load = createRequire(import.meta.url);
  const keys = (of: string): readonly string[] =>
    Object.keys(load(of) as object)
      .filter((key) => key !== "default" && key !== "__esModule")
      .toSorted();
  for (const name of names) expect([name, ...keys(join(home, "dist", lazyFile(name)))]).toEqual([name, ...keys(name)]);
});

/** Writes down at the end which files were loaded. */
const COUNT = `
import { registerHooks } from "node:module";
import { writeFileSync } from "node:fs";
const seen = [];
registerHooks({ load(url, context, next) { if (url.startsWith("file:")) seen.push(url); return next(url, context); } });
process.on("exit", () => writeFileSync(process.env.COUNTED, JSON.stringify(seen)));
`;

test("a start, the metrics, and how few files that takes", async () => {
  const [admin = 0, api = 0, other = 0] = await freePorts(3);
  const config = `[general]
LogFormat = "pretty"
AdminBindAddress = "127.0.0.1:${admin}"

[api.a]
BindAddress = "127.0.0.1:${api}"
Buffer = 10

[api.b]
BindAddress = "127.0.0.1:${other}"
Buffer = 10

[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a", channel = "api" }, { account = "api.b", channel = "api" }]
`;
  const counted = join(home, "counted.json");
  const env = {
    COUNTED: counted,
    NODE_OPTIONS: `--import=${pathToFileURL(join(home, file("count.mjs", COUNT))).href}`,
  };
  const bin = join(home, "bin/rialto.js");
  const program = startProgram(home, ["-conf", file("rialto.toml", config)], env, bin);
  await program.prints(/INFO: Rialto runs/u);
  const client = new ApiClient(`http://127.0.0.1:${api}`);
  expect((await client.request("/api/health")).status).toBe(200);
  expect((await new ApiClient(`http://127.0.0.1:${admin}`).request("/metrics")).text).toContain("rialto_");
  program.child.kill("SIGTERM");
  expect([await program.exited(), program.output()]).toEqual([0, program.output()]);
  const loaded = (JSON.parse(readFileSync(counted, "utf8")) as string[]).map((url) =>
    url.slice(url.lastIndexOf("/") + 1),
  );
  expect(loaded).toEqual(expect.arrayContaining(["main.js", "cli-run.js"]));
  // There were 640 of them when each module was a file.
  expect(loaded.length).toBeLessThan(50);
  expect(loaded.filter((name) => name.startsWith("lazy-"))).toEqual([lazyFile("pino-pretty")]);
  // It would load a client of WebSockets: lib/node-http.ts.
  const ours = loaded.filter((name) => readdirSync(dist).includes(name));
  expect(ours.filter((name) => /from "node:http"/u.test(readFileSync(join(dist, name), "utf8")))).toEqual([]);
  // What only an account of a network needs comes with its first session.
  expect(loaded.filter((name) => name.startsWith("adapters-"))).toEqual([]);
});
