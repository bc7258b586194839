import { statfsSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { Seq } from "../log.ts";
import type { LogFailure } from "./committed.ts";
import { SearchReader } from "./search-reader.ts";
import { logFile, openDatabase } from "./database.ts";
import { belowFloor, closedError, runtimeFailure, toError } from "./failure.ts";
import { DISK_FLOOR, DiskFloor } from "./floor.ts";
import { IdTables } from "./ids.ts";
import { Names } from "./names.ts";
import type { CommitRequest, CommittedReply, Held, Request, WorkerOptions, WorkerReply } from "./protocol.ts";
import { hashOfState } from "./state-hash.ts";
import type { StreamPlace, StreamState } from "./stream-place.ts";
import { Queries, type Rows } from "./queries.ts";
import { assertNoReplica, Replica } from "./replica.ts";
import { Retention } from "./retention.ts";
import { StepRunner, type CooperativeSteps } from "./cooperative-steps.ts";
import { SubjectIndex } from "./subject-index.ts";
import { copyTo } from "./upkeep.ts";
import { WordSearch } from "./word-search.ts";
import { Writer } from "./writer.ts";

/** Retention looks at the size after this many characters were written, or an eighth of what it may keep. */
const SWEEP_CHARS = 8 * 1024 * 1024;

/** What takes more than one step, or changes something, is no question. */
type Question = Exclude<
  Request,
  { is: "commit" | "read" | "newest" | "search" | "words" | "sweep" | "plan" | "backup" | "close" }
>;

/** The database and what may be asked of it. Commits are done at once; reads and retention in slices between them. */
export class Store {
  readonly #file: string;
  readonly #db: Database;
  readonly #replica: Replica | null = null;
  readonly #writer: Writer;
  readonly #queries: Queries;
  readonly #names: Names;
  readonly #ids: IdTables;
  readonly #index: SubjectIndex;
  readonly #searchReader: SearchReader;
  readonly #retention: Retention;
  readonly #words: WordSearch;
  readonly #floor: DiskFloor;
  readonly #slicer = new StepRunner();
  readonly #say: (reply: WorkerReply) => void;
  readonly #sweepChars: number;
  #sweeping = false;
  /** The sweep to come when the running one has ended, and who waits for it. */
  #asked: { now: number; readonly ids: number[] } | null = null;
  #unswept = 0;
  /** All entries that were ever stored; null: nobody has asked yet. */
  #stored: number | null = null;
  #closing = false;
  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when no backup is under way. */
  #copying: Promise<void> = Promise.resolve();
  /** As the newest request said. */
  #held: Held | null = null;

  /** Throws what openDatabase throws. */
  constructor(options: WorkerOptions, say: (reply: WorkerReply) => void) {
    this.#file = logFile(options.dataPath);
    this.#db = openDatabase(options);
    this.#names = new Names(this.#db);
    this.#ids = new IdTables(this.#db, this.#names);
    this.#index = new SubjectIndex(this.#db, options.test.indexRows);
    if (options.stream === undefined) assertNoReplica(this.#db);
    else this.#replica = new Replica(this.#db, options.stream, options.compareEvery);
    this.#retention = new Retention(this.#db, this.#index, options);
    const carried = this.#replica && { replica: this.#replica, retention: this.#retention };
    this.#writer = new Writer(this.#db, this.#names, this.#ids, carried);
    this.#queries = new Queries(this.#db, this.#names, this.#index);
    this.#searchReader = new SearchReader(this.#db);
    const free = (): number => {
      const { bavail, bsize } = statfsSync(options.dataPath);
      return bavail * bsize;
    };
    this.#floor = new DiskFloor(free, options.test.floorBytes ?? DISK_FLOOR);
    this.#words = new WordSearch(this.#db, options, {
      names: this.#names,
      ids: this.#ids,
      head: () => this.head,
      hasRoom: () => this.#refusal(0) === null,
    });
    this.#sweepChars = Math.min(SWEEP_CHARS, options.retentionBytes / 8);
    this.#say = say;
  }

  /** Resolves when the answer to `close` has been given. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get head(): Seq {
    return this.#writer.head;
  }

  get stream(): StreamState | null {
    return this.#replica?.state ?? null;
  }

  handle(request: Request): void {
    switch (request.is) {
      case "commit":
        return this.#commit(request);
      case "read":
        return this.#rows(request.id, this.#queries.read(request, this.head));
      case "newest":
        return this.#rows(request.id, this.#queries.newest(request, this.head));
      case "search":
        return this.#slicer.run(
          this.#searchReader.search(request),
          (finds) => this.#say({ is: "finds", id: request.id, ...finds }),
          (error) => this.#fail(request.id, error),
        );
      case "words":
        return this.#slicer.run(
          this.#words.find(request),
          (matches) => this.#say({ is: "matches", id: request.id, matches }),
          (error) => this.#fail(request.id, error),
        );
      case "sweep":
        this.#held = request.held;
        return this.#sweep(request.now, request.id);
      case "plan":
        return this.#guard(request.id, () => {
          const cut = this.#retention.plan(request.now, request.held);
          this.#say({ is: "planned", id: request.id, cut });
        });
      case "backup":
        return this.#backup(request.id, request.file);
      case "close":
        this.#slicer.stop(closedError());
        this.#closing = true;
        // One that has not ended has the database in use; it gives up at its next step.
        return void this.#copying.then(() => this.#close(request.id));
      case "first":
      case "removed":
      case "removedSince":
      case "total":
      case "marks":
      case "receipts":
      case "find":
      case "get":
      case "refs":
      case "reactions":
      case "standing":
      case "entry":
      case "endings":
      case "anywhere":
      case "indexed":
        return this.#guard(request.id, () => this.#say(this.#answer(request)));
    }
  }

  /** What is answered at once. */
  #answer(request: Question): WorkerReply {
    const { id } = request;
    switch (request.is) {
      case "first":
        return { is: "first", id, seq: this.#queries.first() ?? this.head + 1 };
      case "removed":
        return { is: "count", id, count: this.#retention.removed.count(request.after, request.upTo) };
      case "removedSince":
        return { is: "position", id, seq: this.#retention.removed.since(request.ms) };
      case "total":
        return { is: "count", id, count: this.#total() };
      case "marks":
        return { is: "marks", id, marks: this.#queries.marks(request.prefix) };
      case "receipts":
        return { is: "receipts", id, receipts: this.#queries.receipts(request) };
      case "find":
        return { is: "known", id, known: this.#ids.find(request.place, request.refs) };
      case "get":
        return { is: "known", id, known: this.#ids.get(request.seq) };
      case "refs":
        return { is: "refs", id, refs: this.#ids.refs(request.seq, request.lane) };
      case "reactions":
        return { is: "reactions", id, reactions: this.#ids.reactions(request.seq) };
      case "standing":
        return { is: "standing", id, standing: request.seqs.map((seq) => this.#ids.standing(seq)) };
      case "entry": {
        const entry = this.#searchReader.entry(request.seq);
        return { is: "finds", id, entries: entry === null ? [] : [entry], next: null };
      }
      case "endings":
        return { is: "receipts", id, receipts: this.#searchReader.receiptsOf(request.seq) };
      case "anywhere":
        return { is: "manyKnown", id, known: this.#searchReader.anywhere(request.ref) };
      case "indexed":
        return { is: "position", id, seq: this.#words.reach() };
    }
  }

  /** Counted once, as that takes a look at all entries. */
  #total(): number {
    this.#stored ??= this.#retention.removed.total + this.#queries.count(this.#index.mark);
    return this.#stored;
  }

  #close(id: number): void {
    try {
      // So that the next start has nothing to look through.
      this.#index.moveAll();
    } catch {
      // It looks through it.
    }
    this.#words.close();
    this.#guard(id, () => {
      this.#db.close();
      this.#say({ is: "done", id });
    });
    this.#closed.resolve();
  }

  /** One at a time. */
  #backup(id: number, file: string): void {
    const step = (): void => {
      if (this.#closing) throw closedError();
    };
    this.#copying = this.#copying
      .then(async () => {
        step();
        await copyTo(this.#db, file, step);
        this.#say({ is: "done", id });
      })
      .catch((error: unknown) => this.#say({ is: "failed", id, failure: runtimeFailure(error, file) }));
  }

  #commit(request: CommitRequest): void {
    this.#held = request.held;
    const chars = request.payloads.reduce((sum, payload) => sum + payload.length, 0);
    this.#guard(request.id, () => {
      try {
        if (this.#index.isFull && request.payloads.length > 0) this.#index.makeRoom();
        const refusal = this.#refusal(chars);
        // What a stream brings is stored already: it is applied whole, or waits for room.
        if (refusal !== null && request.stream !== undefined && request.payloads.length > 0) throw toError(refusal);
        const committed = this.#writer.commit(request, request.stream === undefined ? refusal : null);
        if (committed.fate === "taken") {
          this.#index.add(request, committed, this.#names);
          if (this.#stored !== null) this.#stored += request.payloads.length - committed.absent.length;
        }
        const asked = request.stream === undefined ? null : this.#asksOf(request.stream, chars);
        this.#say({ is: "committed", id: request.id, at: request.at, ...committed, ...asked });
        if (request.cut !== undefined) this.#sweep(request.at, null);
        if (request.payloads.length > 0) this.#words.follow();
      } catch (error) {
        this.#floor.doubt();
        // What is too old may be in the way. Marks alone also come before anybody could hold what waits.
        if (request.payloads.length > 0) this.#sweep(request.at, null);
        throw error;
      }
    });
    this.#unswept += chars;
    if (this.#unswept >= this.#sweepChars && this.#replica === null) this.#sweep(request.at, null);
    // What goes wrong here is told by the next sweep, or by an append when no more may be gathered; damage, by reads.
    const done = (): void => undefined;
    if (this.#index.isDue) this.#slicer.run(this.#index.move(), done, done);
  }

  /** What the main thread has to see to behind a commit that a stream has brought. */
  #asksOf(place: StreamPlace, chars: number): Pick<CommittedReply, "isSweepDue" | "state"> {
    const isSweepDue = this.#unswept + chars >= this.#sweepChars;
    if (isSweepDue) this.#unswept = -chars;
    const state = this.#replica?.isCompared(place) === true ? this.#state() : null;
    return { isSweepDue, ...(state !== null && { state }) };
  }

  /** Null when it cannot be read: the commit is stored all the same, and this node is missing in one comparison. */
  #state(): string | null {
    try {
      return hashOfState(this.#db);
    } catch (error) {
      // That stops the node, as it should.
      if (runtimeFailure(error, this.#file).code === "damaged") throw error;
      return null;
    }
  }

  #refusal(chars: number): LogFailure | null {
    const free = this.#floor.below(performance.now(), chars);
    return free === null ? null : belowFloor(this.#file, free, this.#floor.bytes);
  }

  #rows(id: number, work: CooperativeSteps<Rows>): void {
    this.#slicer.run(
      work,
      (rows) => this.#say({ is: "rows", id, ...rows }),
      (error) => this.#fail(id, error),
    );
  }

  /** One sweep at a time: what is asked meanwhile is answered by the next. `id` is null when nobody waits. */
  #sweep(now: number, id: number | null): void {
    this.#asked ??= { now, ids: [] };
    this.#asked.now = Math.max(now, this.#asked.now);
    if (id !== null) this.#asked.ids.push(id);
    this.#nextSweep();
  }

  #nextSweep(): void {
    if (this.#sweeping || this.#asked === null) return;
    const { now, ids } = this.#asked;
    this.#asked = null;
    this.#sweeping = true;
    this.#unswept = 0;
    const end = (answer: (id: number) => void): void => {
      this.#sweeping = false;
      for (const id of ids) answer(id);
      this.#nextSweep();
    };
    this.#slicer.run(
      this.#upkeep(now),
      () => end((id) => this.#say({ is: "done", id })),
      (error) => end((id) => this.#fail(id, error)),
    );
  }

  /** Retention, which may make room; then what the index of subjects has gathered, however little. */
  *#upkeep(now: number): CooperativeSteps<undefined> {
    // Where all nodes delete the same, that comes as a commit does.
    if (this.#replica === null) yield* this.#retention.sweep(now, { head: () => this.head, held: () => this.#held });
    yield* this.#retention.shrink();
    yield* this.#index.move();
    return yield* this.#words.prune();
  }

  #guard(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    this.#say({ is: "failed", id, failure: runtimeFailure(error, this.#file) });
  }
}
