import { copyFileSync, closeSync, existsSync, openSync, readSync, statSync, truncateSync, writeSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import type { Seq } from "../log.ts";

/** A row as its columns are. */
type Row = readonly unknown[];

/** Seqs, both included, that could not be read; `to` null: and all after. */
export interface LostRange {
  readonly from: Seq;
  readonly to: Seq | null;
}

/** A place after which no row of ours is. */
export const FAR = 2 ** 52;
const PAGE = 4096;
/** Where the first page holds the number of pages. */
const PAGE_COUNT_AT = 28;
/** Where it says which is the first page that lists free ones, and how many those are. */
const FREE_AT = 32;

/** Opens a log to read it, and only that. Throws what SQLite throws: SQLITE_BUSY while a Rialto has it open. */
export function openToRead(file: string): Database {
  const db = new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    db.pragma("cell_size_check = ON");
    // From here on nobody else can open it for writing alone.
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A copy of a file whose first page cannot be read, with the first page of an empty log in its place: the tables of all
 * logs begin at the same pages. Copies what waits in the write-ahead file as well.
 */
export function withFirstPage(file: string, empty: string, copy: string): void {
  copyWhole(file, copy);
  // A file that was cut short has to have room for the tables at least.
  truncateSync(copy, Math.max(statSync(copy).size, statSync(empty).size));
  const page = Buffer.alloc(PAGE);
  const from = openSync(empty, "r");
  readSync(from, page, 0, PAGE, 0);
  closeSync(from);
  page.writeUInt32BE(Math.max(1, Math.ceil(statSync(copy).size / PAGE)), PAGE_COUNT_AT);
  // Which pages are free is not known: those of the empty log hold entries here.
  page.fill(0, FREE_AT, FREE_AT + 8);
  const to = openSync(copy, "r+");
  writeSync(to, page, 0, PAGE, 0);
  closeSync(to);
}

/** With what waits in the write-ahead file. */
export function copyWhole(file: string, copy: string): void {
  copyFileSync(file, copy);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
}

interface Numbered {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** Only what has a higher number. */
  readonly after?: Seq;
}

/**
 * Reads a table with a number as its first key column, in the order of its key, and goes on after the pages that cannot
 * be read. What is lost is told by ranges of that number.
 */
export function* salvageByNumber(
  db: Database,
  { table, key, columns, after = -1 }: Numbered,
): Generator<Row, readonly LostRange[], undefined> {
  const from = `SELECT ${columns.join(", ")} FROM ${table} NOT INDEXED WHERE ${key} >= ? ORDER BY ${key}`;
  const rows = attempt(() => db.prepare<[number], Row>(from).raw());
  if (rows === null) return [{ from: 0, to: null }];
  const probe = db.prepare<[number], Row>(`${from} LIMIT 1`).raw();
  const at = columns.indexOf(key);
  const lost: LostRange[] = [];
  let next = after + 1;
  for (;;) {
    let broken = false;
    const iterator = rows.iterate(next);
    for (;;) {
      const step = attempt(() => iterator.next());
      broken = step === null;
      if (step === null || step.done === true) break;
      const number = Number(step.value[at]);
      // A page that something else was written into may be in no order.
      if (!(number >= next) || number >= FAR) continue;
      next = number;
      yield step.value;
    }
    if (!broken) return lost;
    const first = next + (next === after + 1 ? 0 : 1);
    const readable = firstReadable(first, (start) => attempt(() => probe.all(start)));
    lost.push({ from: first, to: readable === null ? null : readable - 1 });
    if (readable === null) return lost;
    next = readable;
  }
}

/** The lowest number from which rows can be read again; null: none. */
function firstReadable(first: number, read: (start: number) => readonly Row[] | null): number | null {
  let bad = first;
  let good: number | null = null;
  for (let step = 1; good === null && first + step < FAR; step *= 2) {
    const rows = read(first + step);
    if (rows === null) bad = first + step;
    else if (rows.length === 0) return null;
    else good = first + step;
  }
  if (good === null) return null;
  while (good - bad > 1) {
    const middle: number = Math.floor((bad + good) / 2);
    if (read(middle) === null) bad = middle;
    else good = middle;
  }
  return good;
}

/** Reads a small table from both ends; true at the end when something between could not be read. */
export function* salvageFromBothEnds(
  db: Database,
  { table, key, columns }: { readonly table: string; readonly key: string; readonly columns: readonly string[] },
): Generator<Row, boolean, undefined> {
  for (const order of ["ASC", "DESC"]) {
    const sql = `SELECT ${columns.join(", ")} FROM ${table} ORDER BY ${key} ${order}`;
    const rows = attempt(() => db.prepare<[], Row>(sql).raw().iterate());
    if (rows === null) return true;
    for (;;) {
      const step = attempt(() => rows.next());
      if (step === null) break;
      if (step.done === true) return false;
      yield step.value;
    }
  }
  return true;
}

/** Null where the file is damaged; throws all other errors. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (/^SQLITE_(?:CORRUPT|NOTADB|IOERR|ERROR|FORMAT)/.test(code)) return null;
    throw error;
  }
}
