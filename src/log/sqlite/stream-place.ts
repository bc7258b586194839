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
  /** Number of the commit in its run, counted from 1; 0: it is a fence. */
  readonly number: number;
  readonly epoch: number;
  /** Checksum of the commit as it came. */
  readonly sum: number;
}

/** `repeated`: that commit was here before; `fenced`: it, or a fence, is of an epoch that is over. */
export type CommitFate = "taken" | "repeated" | "fenced";

/** How far the stream was applied, and which epoch it is since then. */
export interface StreamState {
  readonly applied: number;
  readonly resume: number;
  readonly epoch: number;
  readonly holder: string;
}
