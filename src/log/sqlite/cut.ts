import type { Seq } from "../log.ts";

/** What one step of retention deletes. The same of it goes from the same log, whoever decided it. */
export interface Cut {
  /** Entries up to this seq; 0: none. */
  readonly entries: Seq;
  /** What is known of ids up to this seq; 0: nothing. */
  readonly ids: Seq;
  /** Answers up to this id that are not younger than `before`. */
  readonly answers: { readonly id: number; readonly before: number };
}
