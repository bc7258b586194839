import type { LogError } from "./errors.ts";

/**
 * The log: the durable, ordered sequence of accepted events, and the marks of those who read it.
 *
 * Written in idempotent steps so that a network log (JetStream) can implement it as well as a file: append with
 * dedup keys, put a mark, read after a position. Implementations pass the shared suite in `log.suite.ts`.
 */

/** Position in the log: opaque, increasing, gaps allowed, never reused. 0 is before everything. */
export type Seq = number;

/** `<account>/<channel>` as made by `subjectOf`: where an event came from. */
export type Subject = string;

export interface NewEntry {
  readonly subject: Subject;
  /** Unique per batch account when given: a repeat is a duplicate and is not stored again. */
  readonly key: string | null;
  /** What kind of event it is, so that a reader can pass it over without its payload; empty for an ordinary message. */
  readonly label: string;
  /** Compact JSON without a newline; opaque to the log. */
  readonly payload: string;
  /** What the entry means for who is known by which id; put in the same commit, and only if the entry is stored. */
  readonly note?: IdNote;
}

/** What an entry says about remote ids. `of`: the seq of the message it acts on. */
export type IdNote =
  /**
   * A message that others may refer to. `refs`: its ids where it was said; `author`: tells its author from all others
   * there.
   */
  | {
      readonly is: "said";
      readonly refs: readonly string[];
      readonly author: string;
      readonly name: string;
      readonly excerpt: string;
    }
  /** It reads otherwise from now on, and is known by these refs as well. */
  | { readonly is: "revised"; readonly of: Seq; readonly refs: readonly string[]; readonly excerpt: string }
  | { readonly is: "gone"; readonly of: Seq }
  /** `who`: tells the person from all others, wherever they are. */
  | {
      readonly is: "reacted";
      readonly of: Seq;
      readonly who: string;
      readonly name: string;
      readonly emoji: string;
      readonly on: boolean;
    };

/** What one source hands over in one go: all of it becomes durable, or none. Entries may be empty. */
export interface Batch {
  /**
   * Owner of the keys, the marks, the receipts and the idempotency key; empty: nobody. Where several nodes write, it is
   * refused as `fenced` unless this one holds the account, or nobody does.
   */
  readonly account: string;
  readonly entries: readonly NewEntry[];
  /** Put in the same commit: the source's resume cursor. */
  readonly marks?: readonly Mark[];
  /** Put after the others, those of entries that are stored: durable with their entry, or after it. */
  readonly seqMarks?: readonly SeqMark[];
  /** Put in the same commit; a later one for the same lane and seq wins. */
  readonly receipts?: readonly Receipt[];
  /**
   * Answer-once: the first batch with this key stores the answer for 24 h; later ones get it back and store nothing.
   * `answer` null: only asks for what there is, and is no first one.
   */
  readonly once?: { readonly key: string; readonly fingerprint: string; readonly answer: string | null };
}

/** A named, durable position or token. Later puts win. */
export interface Mark {
  readonly name: string;
  readonly value: string;
}

/** A mark whose value has the seq of an entry of the batch in it. */
export interface SeqMark {
  readonly name: string;
  /** Index of the entry. */
  readonly entry: number;
  /** The seq goes between the two. */
  readonly value: readonly [before: string, after: string];
  /** Whose mark it is, if not of the batch's account; see `voidMarks`. */
  readonly account?: string;
}

/** How the message of a seq ended for a lane, where there is more to say than "delivered, without ids". */
export interface Receipt {
  /** Name of the lane. */
  readonly lane: string;
  readonly seq: Seq;
  /**
   * `folded`: its content went out with the message it changes; `cancelled`: taken back before it was sent; `omitted`:
   * this destination has no way to show it; `withheld`: it belongs to a loop through another bridge.
   */
  readonly state: "sent" | "unconfirmed" | "failed" | "expired" | "folded" | "cancelled" | "omitted" | "withheld";
  /** Compact JSON, opaque to the log: remote messages, reason, losses. */
  readonly detail: string;
  /**
   * Remote messages by which it is known at the destination from now on, put in the same commit; absent: nothing
   * changes. Not kept with the receipt: `ids` has them.
   */
  readonly copies?: Copies;
}

/** Copies of the message `of` that the lane has made at a place, all of them, in order. */
export interface Copies {
  readonly of: Seq;
  readonly place: Subject;
  readonly refs: readonly string[];
}

/** A message as others speak of it. */
export interface Known {
  readonly seq: Seq;
  /** Where it was said. */
  readonly subject: Subject;
  /** When it was accepted, Unix ms. */
  readonly at: number;
  readonly author: string;
  readonly name: string;
  /** The beginning of what it says now. */
  readonly excerpt: string;
  /** It was deleted. */
  readonly gone: boolean;
}

export interface Reaction {
  readonly who: string;
  readonly name: string;
  readonly emoji: string;
}

/**
 * Which remote messages are one message. Kept for `MessageIdDays`, longer than the entries themselves. A ref is unique
 * at its place: the first message that came with it keeps it. All answers see what is committed; all reject with the
 * log's LogError.
 */
export interface Ids {
  /** The message, or the message of which it is a copy, that has the first known of these refs at this place. */
  find(place: Subject, refs: readonly string[]): Promise<Known | null>;
  get(seq: Seq): Promise<Known | null>;
  /**
   * Refs of the copies that a lane has made; with null, the refs of the original. In order; empty when there are none.
   */
  refs(seq: Seq, lane: string | null): Promise<readonly string[]>;
  /** As they stand, oldest first. */
  reactions(seq: Seq): Promise<readonly Reaction[]>;
}

