import type { LogErrorCode } from "../errors.ts";
import type { EpochClaim } from "../fence.ts";
import type { Seq } from "../log.ts";
import type { CommitFate } from "./stream-place.ts";

/** Entries that were stored have consecutive seqs from `first`, in order; `absent` lists the indexes of the others. */
export interface Committed {
  readonly first: Seq;
  readonly absent: readonly number[];
  readonly verdicts: readonly BatchVerdict[];
  /** Nothing of it is stored unless it was taken. */
  readonly fate: CommitFate;
  /** The claims that counted; absent when there were none to decide. */
  readonly raised?: readonly EpochClaim[];
}

/** What became of a batch that was not simply stored. `voidMarks`: it was, but for these of its seqMarks. */
export type BatchVerdict =
  | { readonly batch: number; readonly is: "fenced"; readonly by: string }
  | { readonly batch: number; readonly is: "stored"; readonly voidMarks: readonly number[] }
  | { readonly batch: number; readonly is: "repeated"; readonly answer: string }
  | { readonly batch: number; readonly is: "conflict" }
  | { readonly batch: number; readonly is: "refused"; readonly failure: LogFailure };

export interface LogFailure {
  readonly code: LogErrorCode;
  /** For people; never holds message text. */
  readonly message: string;
}
