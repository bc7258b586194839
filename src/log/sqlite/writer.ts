import type { Database, Statement } from "better-sqlite3";
import { LOG_ACCOUNT } from "../fence.ts";
import type { Seq } from "../log.ts";
import type { IdTables } from "./ids.ts";
import type { Names } from "./names.ts";
import { NoteReader } from "./notes.ts";
import type { BatchExtra, CommitRequest } from "./protocol.ts";
import type { CommitFate } from "./stream-place.ts";
import type { BatchVerdict, Committed, LogFailure } from "./committed.ts";
import type { Replica } from "./replica.ts";
import { ONCE_MS, type Retention } from "./retention.ts";

/** What a log has whose commits, and sweeps, come by a stream. */
interface Carried {
  readonly replica: Replica;
  readonly retention: Retention;
}

/** What one commit gathers while its batches are written. */
interface Progress {
  /** Highest seq given so far. */
  head: Seq;
  readonly absent: number[];
  readonly verdicts: BatchVerdict[];
  /** Per owner: the node that holds the account, when what this commit has for it is void. */
  voids: readonly (string | null)[];
}

/** Writes: one transaction per commit request, all or nothing. */
export class Writer {
  readonly #db: Database;
  readonly #names: Names;
  readonly #ids: IdTables;
  readonly #carried: Carried | null;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #insert: Statement<[number, number, number, string, string]>;
  readonly #insertKeyed: Statement<[number, number, number, number, string, string, string]>;
  readonly #putMark: Statement<[string, string]>;
  readonly #dropMark: Statement<[string]>;
  readonly #putReceipt: Statement<[Seq, number, string, string]>;
  readonly #findOnce: Statement<[number, string], { at: number; fingerprint: string; answer: string }>;
  readonly #putOnce: Statement<[number, number, string, string, string]>;
  #head: Seq;

