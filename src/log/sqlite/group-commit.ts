import type { LogObserver } from "../search.ts";
import { LogError } from "../errors.ts";
import type { Appended, Batch, NewEntry, Seq } from "../log.ts";
import { TailEntry } from "../tail.ts";
import { UnknownOutcome } from "../unknown-outcome.ts";
import type { BatchVerdict } from "./committed.ts";
import type { Cut } from "./cut.ts";
import { toError } from "./failure.ts";
import { charsOfCopies, charsOfNote, NoteColumns } from "./notes.ts";
import { encodeOwners, fencedBy, type Owned, ownedBy } from "./owners.ts";
import type { BatchExtra, CommitRequest, CommittedReply } from "./protocol.ts";

/** One commit takes batches until it has this many entries or characters; a larger batch goes alone. */
const GROUP_ENTRIES = 2048;
const GROUP_CHARS = 4 * 1024 * 1024;
/** Most turns of the event loop that a commit waits for others; for another one only while each brings more. */
const GATHER_TURNS = 4;
/** So many share the cost of a commit that waiting for more would cost more than it saves. */
const GATHERED = 64;
/** How long what rides with others waits for them, in ms. */
const RIDE_MS = 200;
/** What a waiting batch or entry costs in memory beside its text, in bytes. */
const WAITING_OVERHEAD = 128;

/** A batch as the callers of the log give it, and the marks to forget. */
export interface PendingBatch {
  readonly batch: Batch;
  readonly unmark: readonly string[];
  /** It causes no commit, and goes with the next one. */
  readonly rides?: boolean;
  /** Deleted with it; of two in one commit the first counts. */
  readonly cut?: Cut | null;
}

/** Told once what became of a batch. */
export type Settle = (outcome: Appended | LogError) => void;

/** `owned`: null where nobody else writes to the log. */
interface Item extends PendingBatch {
  readonly owned: Owned | null;
  readonly size: number;
  /** When it was handed over, by `performance.now`. */
  readonly sinceMs: number;
  readonly cut: Cut | null;
  /** Another one once its first has been told that nobody knows. */
  settle: Settle;
}

/** A commit as the group makes it; who sends it adds what is not of the batches. */
export type Commit = Omit<CommitRequest, "id" | "held" | "stream">;

export interface GroupCommitOptions {
  /** Most bytes that may wait. */
  readonly pendingBytes: number;
  /** Most entries of a commit of several batches, if other than usual. */
  readonly groupEntries?: number;
  /** In which epoch this process holds an account; absent where nobody else writes to the log. */
  readonly epochOf?: (account: string) => number;
  /** Unix ms. */
  readonly clock: () => number;
  readonly observer: LogObserver | null;
  /** Hands a commit to the worker; answers must come in the order of the calls. */
  readonly send: (request: Commit, done: (reply: CommittedReply | LogError) => void) => void;
  /** Told of each commit before its batches resolve: the new head is the last entry's seq. */
  readonly committed: (entries: readonly TailEntry[]) => void;
}

