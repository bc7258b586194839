import { createHash, randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { describe } from "../../lib/describe.ts";
import { makeDurableFolder, syncFolder } from "../../lib/make-folder.ts";
import { LogError } from "../errors.ts";
import type { Seq } from "../log.ts";
import { type CopiedState, streamIn } from "./copied.ts";
import { logFile } from "./database.ts";
import { openFailure, toError } from "./failure.ts";
import { kindOf, migrate, schemaFlaws } from "./migrations.ts";
import { leaveStream } from "./replica.ts";
import { openToRead } from "./salvage.ts";
import { checkDatabase, type CheckOptions, copyTo } from "./upkeep.ts";

/** Bytes between two words on how far a checksum is. */
const HASH_STEP = 64 * 1024 * 1024;

/** What a moved log holds. */
export interface MovedLog {
  readonly entries: number;
  readonly marks: number;
  /** The highest seq that was ever given. */
  readonly head: Seq;
  readonly bytes: number;
  /** Of the exported file, in hex. */
  readonly sha256: string;
}

type MoveOptions = Pick<CheckOptions, "isSound" | "progress">;
type Copied = Omit<MovedLog, "sha256"> & { readonly from: CopiedState };

/**
 * Copies the log of a data folder that nobody has open to a file that must not exist: whole, checked, in today's
 * format, and of no stream. `from`: of which it was. Rejects with a LogError: `locked`, `damaged`, `disk_full`,
 * `unwritable`, `format` or `io`; the file is not there then.
 */
export async function exportLog(
  dataPath: string,
  to: string,
  options: MoveOptions,
): Promise<MovedLog & { readonly from: CopiedState }> {
  const file = logFile(dataPath);
  if (!existsSync(file)) throw new LogError("unwritable", `There is no log in ${dataPath}.`);
  if (existsSync(to)) throw taken(to);
  const copied = await copyLog(file, to, options, (error) => exportFailure(error, dataPath, to));
  return { ...copied, sha256: await hashOf(to, options) };
}

/** Makes an exported file, or a backup, the log of a data folder that has none. Rejects as `exportLog` does. */
export async function importLog(dataPath: string, from: string, options: MoveOptions): Promise<MovedLog> {
  const file = logFile(dataPath);
  assertNoLog(dataPath);
  const sha256 = await hashOf(from, options);
  const { entries, marks, head, bytes } = await copyToImport(from, file, options);
  return { entries, marks, head, bytes, sha256 };
}

/** Copies an exported file, or a backup, to be changed; `to` must not exist. Rejects as `exportLog` does. */
export async function copyToImport(from: string, to: string, options: MoveOptions): Promise<Copied> {
  try {
    makeDurableFolder(dirname(to), 0o700);
  } catch (error) {
    throw importFailure(error, from, to);
  }
  return await copyLog(from, to, options, (error) => importFailure(error, from, to));
}

/** Throws a LogError when something of a log is in the folder that another log would take the place of. */
export function assertNoLog(dataPath: string): void {
  for (const side of ["", "-wal"]) {
    const found = statSync(logFile(dataPath) + side, { throwIfNoEntry: false });
    if (found === undefined || (side !== "" && found.size === 0)) continue;
    throw new LogError(
      "unwritable",
      `The data folder ${dataPath} has a log already (${basename(logFile(dataPath))}${side}), and an import changes none. Stop Rialto there, and move that file away if everything in it is in the one to be imported, or choose another folder.`,
    );
  }
}

/** SHA-256 of a file, in hex. Rejects with a LogError when it cannot be read, or is not all of a log. */
export async function hashOf(file: string, { progress }: Pick<MoveOptions, "progress">): Promise<string> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new LogError("unwritable", `There is no file ${file}.`);
  if (!found.isFile()) throw new LogError("unwritable", `${file} is not a file.`);
  // The newest of such a log is there.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new LogError(
      "format",
      `${file} is a log in use, or was: part of it is in ${file}-wal. Import what "rialto log export" makes of it.`,
    );
  }
  const hash = createHash("sha256");
  let [done, told] = [0, 0];
  try {
    const parts: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 1024 * 1024 });
    for await (const part of parts) {
      hash.update(part);
      done += part.length;
      if (done - told < HASH_STEP) continue;
      told = done;
      progress("checksum, bytes", done, found.size);
    }
  } catch (error) {
    throw new LogError("io", `${file} cannot be read: ${describe(error)}.`);
  }
  return hash.digest("hex");
}

/** Of a file that is not finished: a name of its own, for nobody else to write into it. */
export const halfOf = (file: string): string => `${file}.half-${randomUUID().slice(0, 8)}`;

/** Removes what a kill has left. */
export function clearHalves(file: string): void {
  const folder = dirname(file);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith(`${basename(file)}.half-`)) rmSync(join(folder, name), { force: true });
  }
}

async function copyLog(
  from: string,
  to: string,
  options: MoveOptions,
  failure: (error: unknown) => LogError,
): Promise<Copied> {
  const copy = halfOf(to);
  let source: Database | null = null;
  try {
    clearHalves(to);
    assertSpace(from, to);
    source = openToRead(from);
    assertLog(source, from);
    await copyTo(source, copy, (done, of) => options.progress("pages copied", done, of));
    const copied = setFree(copy, options);
    place(copy, to);
    return { ...copied, bytes: statSync(to).size };
  } catch (error) {
    throw failure(error);
  } finally {
    source?.close();
    for (const side of ["", "-wal", "-journal"]) rmSync(copy + side, { force: true });
  }
}

