import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Rows, at some 20 bytes each, after which some of the older half are forgotten. */
const ROWS_MAX = 4096;
/** By which share a count may be too high then. */
const TOO_HIGH = 0.01;

/** The end of a stretch of removed entries. */
interface Stretch {
  readonly last: Seq;
  /** Entries that retention removed up to `last`, since the log began. */
  readonly total: number;
  /** When the newest of the stretch was accepted, Unix ms. */
  readonly at: number;
}

/**
 * How many entries retention has removed, up to each position. Seqs have holes where a stream brings the commits, so
 * that the numbers themselves do not tell it.
 *
 * Each row ends a stretch without holes. Stretches that touch are one, but for an hour at most, so that a time finds
 * its stretch. On one machine there are no holes, and every count is exact. On several machines each commit may be a
 * stretch of its own. A count is exact there as long as it begins within the newest half of ROWS_MAX stretches, and may
 * be too high by TOO_HIGH where it begins earlier.
 */
export class Removed {
  readonly #max: number;
  readonly #entries: Statement<[Seq], { readonly seq: Seq; readonly at: number }>;
  readonly #newest: Statement<[], Stretch>;
  readonly #upTo: Statement<[Seq], Stretch>;
  readonly #behind: Statement<[Seq], Stretch>;
  readonly #sinceTime: Statement<[number], Stretch>;
  readonly #put: Statement<[Seq, number, number]>;
  readonly #drop: Statement<[Seq]>;
  readonly #all: Statement<[], Stretch>;
  /** Rows, but for the newest; too many after a transaction that failed. */
  #rows: number;

  /** `rowsMax`: only for tests. */
  constructor(db: Database, rowsMax = ROWS_MAX) {
    this.#max = rowsMax;
    this.#entries = db.prepare("SELECT seq, at FROM entry WHERE seq <= ? ORDER BY seq");
    this.#newest = db.prepare("SELECT last, total, at FROM removed ORDER BY last DESC LIMIT 1");
    this.#upTo = db.prepare("SELECT last, total, at FROM removed WHERE last <= ? ORDER BY last DESC LIMIT 1");
    this.#behind = db.prepare("SELECT last, total, at FROM removed WHERE last > ? ORDER BY last LIMIT 1");
    this.#sinceTime = db.prepare("SELECT last, total, at FROM removed WHERE at >= ? ORDER BY last LIMIT 1");
    this.#put = db.prepare("INSERT INTO removed (last, total, at) VALUES (?, ?, ?)");
    this.#drop = db.prepare("DELETE FROM removed WHERE last = ?");
    this.#all = db.prepare("SELECT last, total, at FROM removed ORDER BY last");
    this.#rows = this.#all.all().length;
  }

  /** All entries that retention has ever removed. */
  get total(): number {
    return this.#newest.get()?.total ?? 0;
  }

  /** Inside the transaction that removes all entries up to this one, before it does. */
  note(upTo: Seq): void {
    let stretch = this.#newest.get();
    // It may go on.
    if (stretch !== undefined) this.#drop.run(stretch.last);
    for (const { seq, at } of this.#entries.all(upTo)) {
      const goesOn = stretch?.last === seq - 1 && hourOf(at) <= hourOf(stretch.at);
      if (stretch !== undefined && !goesOn) this.#store(stretch);
      const total: number = (stretch?.total ?? 0) + 1;
      stretch = { last: seq, total, at: goesOn ? Math.max(at, stretch?.at ?? at) : at };
    }
    if (stretch !== undefined) this.#put.run(stretch.last, stretch.total, stretch.at);
    if (this.#rows >= this.#max) this.#makeRoom();
  }

  /** How many entries with after < seq <= upTo were removed. */
  count(after: Seq, upTo: Seq): number {
    return Math.max(0, this.#ordinal(upTo) - this.#ordinal(after));
  }

  /** The position before the first removed entry that was accepted at this time or later; null: there is none. */
  since(ms: number): Seq | null {
    const stretch = this.#sinceTime.get(ms);
    return stretch === undefined ? null : (this.#upTo.get(stretch.last - 1)?.last ?? 0);
  }

  #store({ last, total, at }: Stretch): void {
    this.#put.run(last, total, at);
    this.#rows += 1;
  }

  /** Forgets rows of the older half, as far as no count becomes too high by more than TOO_HIGH. */
  #makeRoom(): void {
    const rows = this.#all.all();
    const { total } = this;
    this.#rows = rows.length;
    let kept = 0;
    for (const [index, row] of rows.slice(0, -Math.floor(this.#max / 2)).entries()) {
      const next = rows[index + 1]?.total ?? total;
      if (next - kept > (total - next) * TOO_HIGH) kept = row.total;
      else this.#rows -= this.#drop.run(row.last).changes;
    }
  }

  /** How many entries were removed up to a position; at least so many where rows went. */
  #ordinal(seq: Seq): number {
    const before = this.#upTo.get(seq)?.total ?? 0;
    const within = this.#behind.get(seq);
    return within === undefined ? before : Math.max(before, within.total - (within.last - seq));
  }
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);
