import type { Database, Statement } from "better-sqlite3";
import { LogError } from "../errors.ts";
import type { Seq } from "../log.ts";
import { damagedFile, runtimeFailure } from "./failure.ts";
import type { Committed } from "./committed.ts";
import type { Names } from "./names.ts";
import { type LostRange, salvageByNumber } from "./salvage.ts";
import type { CommitRequest } from "./protocol.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";

/** Entries that are gathered before they are moved into the table. */
const BATCH_ROWS = 32_768;
/** Slices of a batch: each moves as many as one commit may bring, so that moving keeps up. */
const SLICES = 16;
/** Rows of one statement: half of what a row costs by itself is the call. */
const TOGETHER_ROWS = 128;
/** So many times the batch may be in memory: then an append waits until they are in the table. */
const BATCHES_MAX = 2;

/** Fills the table anew. Inside a transaction, or with nothing to lose. */
export function rebuildSubjectIndex(db: Database): void {
  db.exec(`
    DELETE FROM subject_index;
    INSERT INTO subject_index SELECT subject, seq FROM entry ORDER BY subject, seq;
    UPDATE subject_indexed SET seq = coalesce((SELECT max(seq) FROM entry), 0);
  `);
}

/** Entries in memory by their subject, each list in order. */
class Gathered {
  readonly bySubject = new Map<number, Seq[]>();
  rows = 0;
  last: Seq = 0;

  add(subject: number, seq: Seq): void {
    const seqs = this.bySubject.get(subject);
    if (seqs === undefined) this.bySubject.set(subject, [seq]);
    else seqs.push(seq);
    this.rows += 1;
    this.last = seq;
  }

  /** Those with after < seq <= until. */
  of(subject: number, after: Seq, until: Seq): readonly Seq[] {
    const seqs = this.bySubject.get(subject);
    return seqs === undefined ? [] : seqs.slice(firstAbove(seqs, after), firstAbove(seqs, until));
  }
}

/**
 * Which entries a subject has. In a table by subject, every row of a log with many rooms would change another page. So
 * a commit only notes its entries in memory, and many are moved into the table at once, in the order of their subjects,
 * in slices between which commits run. A durable mark says up to which entry the table is complete. What is after it is
 * in memory; after a crash it is found by looking at the entries after the mark, so nothing is lost, and moves that
 * were under way begin anew.
 */
export class SubjectIndex {
  readonly #db: Database;
  readonly #batchRows: number;
  readonly #sliceRows: number;
  readonly #insert: Statement<[number, Seq]>;
  readonly #insertMany: Statement<[readonly number[]]>;
  readonly #putMark: Statement<[Seq]>;
  readonly #delete: Statement<[Seq]>;
  readonly #oldest: Statement<[number, Seq, Seq, number], Seq>;
  readonly #newest: Statement<[number, Seq, Seq, number], Seq>;
  readonly #count: Statement<[number, Seq, Seq, number], [number, Seq | null]>;
  /** How commits of entries are made. */
  readonly #synchronous: number;
  #fresh = new Gathered();
  /** What is on its way into the table, in the order of the subjects, of which some is there already. */
  #moving: Gathered | null = null;
  #isMoving = false;
  /** The file is damaged where something would be moved. */
  #isStuck = false;
  /** Up to here the table is complete; what it has beyond does not count. */
  #mark: Seq;
  /** Entries after the mark that cannot be read: nobody knows whose they are. While there are some, the mark stays. */
  readonly #lost: readonly LostRange[];
  /** Retention took everything up to here. */
  #floor: Seq = 0;