/**
 * Gathers what comes while a commit runs, and sends it as the next one. An idle log commits what comes alone at once,
 * what rides with others excepted; what comes with others waits a few turns of the event loop for more of them, as
 * each commit wakes both threads and the disk. One commit at a time: with a second one ready in the worker's mailbox
 * commits are half as large and twice as many, and a batch waits for three instead of two.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Item[] = [];
  #bytes = 0;
  #committing = false;
  /** Those of the commit that is under way, until they have been told that nobody knows. */
  #flying: readonly Item[] = [];
  #scheduled = false;
  /** Something waits that does not ride, or has ridden for long enough. */
  #urgent = false;
  #ride: NodeJS.Timeout | undefined;
  readonly #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Resolves once durable; rejects with a LogError (`overloaded` at once). */
  add(waiting: PendingBatch): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.addThen(waiting, (outcome) => (outcome instanceof LogError ? reject(outcome) : resolve(outcome)));
    });
  }

  /** The same without a promise; never tells before it returns. */
  addThen({ batch, unmark, rides = false, cut = null }: PendingBatch, settle: Settle): void {
    const size = sizeOf(batch, unmark);
    // A batch that finds nothing waiting is taken whatever its size, or it could never be.
    if (this.#bytes > 0 && this.#bytes + size > this.#options.pendingBytes) {
      const error = new LogError(
        "overloaded",
        `The disk does not keep up: ${this.#bytes} bytes wait to be written, the limit is ${this.#options.pendingBytes}. Try again in a moment.`,
      );
      this.#options.observer?.refused(error);
      return queueMicrotask(() => tell(settle, error));
    }
    this.#bytes += size;
    // As it is held now: what an account appended before it was lost stays void when it comes back.
    const { epochOf } = this.#options;
    const owned = epochOf === undefined ? null : ownedBy(batch, epochOf);
    this.#waiting.push({ batch, owned, unmark, rides, cut, size, sinceMs: performance.now(), settle });
    if (!rides) this.#urgent = true;
    this.#schedule();
  }

  /** Refuses what has waited for so long and is in no commit yet. */
  refuse(ageMs: number, error: LogError): void {
    const since = performance.now() - ageMs;
    const kept = this.#waiting.filter(({ sinceMs }) => sinceMs > since);
    if (kept.length === this.#waiting.length) return;
    const late = this.#waiting.filter(({ sinceMs }) => sinceMs <= since);
    this.#waiting = kept;
    for (const { size } of late) this.#bytes -= size;
    this.#fail(late, error);
  }

  /**
   * Tells those of the commit under way that nobody knows, each with an UnknownOutcome; it stays under way, and what it
   * stores is published.
   */
  abandon(doubt: LogError): void {
    this.#options.observer?.refused(doubt);
    for (const item of this.#flying) {
      const { settle } = item;
      const { promise, resolve } = Promise.withResolvers<Appended | LogError>();
      item.settle = resolve;
      tell(settle, new UnknownOutcome(doubt.message, promise));
    }
    this.#flying = [];
  }

  /** Resolves when nothing waits and nothing is on its way. */
  drained(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#committing) return Promise.resolve();
    this.#hurry();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** At the end of this turn of the event loop at the earliest, so that what came in it shares one commit. */
  #schedule(): void {
    if (this.#scheduled || this.#committing || this.#waiting.length === 0) return;
    if (!this.#urgent) {
      this.#ride ??= setTimeout(() => this.#hurry(), RIDE_MS);
      return;
    }
    this.#scheduled = true;
    const riding = this.#waiting.filter(({ rides }) => rides).length;
    this.#gather(riding + 1, GATHER_TURNS);
  }

  /** Never waits for the network: a turn with nothing to read takes no time. `known`: so many are no reason to wait. */
  #gather(known: number, turns: number): void {
    setImmediate(() => {
      const count = this.#waiting.length;
      if (count > known && count < GATHERED && turns > 1) return this.#gather(count, turns - 1);
      this.#scheduled = false;
      this.#flush();
    });
  }

  #hurry(): void {
    this.#urgent = true;
    this.#schedule();
  }

  #flush(): void {
    clearTimeout(this.#ride);
    this.#ride = undefined;
    const items = this.#take();
    this.#committing = true;
    this.#flying = items;
    this.#options.send(encode(items, this.#options.clock()), (reply) => {
      this.#committing = false;
      this.#flying = [];
      for (const { size } of items) this.#bytes -= size;
      if (reply instanceof LogError) this.#fail(items, reply);
      else this.#settle(items, reply);
      this.#schedule();
      if (this.#waiting.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  #fail(items: readonly Item[], error: LogError): void {
    this.#options.observer?.refused(error);
    for (const { settle } of items) tell(settle, error);
  }

  #take(): Item[] {
    const { groupEntries = GROUP_ENTRIES } = this.#options;
    let entries = 0;
    let chars = 0;
    let count = 0;
    for (const { batch, size } of this.#waiting) {
      if (count > 0 && (entries + batch.entries.length > groupEntries || chars + size > GROUP_CHARS)) break;
      entries += batch.entries.length;
      chars += size;
      count++;
    }
    if (count === this.#waiting.length) {
      const all = this.#waiting;
      this.#waiting = [];
      this.#urgent = false;
      return all;
    }
    return this.#waiting.splice(0, count);
  }

  #settle(items: readonly Item[], reply: CommittedReply): void {
    const stored: TailEntry[] = [];
    const absent = new Set(reply.absent);
    const verdicts = new Map(reply.verdicts.map((verdict) => [verdict.batch, verdict]));
    let seq = reply.first;
    let row = 0;
    const answers: (readonly (Seq | null)[])[] = [];
    for (const { batch } of items) {
      const seqs: (Seq | null)[] = [];
      for (const entry of batch.entries) {
        if (absent.size > 0 && absent.has(row++)) {
          seqs.push(null);
          continue;
        }
        stored.push(new TailEntry(seq, reply.at, entry));
        seqs.push(seq++);
      }
      answers.push(seqs);
    }
    this.#options.committed(stored);
    this.#observe(items, verdicts);
    let index = 0;
    for (const { batch, settle } of items) {
      tell(settle, outcomeOf(answers[index] ?? [], batch.account, verdicts.get(index)));
      index += 1;
    }
  }

  #observe(items: readonly Item[], verdicts: ReadonlyMap<number, BatchVerdict>): void {
    const { observer } = this.#options;
    if (observer === null) return;
    const now = performance.now();
    let index = 0;
    for (const { batch, sinceMs } of items) {
      const verdict = verdicts.get(index++);
      const isStored = verdict === undefined || verdict.is === "stored";
      if (verdict?.is === "refused") observer.refused(verdict.failure);
      else if (verdict?.is === "fenced") observer.refused(fencedBy(batch.account, verdict.by));
      else if (isStored && batch.entries.length > 0) observer.appended(batch.entries.length, now - sinceMs);
    }
  }
}

