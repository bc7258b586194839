import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { batchOf, said } from "../suite/kit.suite.ts";
import { damagePage, ENTRIES, filledLog, isSound } from "./damage.suite.ts";
import { logOfFormat3 } from "./format-3.suite.ts";
import { exportLog, importLog } from "./move.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

const OPTIONS = { isSound, progress: () => undefined };
const TABLES = ["name", "entry", "mark", "once", "high", "receipt", "said", "remote", "reaction", "subject_index"];

function rowsOf(file: string): Readonly<Record<string, readonly unknown[]>> {
  const db = new BetterSqlite3(file, { readonly: true });
  const rows = TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()] as const);
  db.close();
  return Object.fromEntries(rows);
}

function change(file: string, sql: string): void {
  const db = new BetterSqlite3(file);
  db.exec(sql);
  db.close();
}

async function exported(): Promise<{ readonly dataPath: string; readonly file: string; readonly to: string }> {
  const { dataPath, file } = await filledLog();
  const to = join(scratchFolder(), "moved");
  await exportLog(dataPath, to, OPTIONS);
  return { dataPath, file, to };
}

test("what is exported and imported is the same log, of no stream, and goes on above its last number", async () => {
  const { dataPath, file } = await filledLog();
  change(
    file,
    `INSERT INTO stream VALUES (1, 'RIALTO_0 of then', 77, 78); INSERT INTO stream_node VALUES ('n', 'r', 5);
     INSERT INTO stream_epoch VALUES ('net.a', 3, 'n', 'r'); DELETE FROM entry WHERE seq > 2990;
     DELETE FROM subject_index WHERE seq > 2990; UPDATE high SET seq = 3000`,
  );
  const before = rowsOf(file);
  const to = join(scratchFolder(), "moved");
  const told: string[] = [];
  const moved = await exportLog(dataPath, to, { isSound, progress: (what) => told.push(what) });
  expect(moved).toMatchObject({
    entries: 2990,
    marks: 7,
    head: 3000,
    bytes: statSync(to).size,
    from: { stream: "RIALTO_0 of then", applied: 77 },
  });
  expect(new Set(told)).toEqual(new Set(["pages copied", "structure"]));
  expect(rowsOf(file)).toEqual(before);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(to, ".."))).toEqual(["moved"]);
  const other = join(scratchFolder(), "new", "data");
  const { from: _, ...same } = moved;
  expect(await importLog(other, to, OPTIONS)).toEqual(same);
  expect(readdirSync(other)).toEqual(["log.sqlite"]);
  expect(rowsOf(join(other, "log.sqlite"))).toEqual(before);
  const log = await openAt(other, { isSound });
  const next = await log.append(batchOf(said('{"text":"message 1 "}')));
  expect(next).toMatchObject({ is: "stored", seqs: [3001] });
});

test("a log of an older format, and a backup, can be moved", async () => {
  const dataPath = logOfFormat3();
  const to = join(scratchFolder(), "moved");
  const { entries } = await exportLog(dataPath, to, { ...OPTIONS, isSound: () => true });
  expect(entries).toBeGreaterThan(0);
  const other = scratchFolder();
  const all = { ...OPTIONS, isSound: () => true };
  expect(await importLog(other, to, all)).toMatchObject({ entries });
  const log = await openAt(other);
  const backup = join(scratchFolder(), "backup");
  await log.archive.backup(backup);
  expect(await importLog(scratchFolder(), backup, all)).toMatchObject({ entries });
});

test("a log that is open is not exported", async () => {
  const dataPath = scratchFolder();
  await openAt(dataPath);
  const to = join(scratchFolder(), "moved");
  await expect(exportLog(dataPath, to, OPTIONS)).rejects.toMatchObject({ code: "locked" });
  expect(existsSync(to)).toBe(false);
});

test.each([
  ["no log", "unwritable", /There is no log in/, () => scratchFolder()],
  ["a damaged page", "damaged", /was not exported: .+ "rialto log check"/s, damaged],
  ["an entry that is no message", "damaged", /1 entry holds no message: no\. 5\./, unsound],
])("an export of %s is refused, and leaves nothing", async (_what, code, message, make) => {
  const folder = scratchFolder();
  const dataPath = await make();
  const error = exportLog(dataPath, join(folder, "moved"), OPTIONS);
  await expect(error).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(readdirSync(folder)).toEqual([]);
});

async function damaged(): Promise<string> {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  const page = Number(db.prepare("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf'").pluck().get());
  db.close();
  damagePage(file, page);
  return dataPath;
}

async function unsound(): Promise<string> {
  const { dataPath, file } = await filledLog();
  change(file, "UPDATE entry SET payload = 'x' WHERE seq = 5");
  return dataPath;
}