/** Brings a copy to today's format, takes it out of its stream, and checks all of it. Throws what SQLite throws. */
function setFree(copy: string, options: MoveOptions): Omit<Copied, "bytes"> {
  const db = new BetterSqlite3(copy, { fileMustExist: true });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    // One file, for whoever carries it: nothing of it waits beside it.
    db.pragma("journal_mode = DELETE");
    migrate(db);
    const from = streamIn(db);
    db.transaction(() => leaveStream(db))();
    const { entries, marks, findings } = checkDatabase(db, options);
    const [first] = findings;
    if (first !== undefined) throw new Findings(first);
    const sql = "SELECT max((SELECT seq FROM high), coalesce((SELECT max(seq) FROM entry), 0))";
    return { entries, marks, from, head: Number(db.prepare(sql).pluck().get()) };
  } finally {
    db.close();
    syncFile(copy);
  }
}

/** Gives a file its name, and takes it from no other. */
function place(copy: string, to: string): void {
  const folder = dirname(to);
  // Whoever does it, the one who runs Rialto has to read it.
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() === 0) chownSync(copy, uid, gid);
  try {
    linkSync(copy, to);
  } catch {
    // It is there meanwhile, or the file system has no links.
    if (existsSync(to)) throw taken(to);
    renameSync(copy, to);
  }
  syncFolder(folder);
}

function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function assertSpace(from: string, to: string): void {
  const { bavail, bsize } = statfsSync(dirname(to));
  const needed = statSync(from).size;
  if (bavail * bsize >= needed) return;
  const [wanted, free] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 1024 ** 2));
  throw noRoom(to, `it takes ${wanted} MiB, and ${free} MiB are free`);
}

function assertLog(db: Database, file: string): void {
  const kind = kindOf(db);
  if (kind === "ours") {
    // Before anything in it can act on the copy.
    const [flaw] = schemaFlaws(db);
    if (flaw !== undefined) throw new StrangeLog(flaw);
    return;
  }
  const why = {
    empty: "is empty, and no log",
    foreign: "is a database, but not a log of Rialto",
    newer: "was written by a newer Rialto: use that version, or a newer one",
  };
  throw new LogError("format", `${file} ${why[kind]}.`);
}

/** What is wrong with a copy, in words. */
class Findings extends Error {
  override readonly name = "Findings";
}

/** What a file lacks of a log, or has beside it, in words. */
class StrangeLog extends Findings {}

function exportFailure(error: unknown, dataPath: string, to: string): LogError {
  const file = logFile(dataPath);
  if (error instanceof Findings) {
    return new LogError(
      "damaged",
      `The log ${file} is damaged, and was not exported: ${error.message}. "rialto log check" says what is damaged. Of one machine, "rialto log repair" keeps what can be read; of several, export on another one.`,
    );
  }
  return writeFailure(error, file, to) ?? toError(openFailure(error, dataPath, file));
}

function importFailure(error: unknown, from: string, to: string): LogError {
  const code = codeOf(error);
  if (code === "SQLITE_NOTADB") return new LogError("format", `${from} is no log: it is not an SQLite file.`);
  if (error instanceof StrangeLog) {
    return new LogError(
      "format",
      `${from} is not as Rialto writes a log, and was not imported: ${error.message}. Import what "rialto log export" makes. Or put the file into a data folder of its own as log.sqlite: there, "rialto log repair" makes a log from everything that can be read.`,
    );
  }
  if (error instanceof Findings || /^SQLITE_(?:CORRUPT|IOERR_SHORT_READ)/.test(code)) {
    return new LogError(
      "damaged",
      `${from} is damaged, and was not imported: ${describe(error)}. Copy it again, and compare its SHA-256 with what "rialto log export" said.`,
    );
  }
  if (code.startsWith("SQLITE_BUSY")) {
    return new LogError("locked", `Another process has ${from} open. Import what "rialto log export" makes of it.`);
  }
  return writeFailure(error, from, to) ?? new LogError("io", `${from} cannot be read: ${describe(error)}.`);
}

/** Null: it is not about the file that was to be written, or not of it alone. */
function writeFailure(error: unknown, from: string, to: string): LogError | null {
  if (error instanceof LogError) return error;
  const code = codeOf(error);
  const reason = describe(error);
  if (["SQLITE_FULL", "ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return noRoom(to, reason);
  if (/^E[A-Z]+$/.test(code)) return new LogError("unwritable", `${to} cannot be written: ${reason}.`);
  // SQLite does not say which of the two.
  if (!code.startsWith("SQLITE_IOERR")) return null;
  return new LogError(
    "io",
    `${from} cannot be copied to ${to}: ${reason}. Nothing was left there; check both disks, and the room on the second.`,
  );
}

function noRoom(to: string, reason: string): LogError {
  return new LogError(
    "disk_full",
    `There is no room for ${to}: ${reason}. Nothing of it was left there; free some space, or choose another disk.`,
  );
}

const taken = (to: string): LogError => new LogError("unwritable", `${to} already exists.`);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