/** What retention leaves alone although it is too old or the log too large. */
export interface Hold {
  /** Entries after this seq are still waited for; asked at every commit and sweep, and must not throw. */
  readonly after: () => Seq;
  /** … but only those accepted less than this long ago, in ms. */
  readonly ageMs: number;
}

export type Appended =
  /**
   * One seq per entry of the batch, in its order; null where the key was a duplicate. `voidMarks`: indexes of the
   * `seqMarks` that were not put, because another node has taken over their account.
   */
  | { readonly is: "stored"; readonly seqs: readonly (Seq | null)[]; readonly voidMarks?: readonly number[] }
  /** `once.key` was seen with the same fingerprint: the first answer. */
  | { readonly is: "repeated"; readonly answer: string }
  /** `once.key` was seen with another fingerprint. */
  | { readonly is: "conflict" };

/** A committed entry. `payload` is null once the tail has let go of it: read it from the log then. */
export interface Entry {
  readonly seq: Seq;
  readonly subject: Subject;
  /**
   * When it was accepted: Unix ms of its commit, as the clock stood; a clock set back makes a later entry the earlier
   * one.
   */
  readonly at: number;
  readonly label: string;
  readonly payload: string | null;
}

/** What an entry is, without its payload. */
export type EntryHead = Omit<Entry, "payload">;

export interface StoredEntry extends Entry {
  readonly payload: string;
}

export type TailListener = (entries: readonly Entry[]) => void;

export interface Log {
  /** Highest committed seq. */
  readonly head: Seq;
  readonly ids: Ids;
  /** First failure that the log cannot recover from by itself (its worker died); never resolves while all is well. */
  readonly failed: Promise<LogError>;
  /**
   * Durable when it resolves. Batches are committed in the order of the calls. Rejects with a LogError
   * (`disk_full`, `overloaded`, `io`, `closed`, `unreachable`, `fenced`); nothing of the batch is stored then, nor
   * later. Only after `unknown`, an UnknownOutcome, it may be, and those after it wait for that as well.
   */
  append(batch: Batch): Promise<Appended>;
  /**
   * The same without a promise: `done` is told once, where `append` would resolve or reject, and not before this
   * returns. For who appends so much that promises count. What it throws is thrown in a turn of its own.
   */
  appendThen(batch: Batch, done: (outcome: Appended | LogError) => void): void;
  /**
   * Puts marks in the next commit; resolves once durable. `account`: whose they are, as in Batch; absent: nobody's, so
   * that any node may put them, and the last counts. Those that ride cause no commit: they wait for one that something
   * else causes, a moment at most.
   */
  mark(marks: readonly Mark[], how?: { readonly rides?: boolean; readonly account?: string }): Promise<void>;
  /** Forgets marks, in the next commit. */
  unmark(names: readonly string[]): Promise<void>;
  /** All marks whose name starts with `prefix`. */
  marks(prefix: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Receipts of the lane with seq > after, oldest first, at most `limit`. The log may return fewer before the end,
   * but never none. Retention takes them with their entries.
   */
  receipts(query: { readonly lane: string; readonly after: Seq; readonly limit: number }): Promise<readonly Receipt[]>;
  /**
   * Entries of these subjects with seq > after, oldest first, at most `limit` entries and about `bytes` of payload.
   * The log may return fewer than `limit` before the end, but never none.
   */
  read(query: {
    readonly subjects: readonly Subject[];
    readonly after: Seq;
    readonly limit: number;
    readonly bytes?: number;
  }): Promise<readonly StoredEntry[]>;
  /**
   * Heads of the newest `limit` entries of these subjects with seq > after, oldest first, and how many older ones
   * match.
   */
  newest(query: { readonly subjects: readonly Subject[]; readonly after: Seq; readonly limit: number }): Promise<{
    readonly entries: readonly EntryHead[];
    readonly skipped: number;
  }>;
  /** The lowest seq that retention has left, of whatever subject; head + 1 when it has left none. */
  first(): Promise<Seq>;
  /**
   * How many entries with after < seq <= upTo retention has removed. Exact, but for positions far behind what is left
   * where several nodes write: there it may be a little too high.
   */
  removed(range: { readonly after: Seq; readonly upTo: Seq }): Promise<number>;
  /**
   * The position before the first removed entry that was accepted at that moment (Unix ms) or later, or within the
   * hour before it; null: there is none.
   */
  removedSince(ms: number): Promise<Seq | null>;
  /**
   * Calls back after each commit with what it stored, in order, before the appends of that commit resolve.
   * Entries keep their payload while they are within the tail's byte budget. Returns the unsubscribe function.
   */
  tail(listener: TailListener): () => void;
  /**
   * Keeps from retention what somebody still waits for. One hold at a time: a second call replaces the first. Give it
   * before appending: retention begins with the first hold, with much appended, or a minute after opening. Returns the
   * function that ends it.
   */
  hold(hold: Hold): () => void;
  /** Commits what is waiting, then closes. Idempotent. */
  close(): Promise<void>;
}

/** The marks of a log, where those that are put are an account's: what has lost it puts none any more. */
export function ownMarks(log: Pick<Log, "mark" | "unmark" | "marks">, account: string): typeof log {
  return {
    mark: async (marks, how) => await log.mark(marks, { ...how, account }),
    unmark: async (names) => await log.unmark(names),
    marks: async (prefix) => await log.marks(prefix),
  };
}
