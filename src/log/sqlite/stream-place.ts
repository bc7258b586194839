import type { EpochClaim } from "../fence.ts";
import type { Seq } from "../log.ts";

/** Where a commit stands in the stream that brought it, and whose it is. */
export interface StreamPlace {
  readonly seq: number;
  /** The commit before it, by its place: one that is missing must not be passed over. */
  readonly after: number;
  /** From here on the stream is to be read after a restart: a commit in parts may have begun before this one. */
  readonly resume: number;
  /** Its first entry has this seq, or a higher one. */
  readonly from: Seq;
  readonly node: string;
  /** Of the node's process. */
  readonly run: string;
  /** Number of the commit in its run, counted from 1; 0: it is none, and stores nothing. */
  readonly number: number;
  /** Checksum of the commit as it came. */
  readonly sum: number;
}

/** `repeated`: that commit was here before. */
export type CommitFate = "taken" | "repeated";

/** How far the stream was applied. */
export interface StreamReach {
  readonly applied: number;
  readonly resume: number;
}

/** A commit by the process of its node and its number there. */
export interface StoredCommit {
  readonly run: string;
  readonly number: number;
}

/** How far the stream was applied, and who holds which account since then. */
export interface StreamState extends StreamReach {
  readonly held: readonly EpochClaim[];
  /** The last commits of each node, those of its newest process first. */
  readonly commits: readonly (StoredCommit & { readonly node: string })[];
}
