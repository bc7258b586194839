import { execFile, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { toml } from "../support/config.ts";
import { type Rialto, type RialtoOptions, startRialto } from "../support/rialto.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
const CONFIG = toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });

async function start(options: Partial<RialtoOptions> = {}): Promise<Rialto> {
  const rialto = await startRialto({ config: CONFIG, ...options });
  onTestFinished(async () => await rialto.dispose());
  return rialto;
}

/** The program as an operator calls it. */
function run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const say = async (rialto: Rialto, text: string): Promise<unknown> =>
  await rialto.client("left").say({ text, username: "ann", gateway: "g" });

test("a log is checked, damaged, repaired and used again; what was read before is not read twice", async () => {
  const first = await start();
  const { dataPath } = first;
  const here = ["--data", dataPath];
  for (let count = 0; count < 100; count += 1) await say(first, `${count} ${"x".repeat(500)}`);
  expect(await first.client("right").texts()).toHaveLength(10);
  await say(first, "unread");
  expect(await run("log", "check", ...here)).toMatchObject({
    code: 75,
    output: expect.stringContaining("Another process") as string,
  });
  expect((await run("log", "repair", ...here)).code).toBe(75);
  await first.stop();
  expect(await run("log", "check", ...here)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/log\.sqlite: 101 entries, \d+ marks, nothing is damaged\n/) as string,
  });
  expect((await run("log", "repair", ...here)).output).toContain("nothing is damaged, and nothing was changed");
  const file = path.join(dataPath, "log.sqlite");
  const db = new BetterSqlite3(file);
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' ORDER BY path");
  const page = Number(pages.pluck().all()[3]);
  db.close();
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(fd);
  expect(await run("log", "check", ...here)).toMatchObject({
    code: 65,
    output: expect.stringContaining("is damaged") as string,
  });
  const repaired = await run("log", "repair", ...here);
  expect(repaired).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /is repaired: 9\d entries and \d+ marks are kept\.\nLost: entries no\. \d+ to \d+,/,
    ) as string,
  });
  expect(readdirSync(dataPath).filter((name) => name.startsWith("log.sqlite.damaged-"))).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = await start({ dataPath });
  expect(await second.client("right").texts()).toEqual(["unread"]);
  await say(second, "after");
  expect(await second.client("right").texts()).toEqual(["after"]);
});

test("a backup is made while Rialto runs and while it does not, and never over a file", async () => {
  const rialto = await start();
  const { dataPath } = rialto;
  await say(rialto, "one");
  const beside = await run("log", "backup", "--data", dataPath, "--json");
  const { file } = JSON.parse(beside.output) as { readonly file: string };
  expect(path.dirname(file)).toBe(dataPath);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const to = path.join(dataPath, "mine", "..", "copy.sqlite");
  expect(await run("log", "backup", to, "--data", dataPath)).toMatchObject({ code: 0 });
  expect(await run("log", "backup", to, "--data", dataPath)).toMatchObject({
    code: 73,
    output: expect.stringContaining("already exists") as string,
  });
  await rialto.stop();
  const other = path.join(dataPath, "other.sqlite");
  expect(await run("log", "backup", other, "--data", dataPath)).toMatchObject({ code: 0 });
  for (const each of [file, to, other]) {
    const db = new BetterSqlite3(each, { readonly: true });
    expect(db.prepare("SELECT count(*) FROM entry").pluck().get()).toBe(1);
    db.close();
  }
  expect(await run("log", "check", "--data", path.join(dataPath, "nothing"))).toMatchObject({ code: 73 });
  expect(existsSync(path.join(dataPath, "nothing"))).toBe(false);
});

