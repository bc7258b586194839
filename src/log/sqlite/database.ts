import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { makeDurableFolder, syncFolder } from "../../lib/make-folder.ts";
import { damagedFile, toError } from "./failure.ts";
import { inspect, migrate } from "./migrations.ts";
import type { WorkerOptions } from "./protocol.ts";

/** How long to wait for another process to let go of the log, in ms: a restart may overlap with the old one's end. */
const LOCK_WAIT = 1000;
/** A write-ahead file that grew beyond this is cut back when it starts over, in bytes. */
const WAL_LIMIT = 64 * 1024 * 1024;
/** Pages that SQLite keeps in memory, in KiB: 16 MiB if nothing is said. The system keeps those of the file anyway. */
const CACHE_KIB = 4 * 1024;

/** What Rialto puts into the data folder once the log has been opened. */
const FILES = "files";

/** The log's file in its data folder. */
export function logFile(dataPath: string): string {
  return join(dataPath, "log.sqlite");
}

/**
 * Opens the log for this process alone, at today's format; makes the folder and the file when they are missing.
 * Throws what the file system or SQLite throw, or a LogError `format`.
 */
export function openDatabase(options: WorkerOptions): Database {
  const file = logFile(options.dataPath);
  prepareFiles(options.dataPath, file, options.stream !== undefined);
  const db = new BetterSqlite3(file, { fileMustExist: true, timeout: LOCK_WAIT });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    // Before anything is written: a file that is not ours stays as it is.
    if (inspect(db, file) === "empty") db.pragma("auto_vacuum = INCREMENTAL");
    db.pragma("journal_mode = WAL");
    db.pragma(`synchronous = ${options.durability === "power" ? "FULL" : "NORMAL"}`);
    db.pragma(`journal_size_limit = ${WAL_LIMIT}`);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    if (options.test.maxPages !== undefined) db.pragma(`max_page_count = ${options.test.maxPages}`);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Folder 0700, files 0600. SQLite gives its side files the mode of the main one. An existing file is never opened
 * here: closing it would drop the locks that SQLite holds for this process. `isReplica`: all that it had comes again.
 */
function prepareFiles(folder: string, file: string, isReplica: boolean): void {
  makeDurableFolder(folder, 0o700);
  if (!existsSync(file)) {
    closeSync(openSync(file, "a", 0o600));
    syncFolder(folder);
  }
  if (!isReplica && statSync(file).size === 0 && existsSync(join(folder, FILES))) {
    throw toError(damagedFile(file, "it is empty, although this data folder has been used before"));
  }
  chmodSync(file, 0o600);
}
