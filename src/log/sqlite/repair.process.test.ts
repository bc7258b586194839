import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { batchOf, said } from "../suite/kit.suite.ts";
import { damagePage, ENTRIES, filledLog, isSound, ROOMS } from "./damage.suite.ts";
import { type Repaired, repairLog } from "./repair.ts";
import { openAt } from "./scratch.suite.ts";

const NOW = Date.UTC(2026, 10, 22, 15, 16, 17);

const repair = (dataPath: string): Repaired => repairLog({ dataPath, isSound, nowMs: NOW, progress: () => undefined });

interface Page {
  readonly pageno: number;
  readonly name: string;
  readonly pagetype: string;
  readonly ncell: number;
}

function pagesOf(file: string): readonly Page[] {
  const db = new BetterSqlite3(file);
  const pages = db.prepare<[], Page>("SELECT pageno, name, pagetype, ncell FROM dbstat ORDER BY pageno").all();
  db.close();
  return pages;
}

/** Entries, marks and ids as readers get them; all must be what was written. */
async function heldBy(dataPath: string) {
  const log = await openAt(dataPath, { isSound, durability: "process" });
  const seqs: number[] = [];
  for (let after = 0; ; after = seqs.at(-1) ?? 0) {
    const entries = await log.read({ subjects: ROOMS, after, limit: 1000 });
    for (const { seq, subject, payload } of entries) {
      expect([subject, payload]).toEqual([
        ROOMS[(seq - 1) % 3],
        JSON.stringify({ text: `message ${seq - 1} ${"x".repeat((seq - 1) % 50)}` }),
      ]);
      seqs.push(seq);
    }
    if (entries.length === 0) break;
  }
  const marks = await log.marks("");
  const next = await log.append(batchOf(said('{"text":"message 1 "}', { subject: ROOMS[0] ?? "" })));
  await log.close();
  return { seqs, marks, next: next.is === "stored" ? (next.seqs[0] ?? 0) : 0 };
}

const rangeOf = (lost: Repaired["lost"], seq: number): boolean =>
  lost.some(({ from, to }) => seq >= from && seq <= (to ?? Infinity));

test("any one page that is overwritten: all else is kept, what is lost is said, and no seq is given twice", async () => {
  const { file: whole } = await filledLog();
  const pages = pagesOf(whole);
  // Every page that is one of a kind, and some of each kind of which there are many.
  const seen = new Map<string, number>();
  const chosen = pages.filter(({ name, pagetype }) => {
    const count = seen.get(`${name} ${pagetype}`) ?? 0;
    seen.set(`${name} ${pagetype}`, count + 1);
    return count % 30 === 0;
  });
  expect(chosen.length).toBeGreaterThan(20);
  for (const { pageno, name, pagetype, ncell } of chosen) {
    const { dataPath, file } = await filledLog();
    damagePage(file, pageno, pageno % 2 === 0 ? 0 : 0x5a);
    const before = readFileSync(file);
    const repaired = repair(dataPath);
    const kept = repaired.keptAs ?? "";
    const { seqs, marks, next } = await heldBy(dataPath);
    const expected = Array.from({ length: ENTRIES }, (_, index) => index + 1);
    const lost = expected.filter((seq) => !seqs.includes(seq));
    // A page that only leads to others takes nothing along.
    const most = name === "entry" && pagetype === "leaf" ? ncell : 0;
    expect({
      page: `${name} ${pagetype} ${pageno}`,
      kept,
      untouched: readFileSync(kept).equals(before),
      workshop: existsSync(join(dataPath, ".repair")),
      entries: repaired.entries,
      unsaid: lost.filter((seq) => !rangeOf(repaired.lost, seq)),
      tooMany: lost.length > most,
      again: next <= ENTRIES,
      marks: name === "mark" ? repaired.marksLost : marks.size,
    }).toEqual({
      page: `${name} ${pagetype} ${pageno}`,
      kept: `${file}.damaged-20261122T151617Z`,
      untouched: true,
      workshop: false,
      entries: seqs.length,
      unsaid: [],
      tooMany: false,
      again: false,
      marks: name === "mark" ? true : 7,
    });
  }
}, 300_000);