/** What one of them throws is a bug of its own: it must be seen, and neither the commit nor the others may suffer. */
function tell(settle: Settle, outcome: Appended | LogError): void {
  try {
    settle(outcome);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function outcomeOf(
  seqs: readonly (Seq | null)[],
  account: string,
  verdict: BatchVerdict | undefined,
): Appended | LogError {
  switch (verdict?.is) {
    case undefined:
      return { is: "stored", seqs };
    case "stored":
      return { is: "stored", seqs, voidMarks: verdict.voidMarks };
    case "fenced":
      return fencedBy(account, verdict.by);
    case "repeated":
      return { is: "repeated", answer: verdict.answer };
    case "conflict":
      return { is: "conflict" };
    case "refused":
      return toError(verdict.failure);
  }
}

/** Characters of all text in it, and an overhead: near enough to bytes, and free to count. */
function sizeOf(batch: Batch, unmark: readonly string[]): number {
  let size = WAITING_OVERHEAD;
  for (const { subject, key, label, payload, note } of batch.entries) {
    if (note !== undefined) size += charsOfNote(note);
    size += WAITING_OVERHEAD + subject.length + (key?.length ?? 0) + label.length + payload.length;
  }
  for (const { name, value } of batch.marks ?? []) size += WAITING_OVERHEAD + name.length + value.length;
  for (const { name, value } of batch.seqMarks ?? []) size += WAITING_OVERHEAD + name.length + value.join("").length;
  for (const { lane, detail, copies } of batch.receipts ?? []) {
    if (copies !== undefined) size += charsOfCopies(copies);
    size += WAITING_OVERHEAD + lane.length + detail.length;
  }
  for (const name of unmark) size += WAITING_OVERHEAD + name.length;
  if (batch.once !== undefined) {
    size += batch.once.key.length + batch.once.fingerprint.length + (batch.once.answer?.length ?? 0);
  }
  return size;
}

function encode(items: readonly Item[], at: number): Commit {
  const counts: number[] = [];
  const subjects = new Map<string, number>();
  const subjectOf: number[] = [];
  const labels: string[] = [];
  const payloads: string[] = [];
  const extras: BatchExtra[] = [];
  let notes: NoteColumns | null = null;
  let labelled = false;
  let cut: Cut | null = null;
  // Counted by hand here and above: `entries` makes two objects for each, and these are as many as the messages.
  let index = 0;
  for (const item of items) {
    const { entries } = item.batch;
    counts.push(entries.length);
    cut ??= item.cut;
    for (const { subject, label, payload, note } of entries) {
      if (note !== undefined) (notes ??= new NoteColumns()).add(payloads.length, note);
      let number = subjects.get(subject);
      if (number === undefined) subjects.set(subject, (number = subjects.size));
      subjectOf.push(number);
      labels.push(label);
      labelled ||= label !== "";
      payloads.push(payload);
    }
    const extra = extraOf(index++, item);
    if (extra !== null) extras.push(extra);
  }
  return {
    is: "commit",
    at,
    counts,
    subjects: [...subjects.keys()],
    subjectOf,
    labels: labelled ? labels : null,
    payloads,
    notes: notes?.all ?? null,
    extras,
    ...(cut !== null && { cut }),
    ...encodeOwners(items),
  };
}

/** Null when the batch is nothing but keyless entries. */
function extraOf(index: number, { batch, owned, unmark }: Item): BatchExtra | null {
  const { account, entries, marks = [], receipts = [], once = null } = batch;
  const seqMarks = owned?.seqMarks ?? batch.seqMarks ?? [];
  const keyed = entries.some(hasKey);
  const small = marks.length + seqMarks.length + unmark.length + receipts.length;
  if (!keyed && small === 0 && once === null) return null;
  const keys = keyed ? entries.map(({ key }) => key) : null;
  return { batch: index, account, keys, marks, seqMarks, unmark, receipts, once };
}

function hasKey({ key }: NewEntry): boolean {
  return key !== null;
}