  /** `batchRows`: only for tests. */
  constructor(db: Database, batchRows = BATCH_ROWS) {
    this.#db = db;
    this.#batchRows = batchRows;
    this.#sliceRows = Math.ceil(batchRows / SLICES);
    this.#synchronous = Number(db.pragma("synchronous", { simple: true }));
    const insert = "INSERT OR IGNORE INTO subject_index (subject, seq) VALUES (?, ?)";
    this.#insert = db.prepare(insert);
    this.#insertMany = db.prepare(`${insert}${", (?, ?)".repeat(TOGETHER_ROWS - 1)}`);
    this.#putMark = db.prepare("UPDATE subject_indexed SET seq = ?");
    this.#delete = db.prepare(
      "DELETE FROM subject_index WHERE (subject, seq) IN (SELECT subject, seq FROM entry WHERE seq <= ?)",
    );
    const ofSubject = "SELECT seq FROM subject_index WHERE subject = ? AND seq > ? AND seq <= ?";
    this.#oldest = db.prepare<[number, Seq, Seq, number], Seq>(`${ofSubject} ORDER BY seq LIMIT ?`);
    this.#oldest.pluck();
    this.#newest = db.prepare<[number, Seq, Seq, number], Seq>(`${ofSubject} ORDER BY seq DESC LIMIT ?`);
    this.#newest.pluck();
    this.#count = db.prepare<[number, Seq, Seq, number], [number, Seq | null]>(
      `SELECT count(*), min(seq) FROM (${ofSubject} ORDER BY seq DESC LIMIT ?)`,
    );
    this.#count.raw();
    this.#mark = db.prepare<[], Seq>("SELECT seq FROM subject_indexed").pluck().get() ?? 0;
    this.#lost = this.#gather();
  }

  /** Up to here the table is complete. */
  get mark(): Seq {
    return this.#mark;
  }

  /** Enough is in memory to be moved, and nobody moves it. */
  get isDue(): boolean {
    return !this.#isMoving && !this.#isStuck && this.#rows >= this.#batchRows;
  }

  /** So much is in memory that it has to be moved before more may come. */
  get isFull(): boolean {
    return this.#rows >= BATCHES_MAX * this.#batchRows && !this.#isStuck;
  }

  get #rows(): number {
    return this.#fresh.rows + (this.#moving?.rows ?? 0);
  }

  /** What a commit has stored. */
  add({ subjects, subjectOf }: CommitRequest, { first, absent }: Committed, names: Names): void {
    const ids = subjects.map((subject) => names.find(subject));
    const gone = absent.length === 0 ? null : new Set(absent);
    let seq = first;
    for (const [row, subject] of subjectOf.entries()) {
      if (gone?.has(row) === true) continue;
      this.#fresh.add(ids[subject] ?? 0, seq++);
    }
  }

  /** Moves what is in memory now into the table. Throws what SQLite throws; another call begins anew. */
  *move(): CooperativeSteps<undefined> {
    if (this.#isMoving) return undefined;
    this.#isMoving = true;
    try {
      for (const _ of this.#steps()) yield;
    } finally {
      this.#isMoving = false;
    }
    return undefined;
  }

  /** The same at once, with all there is. */
  moveAll(): void {
    while (this.#rows > 0) for (const _ of this.#steps());
  }

  /**
   * The same, for a commit. A damaged file is no reason to refuse what can still be stored: from then on all stays in
   * memory, some bytes an entry, until a repair. Reads say what is damaged.
   */
  makeRoom(): void {
    try {
      this.moveAll();
    } catch (error) {
      if (runtimeFailure(error, this.#db.name).code !== "damaged") throw error;
      this.#isStuck = true;
    }
  }

  /** Inside the transaction of retention, before the entries go. */
  deleteUpTo(seq: Seq): void {
    this.#delete.run(seq);
  }

  /** When that was committed. */
  forgetUpTo(seq: Seq): void {
    this.#floor = Math.max(this.#floor, seq);
  }

  /** The first `limit` entries of the subject with after < seq <= until. */
  oldest(subject: number, after: Seq, until: Seq, limit: number): readonly Seq[] {
    const found = after < this.#mark ? this.#oldest.all(subject, after, Math.min(until, this.#mark), limit) : [];
    if (found.length < limit) found.push(...this.#inMemory(subject, after, until).slice(0, limit - found.length));
    return found;
  }

  /** The last `limit` entries of the subject with after < seq <= until, the newest first. */
  newest(subject: number, after: Seq, until: Seq, limit: number): readonly Seq[] {
    const found = limit === 0 ? [] : this.#inMemory(subject, after, until).slice(-limit).reverse();
    if (found.length === limit || after >= this.#mark) return found;
    return [...found, ...this.#newest.all(subject, after, Math.min(until, this.#mark), limit - found.length)];
  }

  /** How many entries of the subject with after < seq <= until are in memory. */
  countInMemory(subject: number, after: Seq, until: Seq): number {
    return this.#inMemory(subject, after, until).length;
  }

  /** Of the last `limit` entries of the subject with after < seq <= until <= mark: how many they are, and the first. */
  countInTable(subject: number, after: Seq, until: Seq, limit: number): readonly [number, Seq | null] {
    return this.#count.get(subject, after, until, limit) ?? [0, null];
  }

  /** What came after the mark, as it is on the disk. */
  #gather(): readonly LostRange[] {
    const columns = ["seq", "subject"];
    const rows = salvageByNumber(this.#db, { table: "entry", key: "seq", columns, after: this.#mark });
    for (;;) {
      const next = rows.next();
      if (next.done === true) return next.value;
      this.#fresh.add(Number(next.value[1]), Number(next.value[0]));
    }
  }

  #assertWhole(after: Seq, until: Seq): void {
    const lost = this.#lost.find(({ from, to }) => from <= until && (to ?? Infinity) > after);
    if (lost === undefined) return;
    const which = lost.to === null ? `after no. ${lost.from - 1}` : `no. ${lost.from} to ${lost.to}`;
    throw new LogError("damaged", damagedFile(this.#db.name, `the entries ${which} cannot be read`).message);
  }

  #inMemory(subject: number, after: Seq, until: Seq): readonly Seq[] {
    const from = Math.max(after, this.#floor);
    this.#assertWhole(from, until);
    const fresh = this.#fresh.of(subject, from, until);
    return this.#moving === null ? fresh : [...this.#moving.of(subject, from, until), ...fresh];
  }

  /** One transaction each. */
  *#steps(): CooperativeSteps<undefined> {
    this.#assertWhole(this.#floor, Infinity);
    if (this.#moving === null) {
      this.#moving = this.#fresh;
      this.#fresh = new Gathered();
    }
    const moving = this.#moving;
    const subjects = [...moving.bySubject.keys()].sort((a, b) => a - b);
    let at = 0;
    let row = 0;
    // Another call may have moved the rest between two steps.
    while (this.#moving === moving) {
      // Subject and seq in turn.
      const step: number[] = [];
      for (let left = this.#sliceRows; at < subjects.length && left > 0; left -= 1) {
        const subject = subjects[at] ?? 0;
        const seqs = moving.bySubject.get(subject) ?? [];
        const seq = seqs[row] ?? 0;
        if (seq > this.#floor) step.push(subject, seq);
        row += 1;
        if (row >= seqs.length) [at, row] = [at + 1, 0];
      }
      const isLast = at >= subjects.length;
      this.#quickly(() => {
        this.#put(step);
        if (isLast) this.#putMark.run(Math.max(moving.last, this.#mark));
      });
      if (isLast) {
        this.#mark = Math.max(moving.last, this.#mark);
        this.#moving = null;
      }
      yield;
    }
    return undefined;
  }

  #put(rows: readonly number[]): void {
    const many = 2 * TOGETHER_ROWS;
    const rest = rows.length - (rows.length % many);
    for (let at = 0; at < rest; at += many) this.#insertMany.run(rows.slice(at, at + many));
    for (let at = rest; at < rows.length; at += 2) this.#insert.run(rows[at] ?? 0, rows[at + 1] ?? 0);
  }

  /** A transaction that does not wait for the disk: if the power fails, the mark stands where it stood. */
  #quickly(work: () => void): void {
    this.#db.pragma(`synchronous = ${Math.min(this.#synchronous, 1)}`);
    try {
      this.#db.transaction(work).immediate();
    } finally {
      this.#db.pragma(`synchronous = ${this.#synchronous}`);
    }
  }
}

/** Index of the first that is above this one, in a list in order. */
function firstAbove(seqs: readonly Seq[], bound: Seq): number {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seqs[middle] ?? Infinity) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
