import type { Database } from "better-sqlite3";
import type { GuestRules } from "../../../contract/guests.ts";
import type { StoredUpload } from "./rows.ts";
import { Statements } from "./statements.ts";

const REPORTS_MAX = 500;

export interface StoredReport {
  readonly id: string;
  readonly room: string;
  /** Who reports. */
  readonly guest: string;
  readonly name: string;
  readonly message: string;
  readonly why: string;
  readonly atMs: number;
}

interface UploadRow extends Omit<StoredUpload, "atMs"> {
  readonly at: number;
}

/**
 * Files, reports and what operators have set for a room. All calls are to be made within a
 * transaction, or only read.
 */
export class ChatRecords {
  readonly #sql: Statements;

  constructor(db: Database) {
    this.#sql = new Statements(db);
  }

  addFile({ id, room, guest, message, name, mime, bytes, atMs }: StoredUpload): void {
    this.#sql.run(
      "INSERT OR IGNORE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id,
      room,
      guest,
      message,
      name,
      mime,
      bytes,
      atMs,
    );
  }

  file(id: string): StoredUpload | null {
    const [row] = this.#files("SELECT * FROM files WHERE id = ?", id);
    return row ?? null;
  }

  /** It belongs to a message from now on. */
  useFile(id: string, message: string): void {
    this.#sql.run("UPDATE files SET message = ? WHERE id = ?", message, id);
  }

  filesOf(message: string): readonly StoredUpload[] {
    return this.#files("SELECT * FROM files WHERE message = ?", message);
  }

  /** Uploads of a guest that no message has yet. */
  unused(guest: string): readonly StoredUpload[] {
    return this.#files("SELECT * FROM files WHERE guest = ? AND message = ''", guest);
  }

  removeFile(id: string): void {
    this.#sql.run("DELETE FROM files WHERE id = ?", id);
  }

  /** The oldest that are too old or too much. */
  filesToGo(keptAfterMs: number, unusedAfterMs: number, bytesMax: number): readonly StoredUpload[] {
    const old = this.#files(
      "SELECT * FROM files WHERE at < ? OR (message = '' AND at < ?)",
      keptAfterMs,
      unusedAfterMs,
    );
    const gone = new Set(old.map(({ id }) => id));
    let bytes = this.bytes - old.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= bytesMax) return old;
    const more = this.#files("SELECT * FROM files ORDER BY at LIMIT 1000").filter((file) => {
      if (gone.has(file.id) || bytes <= bytesMax) return false;
      bytes -= file.bytes;
      return true;
    });
    return [...old, ...more];
  }

  get bytes(): number {
    const [row] = rowsOf<{ bytes: number | null }>(this.#sql.all("SELECT sum(bytes) AS bytes FROM files"));
    return row?.bytes ?? 0;
  }

  addReport({ id, room, guest, name, message, why, atMs }: StoredReport): void {
    this.#sql.run("INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)", id, room, guest, name, message, why, atMs);
    this.#sql.run(`DELETE FROM reports WHERE id NOT IN (SELECT id FROM reports ORDER BY at DESC LIMIT ${REPORTS_MAX})`);
  }

  reports(): readonly StoredReport[] {
    return rowsOf<StoredReport>(
      this.#sql.all("SELECT id, room, guest, name, message, why, at AS atMs FROM reports ORDER BY at DESC"),
    );
  }

  removeReport(id: string): boolean {
    return this.#sql.run("DELETE FROM reports WHERE id = ?", id) > 0;
  }

  rules(room: string): Partial<GuestRules> {
    const [row] = rowsOf<{ rules: string }>(this.#sql.all("SELECT rules FROM rules WHERE room = ?", room));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `setRules` writes them
    return row === undefined ? {} : (JSON.parse(row.rules) as Partial<GuestRules>);
  }

  setRules(room: string, rules: Partial<GuestRules>): void {
    this.#sql.run(
      "INSERT INTO rules VALUES (?, ?) ON CONFLICT DO UPDATE SET rules = excluded.rules",
      room,
      JSON.stringify(rules),
    );
  }

  /** Empty: the room has none. */
  topic(room: string): string {
    const [row] = rowsOf<{ topic: string }>(this.#sql.all("SELECT topic FROM topics WHERE room = ?", room));
    return row?.topic ?? "";
  }

  setTopic(room: string, topic: string): void {
    const text = "INSERT INTO topics VALUES (?, ?) ON CONFLICT DO UPDATE SET topic = excluded.topic";
    this.#sql.run(text, room, topic);
  }

  #files(text: string, ...values: readonly unknown[]): readonly StoredUpload[] {
    return rowsOf<UploadRow>(this.#sql.all(text, ...values)).map(uploadOf);
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters, typescript/no-unsafe-type-assertion -- the columns are named in each statement
const rowsOf = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];

const uploadOf = ({ at, ...row }: UploadRow): StoredUpload => ({ ...row, atMs: at });
