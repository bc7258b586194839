import { execFile } from "node:child_process";
import { appendFileSync, closeSync, existsSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
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
