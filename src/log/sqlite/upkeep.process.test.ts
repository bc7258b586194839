import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { damagePage, ENTRIES, filledLog, isSound, ROOMS } from "./damage.suite.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";
import { repairLog } from "./repair.ts";
import { backupLog, checkLog, type Checked } from "./upkeep.ts";

const check = (dataPath: string): Checked => checkLog({ dataPath, isSound, progress: () => undefined });

test("a sound log, which stays as it is", async () => {
  const { dataPath, file } = await filledLog();
  const before = readFileSync(file);
  expect(check(dataPath)).toEqual({ entries: ENTRIES, marks: 7, findings: [] });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect((await openAt(dataPath)).head).toBe(ENTRIES);
});

test("damaged pages, entries without a message and rows without a name are told", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.exec("UPDATE entry SET payload = '[]' WHERE seq IN (5, 6); DELETE FROM name WHERE text = 'net.b/#three'");
  db.close();
  expect(check(dataPath).findings).toEqual([
    expect.stringMatching(/^1000 rows of the table entry belong to a subject/),
    expect.stringMatching(/^1000 rows of the table said/),
    expect.stringMatching(/^1000 rows of the table remote/),
    "2 entries hold no message: no. 5, 6",
  ]);
  const cut = await filledLog();
  const leaf = new BetterSqlite3(cut.file);
  const page = Number(leaf.prepare("SELECT pageno FROM dbstat WHERE path = '/002/' AND name = 'entry'").pluck().get());
  leaf.close();
  damagePage(cut.file, page);
  expect(check(cut.dataPath).findings).toContainEqual(
    expect.stringMatching(/^the entries after no\. \d+ cannot all be read$/),
  );
  for (const number of [5, 8, 12, 13, 40]) {
    const other = await filledLog();
    damagePage(other.file, number);
    expect(check(other.dataPath).findings.length).toBeGreaterThan(0);
  }
});

const VIEW =
  "WITH RECURSIVE more(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM more) SELECT id, 1, 1, '', '', '' FROM more";

test.each([
  [
    "a trigger",
    "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM mark; END",
    'the trigger "t" is not of a log',
    true,
  ],
  ["a foreign table", "CREATE TABLE other (a)", 'the table "other" is not of a log', false],
  ["a foreign index", "CREATE INDEX i ON entry (at)", 'the index "i" is not of a log', false],
  ["an escape in a name", 'CREATE TABLE "\u001b[31m" (a)', 'the table "\\u{1b}[31m" is not of a log', false],
  ["a missing table", "DROP TABLE stream_epoch", "the table stream_epoch is missing", true],
  ["a missing index", "DROP INDEX receipt_lane", "the index receipt_lane is missing", true],
  ["another table", "DROP TABLE once; CREATE TABLE once (id)", "the table once is not as Rialto makes it", true],
  ["an endless view", `DROP TABLE once; CREATE VIEW once AS ${VIEW}`, "once is a view instead of a table", true],
])("%s is found and left out by a repair; whether it keeps Rialto from starting", async (_, sql, finding, keeps) => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.exec(sql);
  db.close();
  expect(check(dataPath).findings).toEqual([finding]);
  const opened = openAt(dataPath).then(async (log) => await log.close());
  if (keeps) {
    await expect(opened).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(finding) as string,
    });
  } else await opened;
  const repaired = repairLog({ dataPath, isSound, nowMs: 0, progress: () => undefined });
  expect([repaired.entries, repaired.marks]).toEqual([ENTRIES, 7]);
  expect(check(dataPath)).toEqual({ entries: ENTRIES, marks: 7, findings: [] });
  // Where something was lost, the head goes further.
  expect((await openAt(dataPath)).head).toBeGreaterThanOrEqual(ENTRIES);
});

test("what SQLite keeps for ANALYZE is of a log", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.exec("ANALYZE");
  db.close();
  expect(check(dataPath).findings).toEqual([]);
  expect((await openAt(dataPath)).head).toBe(ENTRIES);
});

test("an index of rooms that does not fit the entries is told, and repaired", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.exec("DELETE FROM subject_index WHERE seq IN (1, 2); INSERT INTO subject_index VALUES (1, 5000)");
  db.close();
  expect(check(dataPath).findings).toEqual(["the index of rooms lacks 2 entries, and has 1 that are not there"]);
  repairLog({ dataPath, isSound, nowMs: 0, progress: () => undefined });
  expect(check(dataPath)).toEqual({ entries: ENTRIES, marks: 7, findings: [] });
  // All of it is in the table: a start has nothing to look through.
  const repaired = new BetterSqlite3(file);
  expect(repaired.prepare("SELECT seq FROM subject_indexed").pluck().get()).toBe(ENTRIES);
  repaired.close();
});

test("the log of a newer version is not judged, and says that it is newer", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.pragma("user_version = 9999");
  db.close();
  expect(() => check(dataPath)).toThrow(
    expect.objectContaining({
      code: "format",
      message: expect.stringContaining("was written by a newer Rialto (format 9999") as string,
    }) as Error,
  );
});

test("a log that cannot be opened at all, one that is in use, and none", async () => {
  const { dataPath, file } = await filledLog();
  damagePage(file, 1);
  expect(() => check(dataPath)).toThrow(expect.objectContaining({ code: "damaged" }));
  const used = await filledLog();
  await openAt(used.dataPath);
  expect(() => check(used.dataPath)).toThrow(expect.objectContaining({ code: "locked" }));
  await expect(backupLog(used.dataPath, join(dataPath, "x"), () => undefined)).rejects.toMatchObject({
    code: "locked",
  });
  expect(() => check("/nowhere")).toThrow("There is no log in /nowhere.");
});

test("a backup of a log at rest is a log", async () => {
  const { dataPath } = await filledLog();
  const elsewhere = scratchFolder();
  const steps: number[] = [];
  await backupLog(dataPath, join(elsewhere, "log.sqlite"), (_, done) => steps.push(done));
  expect(steps.length).toBeGreaterThan(0);
  expect(check(elsewhere)).toEqual({ entries: ENTRIES, marks: 7, findings: [] });
});

test("a backup of a log that is written to meanwhile is a log as it was at some moment", async () => {
  const { dataPath } = await filledLog();
  const log = await openAt(dataPath);
  const elsewhere = scratchFolder();
  const to = join(elsewhere, "log.sqlite");
  const state = { isOver: false };
  const copied = log.archive.backup(to).then(() => {
    state.isOver = true;
  });
  let appended = 0;
  while (!state.isOver) {
    await log.append({
      account: "",
      entries: [{ subject: ROOMS[0] ?? "", key: null, label: "", payload: '{"text":"message 1 "}' }],
    });
    appended += 1;
  }
  await copied;
  expect(log.head).toBe(ENTRIES + appended);
  expect(existsSync(`${to}.part`)).toBe(false);
  const { entries, findings } = check(elsewhere);
  expect(findings).toEqual([]);
  expect(entries).toBeGreaterThanOrEqual(ENTRIES);
  expect(entries).toBeLessThanOrEqual(log.head);
  await expect(log.archive.backup("/nowhere/at/all/log")).rejects.toMatchObject({ name: "LogError" });
});

test("a log that closes gives up a backup", async () => {
  const { dataPath } = await filledLog();
  const log = await openAt(dataPath);
  const to = join(scratchFolder(), "log.sqlite");
  const copied = log.archive.backup(to).then(
    () => "whole",
    () => "given up",
  );
  await log.close();
  expect(existsSync(to)).toBe((await copied) === "whole");
  expect(existsSync(`${to}.part`)).toBe(false);
});
