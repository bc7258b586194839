import type { Database, Statement } from "better-sqlite3";
import type { Receipt, Seq, Subject } from "../log.ts";
import type { Names } from "./names.ts";
import type { NewestRequest, ReadRequest, ReceiptsRequest } from "./protocol.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import type { SubjectIndex } from "./subject-index.ts";

/** Most entries one read returns, whatever its limit. */
const READ_ROWS = 1024;
/** Rows one slice may cost: some milliseconds. */
const SLICE_ROWS = 4096;
/** Characters of payload one slice may load. */
const SLICE_CHARS = 1 << 20;
/** A seek into the subject index costs about as much as this many rows of a scan. */
const ROWS_PER_SEEK = 32;
/** Counting in the index is this much cheaper than a row of a scan. */
const COUNTED_PER_ROW = 8;
/** Rows one slice may count. */
const COUNT_ROWS = SLICE_ROWS * COUNTED_PER_ROW;

/** An entry found: its seq and the index of its subject in the request. */
interface Found {
  readonly seq: Seq;
  readonly subject: number;
}

export interface Rows {
  readonly seqs: Seq[];
  readonly subjectOf: number[];
  readonly ats: number[];
  readonly labels: string[];
  readonly payloads: string[];
  readonly skipped: number;
}

/**
 * Reads, in slices between which commits may run; what is committed meanwhile is not part of the answer.
 *
 * Two ways lead to the entries of some subjects: scanning the log by seq, which is best when most of it matches, and
 * seeking each subject in the index, which is best when little does. The cost stays within twice the better one:
 * reads scan as many rows as the seeks would cost, then seek.
 */
export class Queries {
  readonly #names: Names;
  readonly #index: SubjectIndex;
  readonly #scan: Statement<[Seq, Seq, number], [Seq, number]>;
  readonly #head: Statement<[Seq], [number, string]>;
  readonly #body: Statement<[Seq], [number, string, unknown]>;
  readonly #first: Statement<[], Seq>;
  readonly #count: Statement<[Seq, Seq], number>;
  readonly #marks: Statement<[string], [string, string]>;
  readonly #receipts: Statement<[number, Seq, number], Omit<Receipt, "lane">>;

