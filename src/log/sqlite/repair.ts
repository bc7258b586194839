import { chownSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { syncFolder } from "../../lib/make-folder.ts";
import { LogError } from "../errors.ts";
import { logFile, openDatabase } from "./database.ts";
import { openFailure, toError } from "./failure.ts";
import { viewsIn } from "./migrations.ts";
import { leavesWithin, withLeaves } from "./leaves.ts";
import { rebuildSubjectIndex } from "./subject-index.ts";
import { removeIndex } from "./word-index.ts";
import { fileBeside, type ReportProgress } from "./upkeep.ts";
import {
  attempt,
  copyWhole,
  FAR,
  type LostRange,
  openToRead,
  salvageByNumber,
  salvageFromBothEnds,
  withFirstPage,
} from "./salvage.ts";

export interface RepairOptions {
  readonly dataPath: string;
  readonly isSound: (payload: string) => boolean;
  readonly progress: ReportProgress;
  /** Unix ms. */
  readonly nowMs: number;
}

export interface Repaired {
  /** Where the file that was there is now; null: it is where it was, because nothing could be read. */
  readonly keptAs: string | null;
  readonly entries: number;
  /** Entries that could not be read. */
  readonly lost: readonly LostRange[];
  /** Entries that could be read and hold no message. */
  readonly unsound: readonly number[];
  readonly marks: number;
  /** Some marks could not be read. */
  readonly marksLost: boolean;
  /** Other tables of which something was lost, in words. */
  readonly others: readonly string[];
}

/** Tables with a number as the first column of their key, after `name`; what they hold, in words. */
const BY_NUMBER = [
  { table: "entry", key: "seq", what: "entries" },
  { table: "said", key: "seq", what: "messages that others may refer to" },
  { table: "remote", key: "place", what: "ids of messages on the networks" },
  { table: "removed", key: "last", what: "counts of removed entries" },
  { table: "receipt", key: "seq", what: "receipts" },
  { table: "reaction", key: "seq", what: "reactions" },
  { table: "once", key: "id", what: "answers to repeated posts" },
] as const;
/** Rows written in one transaction. */
const STEP_ROWS = 5_000;

/** The folder in which a log is repaired, in the data folder. */
const WORKSHOP = ".repair";

/**
 * Makes a new log of all that can be read of a damaged one, and puts it in its place; the damaged one stays beside it
 * under another name. Throws a LogError: `locked` while a Rialto runs.
 */
export function repairLog(options: RepairOptions): Repaired {
  const { dataPath } = options;
  const file = logFile(dataPath);
  if (!existsSync(file)) throw new LogError("unwritable", `There is no log in ${dataPath}.`);
  const workshop = join(dataPath, WORKSHOP);
  rmSync(workshop, { recursive: true, force: true });
  let source: Database | null = null;
  try {
    const target = openTarget(workshop);
    try {
      source = openSource(file, workshop);
      const salvaged = copyAll(source, target, { ...options, workshop });
      if (salvaged.entries + salvaged.marks === 0) return { ...salvaged, keptAs: null };
      target.close();
      const keptAs = fileBeside(dataPath, "damaged", options.nowMs);
      replace(file, logFile(workshop), keptAs);
      // It is made anew from what the new log holds.
      removeIndex(dataPath);
      return { ...salvaged, keptAs };
    } finally {
      target.close();
    }
  } catch (error) {
    throw toError(openFailure(error, dataPath, file));
  } finally {
    source?.close();
    rmSync(workshop, { recursive: true, force: true });
  }
}

function openTarget(workshop: string): Database {
  const settings = { retentionDays: 0, retentionBytes: 0, messageIdDays: 0, test: {} };
  return openDatabase({ dataPath: workshop, durability: "process", ...settings });
}

/** The damaged log, or a copy of it with another first page when that one is what is damaged. */
function openSource(file: string, workshop: string): Database {
  const source = attempt(() => openToRead(file));
  if (source !== null) {
    const views = attempt(() => viewsIn(source)) ?? [];
    if (views.length > 0) {
      source.close();
      return openWithout(views, file, join(workshop, "tables.sqlite"));
    }
    if (attempt(() => source.prepare("SELECT 1 FROM entry LIMIT 1").get()) !== null) return source;
    source.close();
  }
  const copy = join(workshop, "copy.sqlite");
  withFirstPage(file, emptyFile(workshop), copy);
  return openToRead(copy);
}

/** A copy of a log without these views: reading a view runs what its author wrote, perhaps without end. */
function openWithout(views: readonly string[], file: string, copy: string): Database {
  copyWhole(file, copy);
  const db = new BetterSqlite3(copy, { fileMustExist: true });
  try {
    for (const view of views) db.exec(`DROP VIEW "${view.replaceAll('"', '""')}"`);
  } finally {
    db.close();
  }
  return openToRead(copy);
}

/** An empty log whose first page is in its file, not only in the write-ahead file. */
function emptyFile(workshop: string): string {
  const folder = join(workshop, "empty");
  openTarget(folder).close();
  return logFile(folder);
}

type Work = RepairOptions & { readonly workshop: string };

function copyAll(source: Database, target: Database, options: Work): Omit<Repaired, "keptAs"> {
  const others: string[] = [];
  if (copyNames(source, target)) others.push("names of rooms and accounts");
  let lost: readonly LostRange[] = [];
  const unsound: number[] = [];
  for (const { table, key, what } of BY_NUMBER) {
    // An older format does not have all of them.
    if (attempt(() => columnsOf(source, table))?.length === 0) continue;
    const columns = columnsIn(source, target, table);
    const payload = columns.indexOf("payload");
    const takes = (row: readonly unknown[]): boolean => {
      const sound = payload === -1 || (typeof row[payload] === "string" && options.isSound(row[payload]));
      if (!sound) unsound.push(Number(row[0]));
      return sound;
    };
    const of = attempt(() => source.prepare(`SELECT count(*) FROM ${table}`).pluck().get()) ?? null;
    const told = (done: number): void => options.progress(what, done, of === null ? null : Number(of));
    const ranges = copy(target, table, columns, salvageByNumber(source, { table, key, columns }), { takes, told });
    if (table === "entry")
      lost = copyLeaves(source, target, { ranges, isSound: options.isSound, columns, workshop: options.workshop });
    else if (ranges.length > 0) others.push(what);
  }
  const columns = columnsOf(target, "mark");
  const rows = salvageFromBothEnds(source, { table: "mark", key: "name", columns });
  const marksLost = copy(target, "mark", columns, rows, { takes: isMark, told: () => undefined });
  target.transaction(() => rebuildSubjectIndex(target))();
  raiseHead(source, target, lost.length > 0 || unsound.length > 0 || others.length > 0);
  const count = (table: string): number => Number(target.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return { entries: count("entry"), lost, unsound, marks: count("mark"), marksLost, others };
}

/** Entries that are whole, but below a page that is damaged. Returns what of the ranges is lost in spite of that. */
function copyLeaves(
  source: Database,
  target: Database,
  {
    ranges,
    isSound,
    columns,
    workshop,
  }: Pick<Work, "isSound" | "workshop"> & {
    readonly ranges: readonly LostRange[];
    readonly columns: readonly string[];
  },
): readonly LostRange[] {
  const leaves = ranges.length === 0 ? [] : leavesWithin(source.name, ranges);
  const rootOf = source.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'").pluck();
  const root = Number(attempt(() => rootOf.get()) ?? 0);
  if (leaves.length === 0 || root < 2) return ranges;
  const takes = ([, , , , , , payload]: readonly unknown[]): boolean => typeof payload === "string" && isSound(payload);
  const copyFile = join(workshop, "leaves.sqlite");
  withLeaves(source.name, copyFile, { root, leaves }, () => {
    const part = attempt(() => openToRead(copyFile));
    if (part === null) return;
    const rows = salvageByNumber(part, { table: "entry", key: "seq", columns });
    copy(target, "entry", columns, rows, { takes, told: () => undefined });
    part.close();
  });
  return ranges.flatMap((range) => gapsIn(target, range));
}

/** What the new log lacks of a range. */
function gapsIn(target: Database, { from, to }: LostRange): readonly LostRange[] {
  const seqs = target.prepare<[number, number], number>("SELECT seq FROM entry WHERE seq BETWEEN ? AND ? ORDER BY seq");
  const gaps: LostRange[] = [];
  // No entry has the number 0.
  let next = Math.max(1, from);
  for (const seq of seqs.pluck().iterate(from, to ?? FAR)) {
    if (seq > next) gaps.push({ from: next, to: seq - 1 });
    next = seq + 1;
  }
  return to === null || next <= to ? [...gaps, { from: next, to }] : gaps;
}

/** Names are in their table and in its index. True when some are lost. */
function copyNames(source: Database, target: Database): boolean {
  const columns = ["id", "text"];
  const told = { takes: () => true, told: () => undefined };
  const index = attempt(() =>
    source.prepare<[], unknown[]>("SELECT id, text FROM name INDEXED BY sqlite_autoindex_name_1").raw().all(),
  );
  copy(target, "name", columns, (index ?? []).values(), told);
  const lost = copy(target, "name", columns, salvageByNumber(source, { table: "name", key: "id", columns }), told);
  return index === null && lost.length > 0;
}

/** Marks that Rialto has written are a word, a number or JSON of one line. */
function isMark([name, value]: readonly unknown[]): boolean {
  if (typeof name !== "string" || typeof value !== "string" || name === "") return false;
  if (!/^(?:lane|intent|summary|sources)\//u.test(name) || value === "") return true;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function columnsOf(db: Database, table: string): readonly string[] {
  return db.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
}

/** Those of today that the source has, too: an older format has fewer. */
function columnsIn(source: Database, target: Database, table: string): readonly string[] {
  const there = attempt(() => columnsOf(source, table)) ?? [];
  const columns = columnsOf(target, table);
  const both = columns.filter((column) => there.includes(column));
  return both.length === 0 ? columns : both;
}

/** Copies rows, in transactions; a row that does not fit into the table is left out. Returns what the rows return. */
function copy<T>(
  target: Database,
  table: string,
  columns: readonly string[],
  rows: Iterator<readonly unknown[], T, undefined>,
  { takes, told }: { readonly takes: (row: readonly unknown[]) => boolean; readonly told: (done: number) => void },
): T {
  const places = columns.map(() => "?").join(", ");
  const insert = target.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
  let done = 0;
  const step = target.transaction((): T | null => {
    for (let count = 0; count < STEP_ROWS; count += 1) {
      const next = rows.next();
      if (next.done === true) return next.value;
      done += 1;
      if (takes(next.value)) put(() => insert.run(...next.value));
    }
    return null;
  });
  for (;;) {
    const result = step();
    told(done);
    if (result !== null) return result;
  }
}

function put(run: () => void): void {
  try {
    run();
  } catch (error) {
    // What a table of ours does not take was never in it.
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CONSTRAINT"))) throw error;
  }
}

/**
 * The new log must not give a seq again that the old one has given: readers that are ahead would pass over it. Where
 * entries are lost, the head goes further than any entry that the file can have held.
 */
function raiseHead(source: Database, target: Database, isLossy: boolean): void {
  const seen = (db: Database, sql: string): number => Number(attempt(() => db.prepare(sql).pluck().get()) ?? 0);
  const high = seen(source, "SELECT seq FROM high");
  const known = Math.max(
    high,
    // Where nothing else says how far it was, the readers do.
    ...(high === 0 ? positionsIn(target) : []),
    seen(source, "SELECT max(seq) FROM subject_index"),
    // Up to format 3.
    seen(source, "SELECT max(seq) FROM entry INDEXED BY entry_subject"),
    ...["entry", "said", "receipt", "remote", "reaction"].map((table) =>
      seen(target, `SELECT coalesce(max(seq), 0) FROM ${table}`),
    ),
  );
  const pages = seen(source, "PRAGMA page_count");
  const bytes = Math.max(statSync(source.name).size, pages * 4096);
  target.prepare("UPDATE high SET seq = ?").run(known + (isLossy ? Math.ceil(bytes / SMALLEST_ENTRY) : 0));
}

/** Seqs in the marks of lanes and readers. */
function positionsIn(target: Database): readonly number[] {
  const values = target.prepare<[], string>("SELECT value FROM mark").pluck().all();
  const seqs = values.map((value) => Number(/^(?:\{"after":)?(\d{1,15})\b/u.exec(value)?.[1] ?? 0));
  return seqs.filter((seq) => seq < FAR);
}

/** Bytes that an entry takes at least in the file. */
const SMALLEST_ENTRY = 16;

/** The data folder has a log at every moment. */
function replace(file: string, by: string, keptAs: string): void {
  const { uid, gid } = statSync(file);
  // Whoever repairs it, the one who runs Rialto has to read it.
  if (process.geteuid?.() === 0) chownSync(by, uid, gid);
  try {
    linkSync(file, keptAs);
  } catch {
    // Not every file system has links.
    copyFileSync(file, keptAs);
  }
  // Before the new file comes: it would be read as a part of that one.
  const waiting = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (waiting !== undefined && waiting.size > 0) renameSync(`${file}-wal`, `${keptAs}-wal`);
  rmSync(`${file}-wal`, { force: true });
  rmSync(`${file}-shm`, { force: true });
  renameSync(by, file);
  syncFolder(join(file, ".."));
}
