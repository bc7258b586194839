import type { RemovedRequest, RemovedSinceRequest } from "./count-protocol.ts";
import type { LogObserver } from "../search.ts";
import { LogError } from "../errors.ts";
import { LOG_ACCOUNT } from "../fence.ts";
import type {
  Appended,
  Batch,
  EntryHead,
  Hold,
  Ids,
  Log,
  Mark,
  Receipt,
  Seq,
  StoredEntry,
  Subject,
  TailListener,
} from "../log.ts";
import { Tail, type TailEntry } from "../tail.ts";
import { type WorkerConnection, expectReply } from "./connection.ts";
import { closedError } from "./failure.ts";
import type { Carrier } from "./carrier.ts";
import { type Commit, GroupCommit } from "./group-commit.ts";
import { SqliteArchive } from "./sqlite-search.ts";
import { SqliteIds } from "./sqlite-ids.ts";
import { Soundness } from "./soundness.ts";
import type {
  CommitRequest,
  CommittedReply,
  FirstRequest,
  Held,
  MarksRequest,
  NewestRequest,
  PlanRequest,
  ReadRequest,
  ReceiptsRequest,
  WorkerReply,
  RowsReply,
  SweepRequest,
} from "./protocol.ts";
import type { StreamPlace } from "./stream-place.ts";

/** How often retention is applied, in ms; it also follows what was written. */
const SWEEP_MS = 60_000;
/** Most entries a read looks through in memory before it asks the worker instead. */
const RECENT_ENTRIES = 4096;
/** Characters of payload one read returns when the caller does not say. */
const READ_CHARS = 4 * 1024 * 1024;
const NONE: readonly string[] = [];

interface Query {
  readonly subjects: readonly Subject[];
  readonly after: Seq;
  readonly limit: number;
}

/** The log over its worker: never waits for the disk on the main thread. Made by `openSqliteLog`. */
export class SqliteLog implements Log {
  readonly failed: Promise<LogError>;
  readonly ids: Ids;
  readonly archive: SqliteArchive;
  readonly #connection: WorkerConnection;
  readonly #carrier: Carrier | null;
  readonly #clock: () => number;
  readonly #commits: GroupCommit;
  readonly #tail: Tail;
  readonly #sweeps: NodeJS.Timeout;
  readonly #soundness: Soundness;
  #head: Seq;
  #hold: Hold | null = null;
  /** Sweeps under way that go through the carrier. */
  #sweeping = 0;
  #closed: Promise<void> | null = null;

  constructor(
    connection: WorkerConnection,
    options: {
      readonly tailBytes: number;
      readonly pendingBytes: number;
      readonly clock: () => number;
      readonly observer?: LogObserver | null;
      readonly isSound?: (payload: string) => boolean;
    },
    carrier: Carrier | null = null,
  ) {
    this.#connection = connection;
    this.#clock = options.clock;
    this.#head = connection.head;
    this.#carrier = carrier;
    this.failed = carrier === null ? connection.failed : Promise.race([connection.failed, carrier.failed]);
    this.ids = new SqliteIds(connection, () => this.#open());
    this.#soundness = new Soundness(options.isSound ?? (() => true));
    this.archive = new SqliteArchive(connection, this.#soundness, () => this.#open());
    this.#tail = new Tail(connection.head, options.tailBytes);
    this.#commits = new GroupCommit({
      pendingBytes: options.pendingBytes,
      clock: options.clock,
      observer: options.observer ?? null,
      ...(carrier !== null && {
        groupEntries: carrier.groupEntries,
        epochOf: (account: string) => carrier.epochOf(account),
      }),
      send: (request, done) => {
        if (carrier === null) this.#apply(request, done);
        else carrier.send(request, done);
      },
      committed: (entries) => this.#publish(entries),
    });
    carrier?.attach({
      apply: (request, done, stream) => this.#apply(request, done, stream),
      publish: (entries) => this.#publish(entries),
      refuse: (ageMs, error) => this.#commits.refuse(ageMs, error),
      abandon: (error) => this.#commits.abandon(error),
    });
    // Not at once: who waits for entries has first to read where it stands, and then to hold them.
    this.#sweeps = setInterval(() => this.#sweepInPassing(), SWEEP_MS).unref();
  }