  constructor(db: Database, names: Names, ids: IdTables, carried: Carried | null = null) {
    this.#db = db;
    this.#names = names;
    this.#ids = ids;
    this.#carried = carried;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#insert = db.prepare("INSERT INTO entry (seq, subject, at, label, payload) VALUES (?, ?, ?, ?, ?)");
    this.#insertKeyed = db.prepare(
      `INSERT INTO entry (seq, subject, at, account, key, label, payload) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account, key) WHERE key IS NOT NULL DO NOTHING`,
    );
    this.#putMark = db.prepare(
      "INSERT INTO mark (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    this.#dropMark = db.prepare("DELETE FROM mark WHERE name = ?");
    this.#putReceipt = db.prepare(
      `INSERT INTO receipt (seq, lane, state, detail) VALUES (?, ?, ?, ?)
       ON CONFLICT (seq, lane) DO UPDATE SET state = excluded.state, detail = excluded.detail`,
    );
    this.#findOnce = db.prepare("SELECT at, fingerprint, answer FROM once WHERE account = ? AND key = ?");
    this.#putOnce = db.prepare(
      "INSERT OR REPLACE INTO once (at, account, key, fingerprint, answer) VALUES (?, ?, ?, ?, ?)",
    );
    const head = db.prepare<[], number>(
      "SELECT max((SELECT seq FROM high), coalesce((SELECT max(seq) FROM entry), 0))",
    );
    this.#head = head.pluck().get() ?? 0;
  }

  /** Highest committed seq. */
  get head(): Seq {
    return this.#head;
  }

  /**
   * On the disk when it returns. Throws what SQLite throws, with nothing stored. With `refusal` only batches that
   * store no message are taken: a reader's position and receipts are small, and losing them would repeat what was
   * delivered.
   */
  commit(request: CommitRequest, refusal: LogFailure | null): Committed {
    const first = Math.max(this.#head + 1, request.stream?.from ?? 0);
    const progress: Progress = { head: first - 1, absent: [], verdicts: [], voids: [] };
    let fate: CommitFate = "taken";
    let raised: Committed["raised"];
    try {
      this.#begin.run();
      const { stream } = request;
      if (stream !== undefined && this.#carried !== null) {
        fate = this.#carried.replica.take(stream);
        raised = this.#fence(request, this.#carried.replica, progress);
      }
      if (fate === "taken") this.#writeAll(request, refusal, progress);
      const cut = fate === "taken" && !isCutVoid(request, progress) ? request.cut : undefined;
      if (cut !== undefined) this.#carried?.retention.apply(cut, progress.head >= first ? progress.head : this.#head);
      const { absent, verdicts } = progress;
      if (stream !== undefined) this.#carried?.replica.seal(stream, { first, absent, verdicts, fate });
      this.#commit.run();
      if (cut !== undefined) this.#carried?.retention.applied(cut);
    } catch (error) {
      this.#names.undo();
      // On a full or failing disk SQLite has often rolled back by itself.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
    this.#names.keep();
    if (progress.head >= first) this.#head = progress.head;
    const { absent, verdicts } = progress;
    return { first, absent, verdicts, fate, ...(raised !== undefined && { raised }) };
  }

  /** The claims that count; what is void is in `progress`. */
  #fence({ owners, claims }: CommitRequest, replica: Replica, progress: Progress): Committed["raised"] {
    progress.voids = owners?.accounts.map((account, at) => replica.voidedBy(account, owners.epochs[at] ?? 0)) ?? [];
    return claims && replica.raise(claims);
  }

  #writeAll(request: CommitRequest, refusal: LogFailure | null, progress: Progress): void {
    const subjects = refusal === null ? request.subjects.map((subject) => this.#names.intern(subject)) : [];
    const notes = new NoteReader(request.notes);
    let nextExtra = 0;
    let row = 0;
    for (const [batch, count] of request.counts.entries()) {
      let extra = request.extras[nextExtra];
      if (extra?.batch === batch) nextExtra++;
      else extra = undefined;
      const by = progress.voids[request.owners?.ownerOf[batch] ?? -1] ?? null;
      const fenced = by === null ? null : { batch, is: "fenced" as const, by };
      const verdict = fenced ?? this.#judge(batch, count, extra, refusal, request.at);
      if (verdict !== null) {
        progress.verdicts.push(verdict);
        for (let index = row; index < row + count; index++) progress.absent.push(index);
      } else {
        const seqs: Seq[] = [];
        for (let index = 0; index < count; index++) {
          const key = extra?.keys?.[index] ?? null;
          if (!this.#writeEntry(request, subjects, row + index, extra, key, progress)) continue;
          if (extra !== undefined) seqs[index] = progress.head;
          const note = notes.at(row + index);
          if (note !== null) {
            const place = subjects[request.subjectOf[row + index] ?? 0] ?? 0;
            this.#ids.note(progress.head, place, request.at, note);
          }
        }
        if (extra !== undefined) this.#writeExtra(extra, request.at, seqs, progress);
      }
      row += count;
    }
  }

  /** Null when the batch is to be stored. */
  #judge(
    batch: number,
    count: number,
    extra: BatchExtra | undefined,
    refusal: LogFailure | null,
    at: number,
  ): BatchVerdict | null {
    const once = extra?.once ?? null;
    if (refusal !== null && (count > 0 || once !== null)) return { batch, is: "refused", failure: refusal };
    if (extra === undefined || once === null) return null;
    const account = this.#names.find(extra.account);
    const seen = account === undefined ? undefined : this.#findOnce.get(account, once.key);
    if (seen === undefined || seen.at <= at - ONCE_MS) return null;
    return seen.fingerprint === once.fingerprint
      ? { batch, is: "repeated", answer: seen.answer }
      : { batch, is: "conflict" };
  }

  /** False when its key is a duplicate. */
  #writeEntry(
    request: CommitRequest,
    subjects: readonly number[],
    row: number,
    extra: BatchExtra | undefined,
    key: string | null,
    progress: Progress,
  ): boolean {
    const subject = subjects[request.subjectOf[row] ?? 0] ?? 0;
    const label = request.labels?.[row] ?? "";
    const payload = request.payloads[row] ?? "";
    const seq = progress.head + 1;
    if (key === null || extra === undefined) {
      this.#insert.run(seq, subject, request.at, label, payload);
    } else {
      const account = this.#names.intern(extra.account);
      const { changes } = this.#insertKeyed.run(seq, subject, request.at, account, key, label, payload);
      if (changes === 0) {
        progress.absent.push(row);
        return false;
      }
    }
    progress.head = seq;
    return true;
  }

  #isVoid(account: string, epoch: number): boolean {
    return this.#carried !== null && this.#carried.replica.voidedBy(account, epoch) !== null;
  }

  /** `seqs`: of its entries that were stored, by their index. */
  #writeExtra(extra: BatchExtra, at: number, seqs: readonly Seq[], { verdicts }: Progress): void {
    for (const { name, value } of extra.marks) this.#putMark.run(name, value);
    const voidMarks: number[] = [];
    for (const [index, { name, entry, value, account, epoch }] of extra.seqMarks.entries()) {
      const seq = seqs[entry];
      const isOthers = account !== undefined && epoch !== undefined && this.#isVoid(account, epoch);
      if (isOthers) voidMarks.push(index);
      else if (seq !== undefined) this.#putMark.run(name, value.join(String(seq)));
    }
    if (voidMarks.length > 0) verdicts.push({ batch: extra.batch, is: "stored", voidMarks });
    for (const name of extra.unmark) this.#dropMark.run(name);
    for (const { lane, seq, state, detail, copies } of extra.receipts) {
      const id = this.#names.intern(lane);
      this.#putReceipt.run(seq, id, state, detail);
      if (copies !== undefined) this.#ids.copies(id, copies);
    }
    if (extra.once === null) return;
    const { key, fingerprint, answer } = extra.once;
    if (answer === null) return;
    this.#putOnce.run(at, this.#names.intern(extra.account), key, fingerprint, answer);
  }
}

/** Another node decides what is deleted. */
function isCutVoid({ owners }: CommitRequest, { voids }: Progress): boolean {
  return owners?.accounts.some((account, at) => account === LOG_ACCOUNT && (voids[at] ?? null) !== null) ?? false;
}
