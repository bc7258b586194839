import type { Database } from "better-sqlite3";
import { inspect } from "./migrations.ts";
import { openToRead } from "./salvage.ts";
import type { StreamState } from "./stream-place.ts";

/** How far the stream was applied in a log that was copied, and which stream. */
export interface CopiedState extends Pick<StreamState, "applied" | "resume"> {
  /** Null: none. */
  readonly stream: string | null;
}

/** Reads it from the copy itself. Throws what SQLite throws, or a LogError `format`. */
export function stateOfCopy(file: string): CopiedState {
  const db = openToRead(file);
  try {
    inspect(db, file);
    return streamIn(db);
  } finally {
    db.close();
  }
}

/** The same of a log that is open, also of a format that knew no streams. */
export function streamIn(db: Database): CopiedState {
  const none = { stream: null, applied: 0, resume: 0 };
  const knows = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'stream'").get() !== undefined;
  if (!knows) return none;
  return db.prepare<[], CopiedState>("SELECT name AS stream, applied, resume FROM stream").get() ?? none;
}
