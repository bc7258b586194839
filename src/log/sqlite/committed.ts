import type { Seq } from "../log.ts";
import type { BatchVerdict } from "./protocol.ts";
import type { CommitFate } from "./stream-place.ts";

export interface Committed {
  /** Seq of the first entry that was stored; the others follow without gaps. */
  readonly first: Seq;
  readonly absent: readonly number[];
  readonly verdicts: readonly BatchVerdict[];
  /** Nothing of it is stored unless it was taken. */
  readonly fate: CommitFate;
}