test("several pages at once, and entries that hold no message", async () => {
  const { dataPath, file } = await filledLog();
  const leaves = pagesOf(file).filter(({ name, pagetype }) => name === "entry" && pagetype === "leaf");
  const db = new BetterSqlite3(file);
  db.exec("UPDATE entry SET payload = 'gone' WHERE seq = 3");
  db.close();
  for (const at of [5, 6, 20, leaves.length - 1]) damagePage(file, leaves[at]?.pageno ?? 0);
  const repaired = repair(dataPath);
  expect(repaired.unsound).toEqual([3]);
  expect(repaired.lost).toHaveLength(3);
  expect(repaired.lost.at(-1)?.to).toBeNull();
  const { seqs, next } = await heldBy(dataPath);
  expect(seqs.length).toBe(repaired.entries);
  expect(seqs.length).toBeGreaterThan(ENTRIES - 400);
  expect(next).toBeGreaterThan(ENTRIES);
});

test("a log whose entries have all gone does not begin anew when its head is lost", async () => {
  const { dataPath, file } = await filledLog();
  const db = new BetterSqlite3(file);
  for (const table of ["entry", "said", "receipt", "remote"]) db.exec(`DELETE FROM ${table}`);
  db.exec(`UPDATE high SET seq = ${ENTRIES}`);
  db.close();
  damagePage(file, pagesOf(file).find(({ name }) => name === "high")?.pageno ?? 0);
  expect(repair(dataPath)).toMatchObject({ entries: 0, marks: 7 });
  expect((await heldBy(dataPath)).next).toBeGreaterThan(ENTRIES - 100);
});

test("a sound log is copied whole", async () => {
  const { dataPath } = await filledLog();
  const { keptAs: _, ...repaired } = repair(dataPath);
  expect(repaired).toEqual({ entries: ENTRIES, lost: [], unsound: [], marks: 7, marksLost: false, others: [] });
  expect((await heldBy(dataPath)).next).toBe(ENTRIES + 1);
});

test.each<[string, (file: string) => void]>([
  ["a text", (file) => writeFileSync(file, "This is no database.\n".repeat(1000))],
  ["an empty file", (file) => truncateSync(file, 0)],
])("of %s nothing can be kept, and it stays as it is", async (_, damage) => {
  const { dataPath, file } = await filledLog();
  damage(file);
  const before = readFileSync(file);
  expect(repair(dataPath)).toMatchObject({ keptAs: null, entries: 0, marks: 0 });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a file that was cut in the middle keeps what is before the cut", async () => {
  const { dataPath, file } = await filledLog();
  truncateSync(file, 90 * 4096 + 100);
  expect(repair(dataPath).entries).toBeGreaterThan(100);
  expect((await heldBy(dataPath)).next).toBeGreaterThan(ENTRIES);
});

test("a log of format 4 is brought up to date with all that is in it", async () => {
  const { dataPath, file } = await filledLog();
  const old = await openAt(dataPath);
  const note = { is: "said", refs: ["m1"], author: "a", name: "ann", excerpt: "hello" } as const;
  await old.append(batchOf(said('{"text":"message 1 "}', { note })));
  const known = await old.ids.get(old.head);
  const { head } = old;
  await old.close();
  const db = new BetterSqlite3(file);
  db.exec("ALTER TABLE said DROP COLUMN revised; PRAGMA user_version = 4");
  db.close();
  expect(repair(dataPath)).toMatchObject({ entries: ENTRIES + 1, lost: [], others: [] });
  const log = await openAt(dataPath);
  expect(known).not.toBeNull();
  expect(await log.ids.get(head)).toEqual(known);
});

test("while a Rialto has the log open nothing is touched, and where none is there is nothing to repair", async () => {
  const { dataPath } = await filledLog();
  const log = await openAt(dataPath);
  expect(() => repair(dataPath)).toThrow(expect.objectContaining({ code: "locked" }));
  expect(await log.read({ subjects: ROOMS, after: 0, limit: 5 })).toHaveLength(5);
  expect(() => repair("/nowhere/at/all")).toThrow("There is no log in /nowhere/at/all.");
  expect(existsSync("/nowhere")).toBe(false);
});
