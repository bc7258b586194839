import type { Known, Receipt, Seq, StoredEntry, Subject } from "./log.ts";

/**
 * The log as an operator looks through it, when somebody asks what became of a message. No part of a message's way: all
 * of this may be slow, and none of it holds up an append. All answers see what is committed; all reject with the log's
 * LogError.
 */
export interface LogSearch {
  /**
   * Entries with seq < before whose payload holds `text`, newest first, at most `limit`; capitals do not count, in
   * whatever language. One call looks through a bounded part of the log: `next` is the `before` to go on with, null at
   * its beginning.
   */
  search(query: { readonly text: string; readonly before: Seq; readonly limit: number }): Promise<Finds>;
  entry(seq: Seq): Promise<StoredEntry | null>;
  /**
   * How the message of a seq ended, at most the first 1024 lanes by name; `sent` without more to say has no receipt.
   */
  receiptsOf(seq: Seq): Promise<readonly Receipt[]>;
  /** Messages that have this ref at whatever place, or a copy that has; newest first, at most 16. */
  anywhere(ref: string): Promise<readonly Known[]>;
  /** How these messages stand, in this order; of those that nobody knows: as they were said. */
  standing(seqs: readonly Seq[]): Promise<readonly Standing[]>;
  /**
   * Messages that hold these words as they read now. One call looks at a bounded number of candidates. Null: the log
   * keeps no index of words.
   */
  find(query: WordQuery): Promise<Matches | null>;
  /** Up to which entry the index of words goes; null: there is none. */
  indexed(): Promise<Seq | null>;
  /** How many entries the log has ever stored. */
  total(): Promise<number>;
  /** Copies the log into a new file, as it is at some moment from now on; appends go on meanwhile. */
  backup(file: string): Promise<void>;
  /** What was found damaged since the log was opened. */
  damage(): Damage;
  /**
   * Why the newest batch with entries was refused, if that was because of damage; null: none was, or one has been
   * stored since.
   */
  refusal(): string | null;
}

/** What became of a message since it was said. */
export interface Standing {
  readonly seq: Seq;
  /** It was deleted. */
  readonly gone: boolean;
  /** The entry of its newest edit; null: it reads as it was said. */
  readonly revised: Seq | null;
}

export interface WordQuery {
  /** As somebody typed it: see `termsOf`. Without a word in it and without `from` nothing is found. */
  readonly text: string;
  /** The whole name or id of the author; capitals do not count. Null or absent: any author. */
  readonly from?: string | null;
  readonly subjects: readonly Subject[];
  /** Only messages with after < seq < before. */
  readonly after: Seq;
  readonly before: Seq;
  readonly limit: number;
  /** Which come first, and are taken; false: the newest. */
  readonly oldestFirst: boolean;
}

export interface Matches {
  readonly seqs: readonly Seq[];
  /** The last one looked at: go on behind it. Null: that was all. */
  readonly next: Seq | null;
  /** Entries up to here were looked at; less than the head while the index is being made. */
  readonly indexed: Seq;
}

export interface Damage {
  /** Why parts of the log cannot be read; null: nothing of the kind was met. */
  readonly why: string | null;
  /** Entries that were met and hold no message; readers pass over them. */
  readonly entries: readonly Seq[];
}

export interface Finds {
  readonly entries: readonly StoredEntry[];
  readonly next: Seq | null;
}

/** Told what the log does, as it happens; must be quick and must not throw. */
export interface LogObserver {
  /** A batch of this many entries (one at least) is durable, `ms` after it was handed over. */
  appended(entries: number, ms: number): void;
  /** A batch was refused, or a whole commit failed. */
  refused(why: { readonly code: string; readonly message: string }): void;
}
