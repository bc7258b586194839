import { isObject, readJson } from "../lib/shapes.ts";

/** A session of an operator's browser, as the log has it. */
export interface SessionRecord {
  /** Of the cookie's secret, in base64url. */
  readonly sha256: string;
  /** Unix ms. */
  readonly createdMs: number;
  /** What the browser called itself, shortened. */
  readonly agent: string;
}

/** `session/<8>` has the record, `session/<8>/used` the hour of its last use. */
export const SESSION_STEM = "session/";
const USED = "/used";

export const sessionMark = (id: string): string => SESSION_STEM + id;
export const sessionUsedMark = (id: string): string => sessionMark(id) + USED;

interface SessionMarks {
  readonly records: ReadonlyMap<string, SessionRecord>;
  /** Unix ms. */
  readonly used: ReadonlyMap<string, number>;
  /** Marks that are of no session: they cannot be read, or tell of the use of one that has ended. */
  readonly stale: readonly string[];
}

export function readSessionMarks(marks: ReadonlyMap<string, string>): SessionMarks {
  const records = new Map<string, SessionRecord>();
  const used = new Map<string, number>();
  const stale: string[] = [];
  for (const [mark, value] of marks) {
    const id = mark.slice(SESSION_STEM.length);
    if (id.endsWith(USED)) continue;
    const record = readRecord(value);
    if (record === null) stale.push(mark);
    else records.set(id, record);
  }
  for (const [mark, value] of marks) {
    if (!mark.endsWith(USED)) continue;
    const id = mark.slice(SESSION_STEM.length, -USED.length);
    const ms = Number(value);
    if (records.has(id) && Number.isSafeInteger(ms)) used.set(id, ms);
    else stale.push(mark);
  }
  return { records, used, stale };
}

function readRecord(text: string): SessionRecord | null {
  const value = readJson(text);
  if (!isObject(value)) return null;
  const { sha256, createdMs, agent } = value;
  if (typeof sha256 !== "string" || typeof createdMs !== "number" || typeof agent !== "string") return null;
  return { sha256, createdMs, agent };
}