test.each([
  ["a folder that is not there", "unwritable", /cannot be written: ENOENT/, (folder: string) => join(folder, "a", "b")],
  ["a file that exists", "unwritable", /already exists\.$/, taken],
  ["a disk without room", "disk_full", /There is no room for .+free some space/, () => "/proc/self/moved"],
])("an export to %s is refused, and changes nothing", async (_what, code, message, where) => {
  const { dataPath } = await filledLog();
  const folder = scratchFolder();
  const to = where(folder);
  const before = readdirSync(folder);
  const error = exportLog(dataPath, to, OPTIONS);
  await expect(error).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(readdirSync(folder)).toEqual(before);
});

function taken(folder: string): string {
  writeFileSync(join(folder, "moved"), "mine");
  return join(folder, "moved");
}

test("an export that is given up leaves nothing, and one that was killed is cleared away by the next", async () => {
  const { dataPath } = await filledLog();
  const folder = scratchFolder();
  const to = join(folder, "moved");
  const progress = (): never => {
    throw new Error("given up");
  };
  await expect(exportLog(dataPath, to, { isSound, progress })).rejects.toThrow("given up");
  expect(readdirSync(folder)).toEqual([]);
  for (const left of ["", ".part", "-journal"]) writeFileSync(`${to}.half-12345678${left}`, "half");
  await exportLog(dataPath, to, OPTIONS);
  expect(readdirSync(folder)).toEqual(["moved"]);
});

/** Makes of a good file what is to be imported. */
const SPOILT: readonly (readonly [string, string, RegExp, (file: string) => void])[] = [
  ["nothing", "unwritable", /There is no file/, (file) => symlinkSync(`${file}.none`, `${file}.x`)],
  ["a folder", "unwritable", /is not a file/, (file) => mkdirSync(`${file}.x`)],
  ["an empty file", "format", /is empty, and no log/, (file) => writeFileSync(`${file}.x`, "")],
  [
    "a text",
    "format",
    /is no log: it is not an SQLite file/,
    (file) => writeFileSync(`${file}.x`, "hello ".repeat(2000)),
  ],
  ["another database", "format", /not a log of Rialto/, (file) => change(`${file}.x`, "CREATE TABLE t (a)")],
  ["a newer format", "format", /written by a newer Rialto/, spoil((file) => change(file, "PRAGMA user_version = 99"))],
  [
    "one that was cut short",
    "damaged",
    /is damaged, and was not imported/,
    spoil((file) => truncateSync(file, 40_960)),
  ],
  [
    "one with a trigger",
    "format",
    /the trigger "t" is not of a log/,
    spoil((file) => change(file, "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM mark; END")),
  ],
  [
    "one with a view in place of a table",
    "format",
    /mark is a view instead of a table/,
    spoil((file) => change(file, "ALTER TABLE mark RENAME TO m; CREATE VIEW mark AS SELECT * FROM m")),
  ],
  [
    "one with a large foreign table",
    "format",
    /the table "big" is not of a log/,
    spoil((file) => change(file, "CREATE TABLE big AS SELECT zeroblob(1000000) AS b")),
  ],
  [
    "one without a table",
    "format",
    /the table stream_epoch is missing.*"rialto log repair"/,
    spoil((file) => change(file, "DROP TABLE stream_epoch")),
  ],
  ["one with another page", "damaged", /compare its SHA-256/, spoil((file) => damagePage(file, 12))],
  [
    "one that is half in another file",
    "format",
    /part of it is in .*-wal/,
    spoil((file) => writeFileSync(`${file}-wal`, "x")),
  ],
];

function spoil(how: (file: string) => void): (file: string) => void {
  return (file) => {
    writeFileSync(`${file}.x`, readFileSync(file));
    how(`${file}.x`);
  };
}

test.each(SPOILT)("an import of %s is refused, and leaves nothing", async (_what, code, message, make) => {
  const { to } = await exported();
  make(to);
  const dataPath = scratchFolder();
  const error = importLog(dataPath, `${to}.x`, OPTIONS);
  await expect(error).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(readdirSync(dataPath)).toEqual([]);
});

test.each(["log.sqlite", "log.sqlite-wal"])("an import never takes the place of %s", async (name) => {
  const { to } = await exported();
  const dataPath = scratchFolder();
  writeFileSync(join(dataPath, name), "mine");
  await expect(importLog(dataPath, to, OPTIONS)).rejects.toMatchObject({
    code: "unwritable",
    message: expect.stringContaining(`has a log already (${name})`) as string,
  });
  expect(readdirSync(dataPath)).toEqual([name]);
});

test("of two imports into one folder at the same time, one counts, and its log is whole", async () => {
  const { to, file } = await exported();
  const dataPath = scratchFolder();
  const ends = await Promise.allSettled([importLog(dataPath, to, OPTIONS), importLog(dataPath, to, OPTIONS)]);
  expect(ends.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
  if (!existsSync(join(dataPath, "log.sqlite"))) await importLog(dataPath, to, OPTIONS);
  expect(rowsOf(join(dataPath, "log.sqlite"))).toEqual(rowsOf(file));
  expect(rowsOf(to)["entry"]).toHaveLength(ENTRIES);
});
