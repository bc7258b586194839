import type { EpochClaim } from "../fence.ts";
import type { IdNote, Known, Reaction, Receipt, Seq, SeqMark, StoredEntry, Subject } from "../log.ts";
import type { Matches, Standing, WordQuery } from "../search.ts";
import type { WordMode } from "../words.ts";
import type { Committed, LogFailure } from "./committed.ts";
import type { CountReply, RemovedRequest, RemovedSinceRequest, TotalRequest } from "./count-protocol.ts";
import type { Cut } from "./cut.ts";
import type { Owners } from "./owners.ts";
import type { StreamPlace, StreamState } from "./stream-place.ts";

/**
 * What the main thread and the log's worker say to each other. Rows travel as columns: cloning a few long arrays
 * costs far less than cloning one object per row. Every request is answered once, by `id`; commits in their order.
 */

export interface WorkerOptions {
  /** Absolute path of the data folder. */
  readonly dataPath: string;
  readonly durability: "power" | "process";
  readonly retentionDays: number;
  readonly retentionBytes: number;
  readonly messageIdDays: number;
  /** How the index of words is kept; null or absent: there is none. */
  readonly search?: WordMode | null;
  /** Which stream brings its commits; absent: they are made here. */
  readonly stream?: string;
  /** Places of that stream from one comparison of states to the next. */
  readonly compareEvery?: number;
  readonly test: TestLimits;
}

/** Only for tests: small limits, to meet a full disk without filling one. */
export interface TestLimits {
  readonly maxPages?: number;
  readonly floorBytes?: number;
  /** Entries that the index of subjects gathers before it moves them. */
  readonly indexRows?: number;
}

/** What a hold says at this moment: entries with seq > after and younger than `ageMs` stay. */
export interface Held {
  readonly after: Seq;
  readonly ageMs: number;
}

export interface CommitRequest {
  readonly is: "commit";
  readonly id: number;
  /** Unix milliseconds of the commit. */
  readonly at: number;
  /** For the sweeps that the worker starts by itself. */
  readonly held: Held | null;
  readonly stream?: StreamPlace;
  /** Deleted behind what is stored; only in commits that a stream brings, and not when LOG_ACCOUNT is another's. */
  readonly cut?: Cut;
  /** Only in commits that a stream brings. */
  readonly owners?: Owners;
  /** Only in those of a stream, and in place of all else. */
  readonly claims?: readonly EpochClaim[];
  /** Entries per batch; the entry columns below run over all batches. */
  readonly counts: readonly number[];
  /** The subjects of this commit, each once. */
  readonly subjects: readonly Subject[];
  /** Per entry: index into `subjects`. */
  readonly subjectOf: readonly number[];
  /** Null when all are empty. */
  readonly labels: readonly string[] | null;
  readonly payloads: readonly string[];
  /** Null when no entry has one. */
  readonly notes: Notes | null;
  /** Only for batches that are more than keyless entries, in batch order. */
  readonly extras: readonly BatchExtra[];
}

/** The notes of a commit, in the order of its entries. `rows`: whose they are, as indexes into the entry columns. */
export interface Notes {
  readonly rows: readonly number[];
  /** Per note. Null: it is a `said`, next in the columns below. */
  readonly others: readonly (Exclude<IdNote, { is: "said" }> | null)[];
  readonly authors: readonly string[];
  readonly names: readonly string[];
  readonly excerpts: readonly string[];
  /** Refs per `said`; `refs` runs over all of them. */
  readonly refCounts: readonly number[];
  readonly refs: readonly string[];
}

export interface BatchExtra {
  readonly batch: number;
  readonly account: string;
  /** One per entry of the batch; null when none has a key. */
  readonly keys: readonly (string | null)[] | null;
  readonly marks: readonly { readonly name: string; readonly value: string }[];
  readonly seqMarks: readonly (SeqMark & { readonly epoch?: number })[];
  readonly unmark: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly once: { readonly key: string; readonly fingerprint: string; readonly answer: string | null } | null;
}

export interface ReadRequest {
  readonly is: "read";
  readonly id: number;
  readonly subjects: readonly Subject[];
  readonly after: Seq;
  readonly limit: number;
  readonly bytes: number;
}

export interface NewestRequest {
  readonly is: "newest";
  readonly id: number;
  readonly subjects: readonly Subject[];
  readonly after: Seq;
  readonly limit: number;
}

export interface FirstRequest {
  readonly is: "first";
  readonly id: number;
}

export interface MarksRequest {
  readonly is: "marks";
  readonly id: number;
  readonly prefix: string;
}

export interface ReceiptsRequest {
  readonly is: "receipts";
  readonly id: number;
  readonly lane: string;
  readonly after: Seq;
  readonly limit: number;
}

export interface FindRequest {
  readonly is: "find";
  readonly id: number;
  readonly place: Subject;
  readonly refs: readonly string[];
}

export interface KnownRequest {
  readonly is: "get";
  readonly id: number;
  readonly seq: Seq;
}

export interface RefsRequest {
  readonly is: "refs";
  readonly id: number;
  readonly seq: Seq;
  readonly lane: string | null;
}

export interface ReactionsRequest {
  readonly is: "reactions";
  readonly id: number;
  readonly seq: Seq;
}

