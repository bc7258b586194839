import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { damagePage, ENTRIES, filledLog, isSound, ROOMS } from "./damage.suite.ts";
import { openAt } from "./scratch.suite.ts";

test.each<[string, (file: string) => void]>([
  ["an overwritten first page", (file) => damagePage(file, 1)],
  ["a first page of zeros", (file) => damagePage(file, 1, 0)],
  ["an overwritten page of the table of names", (file) => damagePage(file, 3)],
  ["an overwritten root of the entries", (file) => damagePage(file, 5)],
  ["a text in its place", (file) => writeFileSync(file, "This is no database, and it is long enough.\n".repeat(100))],
  ["a file that was cut short", (file) => truncateSync(file, 3 * 4096)],
])("%s: the log does not open, and says what to do", async (_, damage) => {
  const { dataPath, file } = await filledLog();
  damage(file);
  await expect(openAt(dataPath)).rejects.toMatchObject({ name: "LogError", code: "damaged" });
  await expect(openAt(dataPath)).rejects.toThrow(/log\.sqlite is damaged: .*rialto log check.*rialto log repair/);
});

test("an empty file where a log has been is damage, and in a new folder it is a new log", async () => {
  const { dataPath, file } = await filledLog();
  truncateSync(file, 0);
  mkdirSync(join(dataPath, "files"));
  await expect(openAt(dataPath)).rejects.toMatchObject({ code: "damaged" });
  const fresh = await filledLog();
  truncateSync(fresh.file, 0);
  expect((await openAt(fresh.dataPath)).head).toBe(0);
});

test("garbage in the write-ahead file is not read", async () => {
  const { dataPath, file } = await filledLog();
  writeFileSync(`${file}-wal`, Buffer.alloc(100_000, 0x5a));
  expect((await openAt(dataPath)).head).toBe(ENTRIES);
});

test("a damaged page that is met while the log is open is told, and the rest goes on", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  const page = db.prepare("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' AND path = '/00a/'");
  const number = Number(page.pluck().get());
  db.close();
  damagePage(file, number);
  const log = await openAt(dataPath);
  expect(log.archive.damage()).toEqual({ why: null, entries: [] });
  await expect(log.read({ subjects: ROOMS, after: 0, limit: 1000 })).rejects.toMatchObject({ code: "damaged" });
  expect(log.archive.damage().why).toMatch(/log\.sqlite is damaged: .*rialto log repair/);
  expect(await log.read({ subjects: ROOMS, after: ENTRIES - 5, limit: 10 })).toHaveLength(5);
});

test("entries that hold no message are passed over and counted", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  db.exec("UPDATE entry SET payload = '{\"text\": 5' WHERE seq IN (7, 12) OR (seq > 100 AND seq <= 2500)");
  db.close();
  const log = await openAt(dataPath, { isSound });
  const seqsOf = async (after: number, limit: number): Promise<readonly number[]> =>
    (await log.read({ subjects: ROOMS, after, limit })).map(({ seq }) => seq);
  expect(await seqsOf(5, 8)).toEqual([6, 8, 9, 10, 11, 13]);
  expect(await seqsOf(100, 3)).toEqual([2501, 2502, 2503]);
  expect(await log.archive.entry(7)).toBeNull();
  expect(await log.archive.entry(8)).toMatchObject({ seq: 8 });
  const { entries } = await log.archive.search({ text: "text", before: 20, limit: 100 });
  expect(entries.map(({ seq }) => seq)).not.toContain(12);
  expect(entries).toHaveLength(17);
  const { why, entries: unsound } = log.archive.damage();
  expect(why).toBeNull();
  expect(unsound).toHaveLength(2402);
});

test("an append that damage refuses is told, until one is stored, whatever is stored without entries", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'said'").pluck().all();
  db.close();
  expect(pages).not.toEqual([]);
  for (const page of pages) damagePage(file, Number(page));
  const log = await openAt(dataPath);
  const entry = { subject: "net.a/#one", key: null, label: "", payload: '{"text":"message 1 "}' };
  const note = { is: "said", refs: ["ref new"], author: "a", name: "n", excerpt: "new" } as const;
  await expect(log.append({ account: "net.a", entries: [{ ...entry, note }] })).rejects.toMatchObject({
    code: "damaged",
  });
  expect(log.archive.refusal()).toMatch(/log\.sqlite is damaged/);
  await log.append({ account: "net.a", entries: [], once: { key: "k", fingerprint: "", answer: "" } });
  expect(log.archive.refusal()).not.toBeNull();
  await log.append({ account: "net.a", entries: [entry] });
  expect(log.archive.refusal()).toBeNull();
});
