import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";
import type { Slices } from "./slices.ts";
import { ONCE_MS } from "./writer.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** What one step may delete: some milliseconds of work. */
const STEP_ROWS = 256;
const STEP_BYTES = 4 * 1024 * 1024;
/** Pages one step gives back to the disk. */
const STEP_PAGES = 256;
/** Free pages that the file keeps for what comes next: this many, or this share of it, whichever is more. */
const SPARE_PAGES = 4096;
const SPARE_SHARE = 0.25;

interface Oldest {
  readonly seq: Seq;
  readonly at: number;
  readonly bytes: number;
}

/**
 * Deletes what is too old, then the oldest while the file is too large, in steps between which commits may run.
 * Answers kept for idempotency keys go after their 24 h, or with the entries of their time when room is short.
 */
export class Retention {
  readonly #db: Database;
  readonly #maxAge: number;
  readonly #maxBytes: number;
  readonly #pageSize: number;
  readonly #oldest: Statement<[], Oldest>;
  readonly #delete: Statement<[Seq]>;
  readonly #keepHigh: Statement<[Seq]>;
  readonly #deleteOnce: Statement<[number]>;

  constructor(db: Database, policy: { readonly retentionDays: number; readonly retentionBytes: number }) {
    this.#db = db;
    this.#maxAge = policy.retentionDays * DAY_MS;
    this.#maxBytes = policy.retentionBytes;
    this.#pageSize = this.#pragma("page_size");
    this.#oldest = db.prepare(
      `SELECT seq, at, octet_length(payload) AS bytes FROM entry ORDER BY seq LIMIT ${STEP_ROWS}`,
    );
    this.#delete = db.prepare("DELETE FROM entry WHERE seq <= ?");
    this.#keepHigh = db.prepare("UPDATE high SET seq = max(seq, ?)");
    this.#deleteOnce = db.prepare(
      `DELETE FROM once WHERE at <= ? AND id IN (SELECT id FROM once ORDER BY id LIMIT ${STEP_ROWS})`,
    );
  }

  /** `now`: Unix ms; `head`: the log's head at any time. Throws what SQLite throws; what was deleted stays deleted. */
  *sweep(now: number, head: () => Seq): Slices<undefined> {
    for (let deleted = true; deleted;) {
      yield;
      deleted = this.#step(now, head());
    }
    for (let spare = this.#spare(), before = Infinity; spare > 0 && spare < before;) {
      this.#db.pragma(`incremental_vacuum(${STEP_PAGES})`);
      yield;
      before = spare;
      spare = this.#spare();
    }
    return undefined;
  }

  /** One transaction; false when there was nothing to delete. */
  #step(now: number, head: Seq): boolean {
    const excess = (this.#pragma("page_count") - this.#pragma("freelist_count")) * this.#pageSize - this.#maxBytes;
    const last = choose(this.#oldest.all(), now - this.#maxAge, excess);
    const answersBefore = Math.max(now - ONCE_MS, excess > 0 ? (last?.at ?? Infinity) : -Infinity);
    const remove = this.#db.transaction(() => {
      const answers = this.#deleteOnce.run(answersBefore).changes;
      if (last === null) return answers > 0;
      this.#keepHigh.run(head);
      this.#delete.run(last.seq);
      return true;
    });
    return remove.immediate();
  }

  /** Free pages beyond what the file keeps. */
  #spare(): number {
    const kept = Math.max(SPARE_PAGES, this.#pragma("page_count") * SPARE_SHARE);
    return this.#pragma("freelist_count") - kept;
  }

  #pragma(name: string): number {
    return Number(this.#db.pragma(name, { simple: true }));
  }
}

/** The last entry of those to delete in this step; null when none is to go. */
function choose(oldest: readonly Oldest[], oldestKept: number, excess: number): Oldest | null {
  let last: Oldest | null = null;
  let bytes = 0;
  for (const entry of oldest) {
    const expired = entry.at < oldestKept;
    if ((!expired && bytes >= excess) || bytes >= STEP_BYTES) break;
    bytes += entry.bytes;
    last = entry;
  }
  return last;
}
