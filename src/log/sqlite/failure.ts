import { existsSync } from "node:fs";
import { obstacleTo } from "../../lib/make-folder.ts";
import { LogError } from "../errors.ts";
import type { LogFailure } from "./committed.ts";

/** A failure on its way between the threads, as an Error. */
export function toError(failure: LogFailure): LogError {
  return new LogError(failure.code, failure.message);
}

export function closedError(): LogError {
  return new LogError("closed", "The log is closed: Rialto is stopping.");
}

/** What an error of the file system or of SQLite while reading or writing means; `file` is the log's path. */
export function runtimeFailure(error: unknown, file: string): LogFailure {
  if (error instanceof LogError) return { code: error.code, message: error.message };
  const code = errorCode(error);
  const reason = reasonOf(error);
  if (code === "SQLITE_FULL" || code === "ENOSPC") return diskFull(file, reason);
  if (isDamage(code)) return damagedFile(file, reason);
  return {
    code: "io",
    message: `The log ${file} cannot be read or written: ${reason}. Check the disk; Rialto keeps trying.`,
  };
}

/** The same for opening, where more can be wrong that the operator has to fix. */
export function openFailure(error: unknown, folder: string, file: string): LogFailure {
  if (error instanceof LogError) return { code: error.code, message: error.message };
  const code = errorCode(error);
  const reason = reasonOf(error);
  if (code.startsWith("SQLITE_BUSY")) {
    return {
      code: "locked",
      message: `Another process holds the log in ${folder}. Stop that one first, or give this one its own folder (DataPath in [general]).`,
    };
  }
  if (isDamage(code)) return damagedFile(file, reason);
  if (code === "SQLITE_FULL" || code === "ENOSPC") return diskFull(file, reason);
  if (isPermission(code)) {
    const obstacle = obstacleTo(folder);
    const make = existsSync(folder) ? "Let this user write there" : "Create it and let this user write there";
    const remedy = obstacle === null ? `${make}, or choose another folder` : "Choose another folder";
    return {
      code: "unwritable",
      message: `The data folder ${folder} cannot be written: ${obstacle ?? reason}. ${remedy} with DataPath in [general].`,
    };
  }
  return { code: "io", message: `The log ${file} cannot be opened: ${reason}.` };
}

function diskFull(file: string, reason: string): LogFailure {
  return {
    code: "disk_full",
    message: `No room on the disk for the log ${file}: ${reason}. Free some space; messages are refused until then.`,
  };
}

/** A replica has nothing that the servers do not have, and what can be read of it would not be what the others have. */
export const OF_SEVERAL = "move the file away, and the next start begins with what the servers have";

/** What to do about a file that SQLite cannot read as its own. */
export function damagedFile(file: string, reason: string): LogFailure {
  return {
    code: "damaged",
    message: `The log ${file} is damaged: ${reason}. Stop Rialto. Of one machine: "rialto log check" says what is damaged, and "rialto log repair" makes a new log from everything that can be read, and keeps this file beside it; to start with an empty log instead, move the file away. Of several machines: ${OF_SEVERAL}.`,
  };
}

function isDamage(code: string): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

/** The refusal while free space is below the floor. */
export function belowFloor(file: string, free: number, floor: number): LogFailure {
  return diskFull(file, `${mebibytes(free)} MiB are free, ${mebibytes(floor)} MiB are kept in reserve`);
}

export function newerFormat(file: string, found: number, known: number): LogError {
  return new LogError(
    "format",
    `The log ${file} was written by a newer Rialto (format ${found}, this one knows up to ${known}). Start that version again, or move the file away to start with an empty log.`,
  );
}

export function foreignFile(file: string): LogError {
  return new LogError(
    "format",
    `${file} is a database, but not a log of Rialto. Move it away, or choose another DataPath in [general].`,
  );
}

function isPermission(code: string): boolean {
  const unwritable = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "EISDIR", "ENOENT", "ELOOP", "ENAMETOOLONG"];
  return unwritable.includes(code) || /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code);
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** SQLite's own words are terse: its code says more. Neither holds data. */
function reasonOf(error: unknown): string {
  const code = errorCode(error);
  const text = error instanceof Error ? error.message : String(error);
  return code === "" || text.includes(code) ? text : `${text} (${code})`;
}

function mebibytes(bytes: number): string {
  return (bytes / 1048576).toFixed(1);
}