  constructor(db: Database, names: Names, index: SubjectIndex) {
    this.#names = names;
    this.#index = index;
    this.#scan = db.prepare<[Seq, Seq, number], [Seq, number]>(
      "SELECT seq, subject FROM entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
    );
    this.#scan.raw();
    this.#head = db.prepare<[Seq], [number, string]>("SELECT at, label FROM entry WHERE seq = ?");
    this.#head.raw();
    this.#body = db.prepare<[Seq], [number, string, unknown]>("SELECT at, label, payload FROM entry WHERE seq = ?");
    this.#body.raw();
    this.#first = db.prepare<[], Seq>("SELECT seq FROM entry ORDER BY seq LIMIT 1");
    this.#first.pluck();
    this.#count = db.prepare<[Seq, Seq], number>(
      `SELECT (SELECT count(*) FROM subject_index WHERE seq <= ?) + (SELECT count(*) FROM entry WHERE seq > ?)`,
    );
    this.#count.pluck();
    this.#marks = db.prepare<[string], [string, string]>("SELECT name, value FROM mark WHERE name >= ? ORDER BY name");
    this.#marks.raw();
    this.#receipts = db.prepare(
      `SELECT seq, state, detail FROM receipt INDEXED BY receipt_lane
       WHERE lane = ? AND seq > ? ORDER BY seq LIMIT ?`,
    );
  }

  /** The lowest seq there is; null: the log holds no entry. */
  first(): Seq | null {
    return this.#first.get() ?? null;
  }

  /** How many entries there are. `indexed`: up to here the index of subjects has them, which is smaller. */
  count(indexed: Seq): number {
    return this.#count.get(indexed, indexed) ?? 0;
  }

  /** All marks whose name starts with `prefix`. */
  marks(prefix: string): [string, string][] {
    const found: [string, string][] = [];
    for (const mark of this.#marks.iterate(prefix)) {
      if (!mark[0].startsWith(prefix)) break;
      found.push(mark);
    }
    return found;
  }

  /** The lane's receipts after a position, one at least, as many as one slice may load. */
  receipts({ lane, after, limit }: ReceiptsRequest): Receipt[] {
    const id = this.#names.find(lane);
    if (id === undefined) return [];
    const found: Receipt[] = [];
    let chars = 0;
    for (const receipt of this.#receipts.iterate(id, after, Math.min(limit, READ_ROWS))) {
      found.push({ lane, ...receipt });
      chars += receipt.detail.length;
      if (chars >= SLICE_CHARS) break;
    }
    return found;
  }

  *read(request: ReadRequest, head: Seq): CooperativeSteps<Rows> {
    const wanted = this.#wanted(request.subjects);
    const limit = Math.min(request.limit, READ_ROWS);
    const found: Found[] = [];
    let position = request.after;
    let budget = wanted.size * ROWS_PER_SEEK;
    while (found.length < limit && budget > 0 && position < head) {
      const asked = Math.min(budget, SLICE_ROWS);
      const rows = this.#scan.all(position, head, asked);
      collect(rows, wanted, found);
      budget -= asked;
      position = rows.length < asked ? head : (rows.at(-1)?.[0] ?? head);
      yield;
    }
    if (found.length < limit && position < head) {
      found.push(...(yield* this.#seekOldest(wanted, position, head, limit - found.length)));
    }
    const chosen = found.slice(0, limit);
    const rows = yield* this.#load(chosen, request.bytes);
    const last = chosen.at(-1);
    // Retention took all of them between two slices: none would mean the end.
    if (rows.seqs.length === 0 && last !== undefined) return yield* this.read({ ...request, after: last.seq }, head);
    return rows;
  }

  *newest(request: NewestRequest, head: Seq): CooperativeSteps<Rows> {
    const wanted = this.#wanted(request.subjects);
    const few = head - request.after <= wanted.size * ROWS_PER_SEEK;
    const { found, count } = few
      ? yield* this.#scanNewest(wanted, request.after, head)
      : yield* this.#seekNewest(wanted, request.after, head, request.limit);
    const kept = request.limit === 0 ? [] : found.slice(-request.limit);
    const rows: Rows = { ...noRows(), skipped: count - kept.length };
    for (const { seq, subject } of kept) {
      const [at, label] = this.#head.get(seq) ?? [0, ""];
      rows.seqs.push(seq);
      rows.subjectOf.push(subject);
      rows.ats.push(at);
      rows.labels.push(label);
      if (rows.seqs.length % SLICE_ROWS === 0) yield;
    }
    return rows;
  }

  /** The first `limit` entries with after < seq <= until, by one index seek per subject. */
  *#seekOldest(wanted: ReadonlyMap<number, number>, after: Seq, until: Seq, limit: number): CooperativeSteps<Found[]> {
    let found: Found[] = [];
    let bound = until;
    let cost = 0;
    for (const [id, subject] of wanted) {
      const seqs = this.#index.oldest(id, after, bound, limit);
      for (const seq of seqs) found.push({ seq, subject });
      if (found.length >= 2 * limit) {
        found = found.sort(bySeq).slice(0, limit);
        bound = found.at(-1)?.seq ?? bound;
      }
      cost += ROWS_PER_SEEK + seqs.length;
      if (cost >= SLICE_ROWS) {
        cost = 0;
        yield;
      }
    }
    return found.sort(bySeq).slice(0, limit);
  }

  *#scanNewest(
    wanted: ReadonlyMap<number, number>,
    after: Seq,
    head: Seq,
  ): CooperativeSteps<{ readonly found: Found[]; readonly count: number }> {
    const found: Found[] = [];
    let position = after;
    while (position < head) {
      const rows = this.#scan.all(position, head, SLICE_ROWS);
      collect(rows, wanted, found);
      position = rows.at(-1)?.[0] ?? head;
      yield;
    }
    return { found, count: found.length };
  }

  /** The newest `limit` entries with after < seq <= head, and the count of all such. */
  *#seekNewest(
    wanted: ReadonlyMap<number, number>,
    after: Seq,
    head: Seq,
    limit: number,
  ): CooperativeSteps<{ readonly found: Found[]; readonly count: number }> {
    let found: Found[] = [];
    let count = 0;
    let bound = after;
    let cost = 0;
    for (const [id, subject] of wanted) {
      let until = head;
      let left = limit;
      // First the newest, while they can still be among the answer; the rest is only counted.
      while (left > 0 && until > bound) {
        const asked = Math.min(left, SLICE_ROWS);
        const seqs = this.#index.newest(id, bound, until, asked);
        for (const seq of seqs) found.push({ seq, subject });
        count += seqs.length;
        left -= seqs.length;
        cost += ROWS_PER_SEEK + seqs.length;
        until = seqs.length < asked ? bound : (seqs.at(-1) ?? bound + 1) - 1;
        if (seqs.length === SLICE_ROWS) yield;
      }
      const rest = yield* this.#countOf(id, after, until);
      count += rest;
      cost += ROWS_PER_SEEK + (rest % COUNT_ROWS) / COUNTED_PER_ROW;
      if (cost >= SLICE_ROWS) {
        cost = 0;
        yield;
      }
      if (found.length >= 2 * limit) {
        found = limit === 0 ? [] : found.sort(bySeq).slice(-limit);
        bound = found[0]?.seq ?? bound;
      }
    }
    return { found: found.sort(bySeq), count };
  }

  *#countOf(id: number, after: Seq, until: Seq): CooperativeSteps<number> {
    let total = this.#index.countInMemory(id, after, until);
    // As it is now: what is in memory moves into the table between two slices.
    let position = Math.min(until, this.#index.mark);
    while (position > after) {
      const [count, lowest] = this.#index.countInTable(id, after, position, COUNT_ROWS);
      total += count;
      if (count < COUNT_ROWS || lowest === null) break;
      position = lowest - 1;
      yield;
    }
    return total;
  }

  /**
   * Loads payloads, one at least, until about `bytes` characters; an entry that retention took meanwhile is left out.
   */
  *#load(found: readonly Found[], bytes: number): CooperativeSteps<Rows> {
    const rows = noRows();
    let total = 0;
    let slice = 0;
    for (const { seq, subject } of found) {
      if (total >= bytes && rows.seqs.length > 0) break;
      const body = this.#body.get(seq);
      if (body === undefined) continue;
      const [at, label, payload] = body;
      rows.seqs.push(seq);
      rows.subjectOf.push(subject);
      rows.ats.push(at);
      rows.labels.push(label);
      // A damaged row may hold anything.
      const text = typeof payload === "string" ? payload : "";
      rows.payloads.push(text);
      total += text.length;
      slice += text.length;
      if (slice >= SLICE_CHARS) {
        slice = 0;
        yield;
      }
    }
    return rows;
  }

  /** Ids of the subjects that the log knows, with their index in the request. */
  #wanted(subjects: readonly Subject[]): Map<number, number> {
    const wanted = new Map<number, number>();
    for (const [index, subject] of subjects.entries()) {
      const id = this.#names.find(subject);
      if (id !== undefined) wanted.set(id, index);
    }
    return wanted;
  }
}

function noRows(): Rows {
  return { seqs: [], subjectOf: [], ats: [], labels: [], payloads: [], skipped: 0 };
}

function collect(rows: readonly (readonly [Seq, number])[], wanted: ReadonlyMap<number, number>, found: Found[]): void {
  for (const [seq, id] of rows) {
    const subject = wanted.get(id);
    if (subject !== undefined) found.push({ seq, subject });
  }
}

function bySeq(a: Found, b: Found): number {
  return a.seq - b.seq;
}
