import type { Database, Statement } from "better-sqlite3";
import type { Seq } from "../log.ts";
import { IdRetention } from "./ids-retention.ts";
import type { Cut } from "./cut.ts";
import type { Held, WorkerOptions } from "./protocol.ts";
import { Removed } from "./removed.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import type { SubjectIndex } from "./subject-index.ts";

/** How long an answer is kept under its idempotency key, in ms. */
export const ONCE_MS = 24 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** What one step may delete: some milliseconds of work. */
const STEP_ROWS = 256;
const STEP_BYTES = 4 * 1024 * 1024;
const STEP_RECEIPTS = 4096;
/** Pages one step gives back to the disk. */
const STEP_PAGES = 256;
/** Free pages that the file keeps for what comes next: this many, or this share of it, whichever is more. */
const SPARE_PAGES = 4096;
const SPARE_SHARE = 0.25;

/** What a sweep respects, asked at each step: both move on while it runs. */
interface Bounds {
  readonly head: () => Seq;
  readonly held: () => Held | null;
}

interface Oldest {
  readonly seq: Seq;
  readonly at: number;
  readonly bytes: number;
}

/** An answer for an idempotency key. */
type Answer = Pick<Oldest, "at" | "bytes">;

/**
 * Deletes what is too old, then the oldest while the file is too large, in steps between which commits may run; what is
 * held stays in either case. Receipts go with their entries; only when there are very many do some of them take steps
 * more. Answers kept for idempotency keys go after their 24 h, or with the entries of their time when room is short.
 * What is known of ids has days of its own; when room is short, what outlives its entries goes before any entry does.
 */
export class Retention {
  readonly #db: Database;
  readonly #maxAge: number;
  readonly #maxBytes: number;
  readonly #pageSize: number;
  readonly #oldest: Statement<[], Oldest>;
  readonly #delete: Statement<[Seq]>;
  readonly #deleteReceipts: Statement<[]>;
  readonly #keepHigh: Statement<[Seq]>;
  readonly #answers: Statement<[], Answer>;
  readonly #lastOnce: Statement<[number], number>;
  readonly #deleteOnce: Statement<[number, number]>;
  readonly #strayReceipt: Statement<[], number>;
  readonly #ids: IdRetention;
  readonly #index: SubjectIndex;
  readonly removed: Removed;

  constructor(
    db: Database,
    index: SubjectIndex,
    policy: Pick<WorkerOptions, "retentionDays" | "retentionBytes" | "messageIdDays">,
  ) {
    this.#db = db;
    this.#index = index;
    this.#ids = new IdRetention(db, policy.messageIdDays * DAY_MS);
    this.removed = new Removed(db);
    this.#maxAge = policy.retentionDays * DAY_MS;
    this.#maxBytes = policy.retentionBytes;
    this.#pageSize = this.#pragma("page_size");
    this.#oldest = db.prepare(
      `SELECT seq, at, octet_length(payload) AS bytes FROM entry ORDER BY seq LIMIT ${STEP_ROWS}`,
    );
    this.#delete = db.prepare("DELETE FROM entry WHERE seq <= ?");
    // Of entries that are gone: also one that was put after its entry went.
    const stray = "FROM receipt WHERE seq < coalesce((SELECT min(seq) FROM entry), (SELECT seq + 1 FROM high))";
    this.#deleteReceipts = db.prepare(
      `DELETE FROM receipt WHERE (seq, lane) IN (SELECT seq, lane ${stray} ORDER BY seq, lane LIMIT ${STEP_RECEIPTS})`,
    );
    this.#strayReceipt = db.prepare<[], number>(`SELECT seq ${stray} LIMIT 1`).pluck();
    this.#keepHigh = db.prepare("UPDATE high SET seq = max(seq, ?)");
    this.#answers = db.prepare(`SELECT at, octet_length(answer) AS bytes FROM once ORDER BY id LIMIT ${STEP_ROWS}`);
    this.#lastOnce = db
      .prepare<[number], number>(
        `SELECT max(id) FROM (SELECT id, at FROM once ORDER BY id LIMIT ${STEP_ROWS}) WHERE at <= ?`,
      )
      .pluck();
    this.#deleteOnce = db.prepare("DELETE FROM once WHERE id <= ? AND at <= ?");
  }

  /** `now`: Unix ms. Throws what SQLite throws; what was deleted stays deleted. */
  *sweep(now: number, { head, held }: Bounds): CooperativeSteps<undefined> {
    for (;;) {
      yield;
      const cut = this.plan(now, held());
      if (cut === null) return undefined;
      this.#db.transaction(() => this.apply(cut, head())).immediate();
      this.applied(cut);
    }
  }

  /** Gives free pages back to the disk. */
  *shrink(): CooperativeSteps<undefined> {
    for (let spare = this.#spare(), before = Infinity; spare > 0 && spare < before;) {
      this.#db.pragma(`incremental_vacuum(${STEP_PAGES})`);
      yield;
      before = spare;
      spare = this.#spare();
    }
    return undefined;
  }

  /** What is to go next; null when there is nothing. */
  plan(now: number, held: Held | null): Cut | null {
    const over = (this.#pragma("page_count") - this.#pragma("freelist_count")) * this.#pageSize - this.#maxBytes;
    const ids = this.#ids.due(now, over > 0);
    // What goes with these ids may be enough.
    const excess = ids === null ? over : 0;
    const oldest = this.#oldest.all();
    const room = { excess, answers: excess > 0 ? this.#answers.all() : [] };
    const last = choose(oldest, now, this.#maxAge, room, held);
    // When all entries are held, so are the answers of their time: a post that is repeated now must not be said twice.
    const crowdedOut = last?.at ?? (oldest[0] === undefined ? Number.MAX_SAFE_INTEGER : oldest[0].at - 1);
    const before = Math.max(now - ONCE_MS, excess > 0 ? crowdedOut : -Infinity);
    const id = this.#lastOnce.get(before) ?? null;
    if (last === null && ids === null && id === null && this.#strayReceipt.get() === undefined) return null;
    return { entries: last?.seq ?? 0, ids: ids ?? 0, answers: { id: id ?? 0, before } };
  }

  /** Inside a transaction. `head`: the highest seq ever. */
  apply({ entries, ids, answers }: Cut, head: Seq): void {
    this.#deleteOnce.run(answers.id, answers.before);
    if (entries > 0) {
      this.#keepHigh.run(head);
      this.removed.note(entries);
      this.#index.deleteUpTo(entries);
      this.#delete.run(entries);
    }
    if (ids > 0) this.#ids.forget(ids);
    this.#deleteReceipts.run();
  }

  /** To be called once that is committed. */
  applied({ entries }: Cut): void {
    if (entries > 0) this.#index.forgetUpTo(entries);
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

/**
 * The last entry of those to delete in this step; null when none is to go. `answers` of the time of these entries go
 * with them, and make room as well.
 */
function choose(
  oldest: readonly Oldest[],
  now: number,
  maxAge: number,
  { excess, answers }: { readonly excess: number; readonly answers: readonly Answer[] },
  held: Held | null,
): Oldest | null {
  let last: Oldest | null = null;
  let bytes = 0;
  let counted = 0;
  for (const entry of oldest) {
    if (held !== null && entry.seq > held.after && entry.at > now - held.ageMs) break;
    const expired = entry.at < now - maxAge;
    if ((!expired && bytes >= excess) || bytes >= STEP_BYTES) break;
    bytes += entry.bytes;
    for (; (answers[counted]?.at ?? Infinity) <= entry.at; counted += 1) bytes += answers[counted]?.bytes ?? 0;
    last = entry;
  }
  return last;
}
