import { symlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { START_ERRORS } from "../../src/errors.ts";
import { type Program, startOnTerminal, startProgram } from "../support/program.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "rialto-command-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const start = (...args: readonly string[]): Program => startProgram(folder, args);

async function configure(general: string, api = 'BindAddress = "127.0.0.1:0"'): Promise<void> {
  const gateway = `[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.a" }]\n`;
  await writeFile(path.join(folder, "rialto.toml"), `[general]\n${general}\n[api.a]\n${api}\n${gateway}`);
}

async function stop(program: Program): Promise<void> {
  program.child.kill("SIGTERM");
  expect(await program.exited()).toBe(0);
}

/** Every line, of both streams. */
const linesOf = (program: Program): Readonly<Record<string, unknown>>[] =>
  program
    .output()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

test("called as matterbridge, it prints the version in the format of matterbridge", async () => {
  const link = path.join(folder, "matterbridge");
  symlinkSync(PROGRAM, link);
  for (const option of ["-version", "--version"]) {
    const program = startProgram(folder, [option, "-gops"], {}, link);
    expect(await program.exited()).toBe(0);
    expect(program.output()).toMatch(/^version: \d+\.\d+\.\d+ rialto\n$/u);
  }
});

test("a bug of a command with --json is an error object as well", async () => {
  const strange = http.createServer((_request, response) => void response.end("strange"));
  onTestFinished(() => void strange.close());
  await new Promise<void>((resolve) => strange.listen(path.join(folder, "s"), resolve));
  const { child, exited } = start("status", "--socket", "s", "--json");
  let result = "";
  child.stdout.on("data", (part: Buffer) => (result += part.toString()));
  expect(await exited()).toBe(START_ERRORS.bug.exit);
  expect(JSON.parse(result)).toEqual({ error: expect.stringContaining(START_ERRORS.bug.remedy) as string });
});

test("the options of matterbridge start it; -gops is a warning in the log", async () => {
  await configure("");
  const program = start("-gops", "-debug=true", "-config", "rialto.toml");
  await program.prints(/Rialto runs/u);
  await stop(program);
  expect(linesOf(program)).toContainEqual(expect.objectContaining({ level: "warn", option: "-gops" }));
});

test("without a terminal, a start prints where the dashboard is, and no link that signs in", async () => {
  await configure('AdminBindAddress = "127.0.0.1:0"');
  const program = start();
  const [, url = ""] = await program.prints(/"url":"([^"]+)","msg":"to open the dashboard, run `rialto dashboard`/u);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/u);
  expect(program.output()).not.toContain("login=");
  await stop(program);
});

test("a warning of the configuration is a line of the log, once, and nothing else is printed", async () => {
  await configure("Bufer = 3");
  const program = start();
  await program.prints(/Rialto runs/u);
  await stop(program);
  const warnings = linesOf(program).filter(({ problem }) => String(problem).includes("Bufer"));
  expect(warnings).toEqual([
    expect.objectContaining({
      level: "warn",
      problem: expect.stringMatching(/rialto\.toml:2:1: warning: /u) as string,
    }),
  ]);
});

const takenPort = async (): Promise<number> => {
  const server = createServer().unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** Each prepares a folder in which no start succeeds. */
const CAUSES = {
  address_in_use: async () => await configure("", `BindAddress = "127.0.0.1:${await takenPort()}"`),
  "data_path: a file": async () => await configure('DataPath = "rialto.toml"'),
  "data_path: a newer log": async () => {
    await configure("");
    const program = start();
    await program.prints(/Rialto runs/u);
    await stop(program);
    const log = new BetterSqlite3(path.join(folder, "rialto-data/log.sqlite"));
    log.pragma("user_version = 9999");
    log.close();
  },
} satisfies Record<string, () => Promise<void>>;

test.each(Object.entries(CAUSES))("%s: why it does not start is one line of the log", async (cause, prepare) => {
  await prepare();
  const code = cause.replace(/:.*$/u, "") as "address_in_use" | "data_path";
  const program = start();
  expect(await program.exited()).toBe(START_ERRORS[code].exit);
  const fatal = linesOf(program).filter(({ level }) => level === "fatal");
  expect(fatal).toEqual([expect.objectContaining({ code, why: expect.any(String) as string })]);
  // What to do is part of `why`.
  expect(fatal[0]).not.toHaveProperty("remedy");
  expect(program.output()).not.toContain(START_ERRORS[code].remedy);
});

test("with a LogFile, why it does not start is in the file, and as text on standard error", async () => {
  await configure(`LogFile = "rialto.log"`, `BindAddress = "127.0.0.1:${await takenPort()}"`);
  const program = start();
  expect(await program.exited()).toBe(69);
  expect(program.output()).toMatch(/^rialto: \[api\.a\] cannot listen on .*\n$/u);
  expect(await readFile(path.join(folder, "rialto.log"), "utf8")).toMatch(/"fatal".*cannot listen/u);
});

test.runIf(process.platform === "linux")("on a terminal, why it does not start is text, once", async () => {
  await configure("", `BindAddress = "127.0.0.1:${await takenPort()}"`);
  const program = startOnTerminal(folder, []);
  expect(await program.exited()).toBe(69);
  expect(program.output().match(/cannot listen/gu)).toHaveLength(1);
  expect(program.output()).toContain("rialto: [api.a] cannot listen on");
});

test.runIf(process.platform === "linux")("on a terminal, init does not show a secret while it is typed", async () => {
  const program = startOnTerminal(folder, ["init"]);
  const answers: readonly [question: RegExp, keys: string][] = [
    [/Network: /u, "api\r"],
    [/account \[home\]: /u, "\r"],
    [/BindAddress: /u, "127.0.0.1:4301\r"],
    [/\(not shown\): /u, "hidden-wordX\u007f\r"],
    [/Room 2[^]*Network: /u, "api\r"],
    [/Room 2[^]*account \[home\]: /u, "two\r"],
    [/Room 2[^]*BindAddress: /u, "127.0.0.1:4302\r"],
    [/Room 2[^]*\(not shown\): /u, "\r"],
    [/One more room\? \[y\/N\]: /u, "\r"],
    [/\[lobby\]: /u, "\r"],
  ];
  for (const [question, keys] of answers) {
    await program.prints(question);
    program.child.stdin.write(keys);
  }
  expect(await program.exited()).toBe(0);
  expect(program.output()).not.toContain("hidden");
  expect(program.output()).toContain("127.0.0.1:4301");
  expect(await readFile(path.join(folder, "rialto.toml"), "utf8")).toContain('\nToken = "hidden-word"\n');
});
