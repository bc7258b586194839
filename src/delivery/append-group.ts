import type { KnownWithFiles } from "../gateway/file-changes.ts";
import type { Accepted } from "../contract/host.ts";
import type { Cursor } from "../contract/ids.ts";
import type { Lookup } from "../gateway/normalize.ts";
import type { Known, NewEntry } from "../log/log.ts";
import type { AcceptCall } from "./call.ts";

/** What one append of the intake takes. */
export interface Group {
  readonly calls: AcceptCall[];
  /** `slot`: where the event is among all answers; null: it goes no further. */
  readonly taken: { readonly call: AcceptCall; readonly index: number; readonly slot: number | null }[];
  /** Not stored yet. */
  readonly entries: NewEntry[];
  /** Of entries that are stored already. */
  readonly answers: Accepted[];
  readonly alone?: Alone;
  cursor: Cursor | null;
  chars: number;
}

/** A call that is looked at event by event. `at`: its place in the queue; `held`: channels that take nothing. */
export interface Alone {
  readonly call: AcceptCall;
  readonly at: number;
  readonly held: Set<string>;
}

/** What was asked, in the same order. */
export type Answers = readonly (KnownWithFiles | null)[];

/** Whether the entry makes the message that is asked for known by that ref. */
export function makes({ subject, note }: NewEntry, { place, refs }: Lookup): boolean {
  return (
    (note?.is === "said" || note?.is === "revised") && subject === place && note.refs.some((ref) => refs.includes(ref))
  );
}

/** Whether the entry changes what is known of the message. */
export function changes({ note }: NewEntry, { seq }: Known): boolean {
  return note !== undefined && note.is !== "said" && note.of === seq;
}
