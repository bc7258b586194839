import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";

/** What one step may delete: some milliseconds of work. */
const STEP_MESSAGES = 256;
const STEP_ROWS = 4096;

/** Which ids a step of a sweep forgets: the oldest, when their days are over or room is short. */
export class IdRetention {
  readonly #maxAge: number;
  readonly #oldest: Statement<[], { readonly seq: Seq; readonly at: number }>;
  readonly #firstEntry: Statement<[], Seq>;
  readonly #deleteRefs: Statement<[Seq]>;
  readonly #deleteReactions: Statement<[Seq]>;
  readonly #delete: Statement<[Seq]>;

  /** `maxAge`: ms. */
  constructor(db: Database, maxAge: number) {
    this.#maxAge = maxAge;
    this.#oldest = db.prepare(`SELECT seq, at FROM said ORDER BY seq LIMIT ${STEP_MESSAGES}`);
    this.#firstEntry = db.prepare<[], Seq>("SELECT min(seq) FROM entry");
    this.#firstEntry.pluck();
    this.#deleteRefs = db.prepare(
      `DELETE FROM remote WHERE (place, ref) IN (
         SELECT place, ref FROM remote INDEXED BY remote_seq WHERE seq <= ? ORDER BY seq LIMIT ${STEP_ROWS})`,
    );
    this.#deleteReactions = db.prepare(
      `DELETE FROM reaction WHERE (seq, who, emoji) IN (
         SELECT seq, who, emoji FROM reaction WHERE seq <= ? ORDER BY seq LIMIT ${STEP_ROWS})`,
    );
    this.#delete = db.prepare("DELETE FROM said WHERE seq <= ?");
  }

  /** The last message to forget in this step; null: none. `crowded`: those whose entries are gone have to make room. */
  due(now: number, crowded: boolean): Seq | null {
    const kept = this.#firstEntry.get() ?? Infinity;
    let last: Seq | null = null;
    for (const { seq, at } of this.#oldest.all()) {
      if (at >= now - this.#maxAge && !(crowded && seq < kept)) break;
      last = seq;
    }
    return last;
  }

  /**
   * Inside a transaction. Messages go last: where one step does not take all that belongs to them, the next finds them
   * again.
   */
  forget(last: Seq): void {
    const refs = this.#deleteRefs.run(last).changes;
    const reactions = this.#deleteReactions.run(last).changes;
    if (refs < STEP_ROWS && reactions < STEP_ROWS) this.#delete.run(last);
  }
}