test("a log is exported once nothing runs, and imported where there is none; what was read is not read twice", async () => {
  const rialto = await start();
  const { dataPath, file } = rialto;
  for (const text of ["one", "two"]) await say(rialto, text);
  expect(await rialto.client("right").texts()).toEqual(["one", "two"]);
  expect(await rialto.client("right").texts()).toEqual([]);
  await say(rialto, "three");
  const to = path.join(dataPath, "..", "moved");
  const here = ["-conf", file, "--data", dataPath];
  expect(await run("log", "export", to, ...here)).toMatchObject({ code: 75 });
  await rialto.stop();
  const answer = JSON.parse((await run("log", "export", to, ...here, "--json")).output) as Record<string, unknown>;
  expect(answer).toEqual({
    file: to,
    entries: 3,
    marks: expect.any(Number) as number,
    head: 3,
    bytes: statSync(to).size,
    sha256: createHash("sha256").update(readFileSync(to)).digest("hex"),
    stream: null,
    applied: 0,
    complete: true,
  });
  const refused = [
    [["export", to, ...here], 73, "already exists"],
    [["import", to, ...here], 73, "has a log already (log.sqlite)"],
    [["import", `${to}.none`, "-conf", file, "--data", `${to}.data`], 73, "There is no file"],
    [["import", file, "-conf", file, "--data", `${to}.data`], 73, "is no log"],
    [["export", `${to}.2`, "-conf", file, "--data", `${to}.data`], 73, "There is no log in"],
  ] as const;
  for (const [args, code, what] of refused) {
    const { code: ended, output } = await run("log", ...args);
    expect([args[0], ended, output]).toEqual([args[0], code, expect.stringContaining(what) as string]);
  }
  const other = path.join(dataPath, "..", "other");
  const imported = await run("log", "import", to, "-conf", file, "--data", other);
  expect(imported).toMatchObject({ code: 0, output: expect.stringContaining(String(answer["sha256"])) as string });
  const again = await start({ dataPath: other });
  expect(await again.client("right").texts()).toEqual(["three"]);
  expect(await say(again, "four")).toMatchObject({ text: "four" });
});

test("an export and an import that the disk does not take leave nothing behind", async () => {
  const rialto = await start();
  const { dataPath, file } = rialto;
  await say(rialto, "x".repeat(30_000));
  await rialto.stop();
  const folder = path.join(dataPath, "..", "moved");
  mkdirSync(folder);
  const to = path.join(folder, "file");
  const limited = (...args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync("/bin/sh", ["-c", 'ulimit -f 100; exec "$0" "$@"', process.execPath, PROGRAM, "log", ...args], {
      encoding: "utf8",
    });
  const full = limited("export", to, "-conf", file, "--data", dataPath);
  expect([full.status, full.stderr]).toEqual([73, expect.stringContaining(`cannot be copied to ${to}: `) as string]);
  expect(readdirSync(folder)).toEqual([]);
  expect(await run("log", "export", to, "-conf", file, "--data", dataPath)).toMatchObject({ code: 0 });
  const other = path.join(folder, "data");
  const missed = limited("import", to, "-conf", file, "--data", other);
  expect([missed.status, missed.stderr]).toEqual([73, expect.stringContaining(`${to} cannot be copied to `) as string]);
  expect(readdirSync(other)).toEqual([]);
});

test("without a configuration that can be read, nothing is imported, and what the folder has is exported when that is said", async () => {
  const rialto = await start();
  const { dataPath, file } = rialto;
  await say(rialto, "one");
  await rialto.stop();
  const db = new BetterSqlite3(path.join(dataPath, "log.sqlite"));
  db.exec("INSERT INTO stream VALUES (1, 'RIALTO_0 of then', 7, 8)");
  db.close();
  appendFileSync(file, '\n[general]\nLog = "http://a"\n');
  const to = path.join(dataPath, "..", "moved");
  const here = ["-conf", file, "--data", dataPath];
  const export_ = await run("log", "export", to, ...here);
  expect(export_).toMatchObject({ code: 78, output: expect.stringContaining("--local exports what") as string });
  const local = await run("log", "export", to, ...here, "--local");
  expect(local.output).toMatch(/entries: 1, [^]+up to 7\. The servers were not asked, .+ the highest number\.\n/u);
  const other = ["-conf", file, "--data", `${to}.data`];
  expect(await run("log", "import", to, ...other)).toMatchObject({
    code: 78,
    output: expect.stringContaining('see "rialto check"') as string,
  });
  expect(existsSync(`${to}.data`)).toBe(false);
});

test("a configuration that is broken on the disk does not hide the Rialto that runs", async () => {
  const rialto = await start();
  appendFileSync(rialto.file, `\n[general]\nDataPath = ${JSON.stringify(rialto.dataPath)}\n[[[ broken`);
  const status = await run("status", "-conf", rialto.file);
  expect(status).toMatchObject({
    code: 0,
    output: expect.stringMatching(/is well[\s\S]*has errors \(see "rialto check"\); using the data folder/) as string,
  });
  expect(await run("reload", "-conf", rialto.file)).toMatchObject({ code: 1 });
  expect((await run("status", "--data", rialto.dataPath)).output).not.toContain("errors");
});