  get head(): Seq {
    return this.#head;
  }

  append(batch: Batch): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.appendThen(batch, (outcome) => (outcome instanceof LogError ? reject(outcome) : resolve(outcome)));
    });
  }

  appendThen(batch: Batch, done: (outcome: Appended | LogError) => void): void {
    if (this.#closed !== null) return queueMicrotask(() => done(closedError()));
    const settle = batch.entries.length === 0 ? done : this.#noting(done);
    this.#commits.addThen({ batch, unmark: NONE }, settle);
  }

  async mark(marks: readonly Mark[], { rides = false, account = "" }: Parameters<Log["mark"]>[1] = {}): Promise<void> {
    this.#open();
    await this.#commits.add({ batch: { account, entries: [], marks }, unmark: [], rides });
  }

  async unmark(names: readonly string[]): Promise<void> {
    this.#open();
    await this.#commits.add({ batch: { account: "", entries: [] }, unmark: names });
  }

  async marks(prefix: string): Promise<ReadonlyMap<string, string>> {
    this.#open();
    const reply = await this.#connection.call<MarksRequest>({ is: "marks", prefix });
    return new Map(expectReply("marks", reply).marks);
  }

  async receipts(query: {
    readonly lane: string;
    readonly after: Seq;
    readonly limit: number;
  }): Promise<readonly Receipt[]> {
    this.#open();
    const reply = await this.#connection.call<ReceiptsRequest>({ is: "receipts", ...query });
    return expectReply("receipts", reply).receipts;
  }

  async read({ bytes = READ_CHARS, ...query }: Query & { readonly bytes?: number }): Promise<readonly StoredEntry[]> {
    this.#open();
    const recent = this.#recent(query);
    if (recent !== null) return upTo(recent, query.limit, bytes);
    const reply = await this.#connection.call<ReadRequest>({ is: "read", bytes, ...query });
    const rows = expectReply("rows", reply);
    const entries = headsOf(query, rows).map(({ seq, subject, at, label }, index) => {
      return { seq, subject, at, label, payload: rows.payloads[index] ?? "" };
    });
    const sound = entries.filter(this.#soundness.test);
    const last = entries.at(-1);
    // None would mean the end.
    return sound.length === 0 && last !== undefined ? await this.read({ ...query, bytes, after: last.seq }) : sound;
  }

  async newest(query: Query): Promise<{ readonly entries: readonly EntryHead[]; readonly skipped: number }> {
    this.#open();
    const recent = this.#recent(query);
    if (recent !== null) {
      const skipped = Math.max(0, recent.length - query.limit);
      const entries = recent.slice(skipped).map(({ seq, subject, at, label }) => ({ seq, subject, at, label }));
      return { entries, skipped };
    }
    const reply = await this.#connection.call<NewestRequest>({ is: "newest", ...query });
    const rows = expectReply("rows", reply);
    return { entries: headsOf(query, rows), skipped: rows.skipped };
  }

  async first(): Promise<Seq> {
    this.#open();
    const reply = await this.#connection.call<FirstRequest>({ is: "first" });
    return expectReply("first", reply).seq;
  }

  async removed({ after, upTo }: { readonly after: Seq; readonly upTo: Seq }): Promise<number> {
    this.#open();
    const reply = await this.#connection.call<RemovedRequest>({ is: "removed", after, upTo });
    return expectReply("count", reply).count;
  }

  async removedSince(ms: number): Promise<Seq | null> {
    this.#open();
    const reply = await this.#connection.call<RemovedSinceRequest>({ is: "removedSince", ms });
    return expectReply("position", reply).seq;
  }

  tail(listener: TailListener): () => void {
    return this.#tail.listen(listener);
  }

  hold(hold: Hold): () => void {
    const own: Hold = { after: () => hold.after(), ageMs: hold.ageMs };
    this.#hold = own;
    this.#sweepInPassing();
    return () => {
      if (this.#hold === own) this.#hold = null;
    };
  }

  /** Deletes what retention no longer keeps, now; resolves when that is done. Of several nodes, one does it for all. */
  async sweep(): Promise<void> {
    this.#open();
    if (this.#carrier !== null) return await this.#sweepForAll(this.#carrier);
    await this.#connection.call<SweepRequest>({ is: "sweep", now: this.#clock(), held: this.#held() });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #apply(request: Commit, done: (reply: CommittedReply | LogError) => void, stream?: StreamPlace): void {
    const settle = (reply: WorkerReply | LogError): void => {
      const committed = only("committed", reply);
      done(committed);
      if (!(committed instanceof LogError) && committed.isSweepDue === true) this.#sweepInPassing();
    };
    const commit = { ...request, held: this.#held() };
    this.#connection.send<CommitRequest>(stream === undefined ? commit : { ...commit, stream }, settle);
  }

  /** Step by step, each a commit: decided here, and deleted at the same place of the stream everywhere. */
  async #sweepForAll(carrier: Carrier): Promise<void> {
    this.#sweeping += 1;
    try {
      while (carrier.sweeps && this.#closed === null) {
        const reply = await this.#connection.call<PlanRequest>({
          is: "plan",
          now: this.#clock(),
          held: this.#held(),
        });
        const { cut } = expectReply("planned", reply);
        if (cut === null) return;
        await this.#commits.add({ batch: { account: LOG_ACCOUNT, entries: [] }, unmark: NONE, cut });
      }
    } catch (error) {
      // Another node has taken over meanwhile, and does it from now on.
      if (!(error instanceof LogError && error.code === "fenced")) throw error;
    } finally {
      this.#sweeping -= 1;
    }
  }

  #sweepInPassing(): void {
    if (this.#sweeping > 0) return;
    // A sweep that fails has met what the next append will meet and tell.
    this.sweep().catch(() => undefined);
  }

  #held(): Held | null {
    return this.#hold && { after: this.#hold.after(), ageMs: this.#hold.ageMs };
  }

  async #end(): Promise<void> {
    clearInterval(this.#sweeps);
    this.#carrier?.end();
    await this.#commits.drained();
    await this.#carrier?.close();
    await this.#connection.close();
  }

  /** What became of an append with entries is for operators, too. */
  #noting(done: (outcome: Appended | LogError) => void): (outcome: Appended | LogError) => void {
    return (outcome) => {
      if (outcome instanceof LogError) this.archive.noteAppend(outcome);
      else if (outcome.is === "stored") this.archive.noteAppend(null);
      done(outcome);
    };
  }

  /** Throws once the log is closing. */
  #open(): void {
    if (this.#closed !== null) throw closedError();
  }

  #publish(entries: readonly TailEntry[]): void {
    this.#head = entries.at(-1)?.seq ?? this.#head;
    this.#tail.publish(entries);
  }

  /** The matching entries when memory holds all that can match: a reader who keeps up never touches the disk. */
  #recent({ subjects, after }: Query): readonly TailEntry[] | null {
    const recent = this.#tail.since(after, RECENT_ENTRIES);
    if (recent === null || recent.length === 0) return recent;
    const wanted = new Set(subjects);
    return recent.filter(({ subject }) => wanted.has(subject));
  }
}

function upTo(entries: readonly TailEntry[], limit: number, bytes: number): readonly StoredEntry[] {
  const kept: StoredEntry[] = [];
  let total = 0;
  for (const { seq, subject, at, label, payload } of entries) {
    // The window holds only entries with a payload.
    if (kept.length >= limit || (kept.length > 0 && total >= bytes) || payload === null) break;
    kept.push({ seq, subject, at, label, payload });
    total += payload.length;
  }
  return kept;
}

function headsOf({ subjects }: Query, rows: Pick<RowsReply, "seqs" | "subjectOf" | "ats" | "labels">): EntryHead[] {
  return rows.seqs.map((seq, index) => ({
    seq,
    subject: subjects[rows.subjectOf[index] ?? 0] ?? "",
    at: rows.ats[index] ?? 0,
    label: rows.labels[index] ?? "",
  }));
}

function only<K extends WorkerReply["is"]>(
  kind: K,
  reply: WorkerReply | LogError,
): Extract<WorkerReply, { is: K }> | LogError {
  return reply instanceof Error ? reply : expectReply(kind, reply);
}
