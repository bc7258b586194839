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
    const sql = "SELECT name AS stream, applied, resume FROM stream";
    return db.prepare<[], CopiedState>(sql).get() ?? { stream: null, applied: 0, resume: 0 };
  } finally {
    db.close();
  }
}