/** These four: see `Archive`. */
export interface SearchRequest {
  readonly is: "search";
  readonly id: number;
  readonly text: string;
  readonly before: Seq;
  readonly limit: number;
}

export interface EntryRequest {
  readonly is: "entry";
  readonly id: number;
  readonly seq: Seq;
}

export interface EndingsRequest {
  readonly is: "endings";
  readonly id: number;
  readonly seq: Seq;
}

export interface AnywhereRequest {
  readonly is: "anywhere";
  readonly id: number;
  readonly ref: string;
}

export interface StandingRequest {
  readonly is: "standing";
  readonly id: number;
  readonly seqs: readonly Seq[];
}

export interface WordsRequest extends WordQuery {
  readonly is: "words";
  readonly id: number;
}

export interface IndexedRequest {
  readonly is: "indexed";
  readonly id: number;
}

export interface BackupRequest {
  readonly is: "backup";
  readonly id: number;
  readonly file: string;
}

/** Apply retention now; answered when nothing more is to be deleted. */
export interface SweepRequest {
  readonly is: "sweep";
  readonly id: number;
  readonly now: number;
  readonly held: Held | null;
}

/** What retention would delete next, of a log whose sweeps come by a stream. */
export interface PlanRequest {
  readonly is: "plan";
  readonly id: number;
  readonly now: number;
  readonly held: Held | null;
}

interface CloseRequest {
  readonly is: "close";
  readonly id: number;
}

export type Request =
  | CommitRequest
  | ReadRequest
  | NewestRequest
  | FirstRequest
  | RemovedRequest
  | RemovedSinceRequest
  | TotalRequest
  | MarksRequest
  | ReceiptsRequest
  | FindRequest
  | KnownRequest
  | RefsRequest
  | ReactionsRequest
  | SearchRequest
  | EntryRequest
  | EndingsRequest
  | AnywhereRequest
  | StandingRequest
  | WordsRequest
  | IndexedRequest
  | BackupRequest
  | SweepRequest
  | PlanRequest
  | CloseRequest;

export interface CommittedReply extends Committed {
  readonly is: "committed";
  readonly id: number;
  /** Unix milliseconds, as the request had it. */
  readonly at: number;
  /** Much was stored since the last sweep; only of a log whose sweeps come by a stream. */
  readonly isSweepDue?: boolean;
  /** Hash of the state behind this commit, where it is time to compare it. */
  readonly state?: string;
}

interface PlanReply {
  readonly is: "planned";
  readonly id: number;
  /** Null: nothing. */
  readonly cut: Cut | null;
}

/** Rows as columns; `subjectOf` holds indexes into the request's subjects. */
export interface RowsReply {
  readonly is: "rows";
  readonly id: number;
  readonly seqs: readonly Seq[];
  readonly subjectOf: readonly number[];
  /** Unix milliseconds. */
  readonly ats: readonly number[];
  readonly labels: readonly string[];
  /** Empty for `newest`. */
  readonly payloads: readonly string[];
  /** How many older entries match; 0 for `read`. */
  readonly skipped: number;
}

interface FirstReply {
  readonly is: "first";
  readonly id: number;
  readonly seq: Seq;
}

interface MarksReply {
  readonly is: "marks";
  readonly id: number;
  readonly marks: readonly (readonly [string, string])[];
}

/** To `search` and `entry`. */
interface FindsReply {
  readonly is: "finds";
  readonly id: number;
  readonly entries: readonly StoredEntry[];
  readonly next: Seq | null;
}

/** To `receipts` and `endings`. */
interface ReceiptsReply {
  readonly is: "receipts";
  readonly id: number;
  readonly receipts: readonly Receipt[];
}

/** To `find` and `get`. */
interface KnownReply {
  readonly is: "known";
  readonly id: number;
  readonly known: Known | null;
}

interface ManyKnownReply {
  readonly is: "manyKnown";
  readonly id: number;
  readonly known: readonly Known[];
}

interface RefsReply {
  readonly is: "refs";
  readonly id: number;
  readonly refs: readonly string[];
}

interface ReactionsReply {
  readonly is: "reactions";
  readonly id: number;
  readonly reactions: readonly Reaction[];
}

interface StandingReply {
  readonly is: "standing";
  readonly id: number;
  readonly standing: readonly Standing[];
}

interface MatchesReply {
  readonly is: "matches";
  readonly id: number;
  readonly matches: Matches | null;
}

/** To `indexed` and `removedSince`. */
interface PositionReply {
  readonly is: "position";
  readonly id: number;
  readonly seq: Seq | null;
}

interface DoneReply {
  readonly is: "done";
  readonly id: number;
}

interface FailedReply {
  readonly is: "failed";
  readonly id: number;
  readonly failure: LogFailure;
}

export type WorkerReply =
  | CommittedReply
  | PlanReply
  | RowsReply
  | FirstReply
  | CountReply
  | MarksReply
  | ReceiptsReply
  | FindsReply
  | KnownReply
  | ManyKnownReply
  | RefsReply
  | ReactionsReply
  | StandingReply
  | MatchesReply
  | PositionReply
  | DoneReply
  | FailedReply;

/** The worker's first word: it holds the log, or why it cannot. */
export type WorkerOpened =
  | { readonly is: "opened"; readonly head: Seq; readonly stream: StreamState | null }
  | { readonly is: "refused"; readonly failure: LogFailure };
