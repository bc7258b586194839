import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { LogError } from "../errors.ts";
import { logFile } from "./database.ts";
import { openFailure, toError } from "./failure.ts";
import { refuseNewer, schemaFlaws, viewsIn } from "./migrations.ts";
import { attempt, openToRead } from "./salvage.ts";

/** Most findings of one kind that are told. */
const FINDINGS_MAX = 20;
/** Pages that one step of a backup copies. */
const STEP_PAGES = 1024;

/** How far it is, to be shown to who waits. */
export type ReportProgress = (what: string, done: number, of: number | null) => void;

export interface Checked {
  readonly entries: number;
  readonly marks: number;
  /** What is damaged, in words; none: nothing. */
  readonly findings: readonly string[];
}

export interface CheckOptions {
  readonly dataPath: string;
  readonly isSound: (payload: string) => boolean;
  readonly progress: ReportProgress;
}

/** A name beside the log that no file has. */
export function fileBeside(dataPath: string, what: "backup" | "damaged", nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const name = `${logFile(dataPath)}.${what}-${time}`;
  let free = name;
  for (let count = 2; existsSync(free); count += 1) free = `${name}-${count}`;
  return free;
}

/**
 * Reads all of a log that no Rialto has open, and changes nothing. Throws a LogError: `locked`, `unwritable`, `io`, or
 * `format` for the log of a newer version.
 */
export function checkLog({ dataPath, ...options }: CheckOptions): Checked {
  return reading(dataPath, (db) => {
    refuseNewer(db, logFile(dataPath));
    return checkDatabase(db, options);
  });
}

/** The same of a log that is open here. */
export function checkDatabase(db: Database, { isSound, progress }: Omit<CheckOptions, "dataPath">): Checked {
  const findings: string[] = [];
  progress("structure", 0, null);
  const words = attempt(() => db.prepare<[], string>(`PRAGMA integrity_check(${FINDINGS_MAX})`).pluck().all());
  const structure = (words ?? ["the structure cannot be read"]).flatMap((text) => text.trim().split("\n"));
  findings.push(...structure.filter((word) => word !== "ok" && !word.startsWith("***")).slice(0, FINDINGS_MAX));
  findings.push(...(attempt(() => schemaFlaws(db)) ?? []));
  // Reading a view runs what its author wrote, perhaps without end.
  if ((attempt(() => viewsIn(db)) ?? []).length > 0) return { entries: 0, marks: 0, findings };
  findings.push(...strangers(db), ...unindexed(db));
  const unsound: number[] = [];
  const count = (table: string): number =>
    Number(attempt(() => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()) ?? 0);
  const entries = count("entry");
  let done = 0;
  let last = 0;
  const whole = attempt(() => {
    for (const [seq, payload] of db.prepare<[], [number, unknown]>("SELECT seq, payload FROM entry").raw().iterate()) {
      if (!(typeof payload === "string" && isSound(payload))) unsound.push(seq);
      last = seq;
      done += 1;
      if (done % 5_000 === 0) progress("entries", done, entries);
    }
    return true;
  });
  if (whole === null) findings.push(`the entries after no. ${last} cannot all be read`);
  if (unsound.length > 0) {
    const first = unsound.slice(0, FINDINGS_MAX).join(", ");
    const what = unsound.length === 1 ? "1 entry holds" : `${unsound.length} entries hold`;
    findings.push(`${what} no message: no. ${first}${unsound.length > FINDINGS_MAX ? ", …" : ""}`);
  }
  return { entries, marks: count("mark"), findings };
}

/** Numbers that name a room, an account or a lane that is not there. */
function strangers(db: Database): readonly string[] {
  const places = [
    ["entry", "subject"],
    ["receipt", "lane"],
    ["said", "place"],
    ["remote", "place"],
  ];
  return places.flatMap(([table, column]) => {
    const sql = `SELECT count(*) FROM ${table} WHERE ${column} NOT IN (SELECT id FROM name)`;
    const count = Number(attempt(() => db.prepare(sql).pluck().get()) ?? 0);
    return count === 0 ? [] : [`${count} rows of the table ${table} belong to a ${column} that has no name`];
  });
}

/** The index of subjects is a table of ours, so SQLite does not compare it with the entries. */
function unindexed(db: Database): readonly string[] {
  const missing = `SELECT count(*) FROM entry WHERE seq <= (SELECT seq FROM subject_indexed)
    AND NOT EXISTS (SELECT 1 FROM subject_index AS i WHERE i.subject = entry.subject AND i.seq = entry.seq)`;
  const surplus = `SELECT count(*) FROM subject_index AS i
    WHERE NOT EXISTS (SELECT 1 FROM entry WHERE entry.seq = i.seq AND entry.subject = i.subject)`;
  // A log of an older format has another index, which SQLite has checked.
  const [lacks, has] = [missing, surplus].map((sql) => Number(attempt(() => db.prepare(sql).pluck().get()) ?? 0));
  return lacks === 0 && has === 0
    ? []
    : [`the index of rooms lacks ${lacks} entries, and has ${has} that are not there`];
}

/** Copies a log that no Rialto has open. Rejects with a LogError. */
export async function backupLog(dataPath: string, to: string, progress: ReportProgress): Promise<void> {
  const db = open(dataPath);
  try {
    await copyTo(db, to, (done, of) => progress("pages", done, of));
  } catch (error) {
    throw toError(openFailure(error, dataPath, to));
  } finally {
    db.close();
  }
}

/**
 * Copies an open log, in steps between which other work may run; `step` may throw to give up. The file is there when it
 * is whole.
 */
export async function copyTo(db: Database, to: string, step: (done: number, of: number) => void): Promise<void> {
  const part = `${to}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, "wx", 0o600));
    await db.backup(part, {
      progress: ({ totalPages, remainingPages }) => {
        step(totalPages - remainingPages, totalPages);
        return STEP_PAGES;
      },
    });
    renameSync(part, to);
  } finally {
    // On a full disk SQLite leaves its journal.
    for (const side of ["", "-journal"]) rmSync(part + side, { force: true });
  }
}

function reading<T>(dataPath: string, work: (db: Database) => T): T {
  const db = open(dataPath);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function open(dataPath: string): Database {
  const file = logFile(dataPath);
  if (!existsSync(file)) throw new LogError("unwritable", `There is no log in ${dataPath}.`);
  try {
    return openToRead(file);
  } catch (error) {
    throw toError(openFailure(error, dataPath, file));
  }
}
