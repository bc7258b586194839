import { END, type MessageRef, type Progress } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Mark, Seq, SeqMark } from "../../log/log.ts";
import { isObject, parseAs, readJson } from "../../lib/shapes.ts";

/**
 * What a lane has on disk, as marks of the log:
 *
 *   lane/<name>     the cursor, and what is to be known of the messages after it
 *   intent/<name>   only for networks without idempotency: up to where something may have been sent; written first
 *   summary/<name>  expired messages that one line still has to stand for
 *   sources/<name>  since when it hears each subject, see gateway/sources.ts
 *   removed/<name>  its bridge was taken out of the configuration while the program ran, which has the log for itself:
 *                   all this is to be forgotten
 *
 * An empty intent, summary or removal is none.
 */

/** Everything up to `after` is settled. */
export interface Checkpoint {
  readonly after: Seq;
  readonly next: PartlySent | null;
  /** Others after it, of which an earlier run has sent a part, as long as the lane has not read them; absent: none. */
  readonly later?: readonly PartlySent[];
  /** Settled as well, while one before them is not; absent: none. */
  readonly done?: readonly Seq[];
  /** Certainly not sent, while one after them may have been; absent: none. */
  readonly unsent?: readonly Seq[];
  /**
   * Only for networks that know a repeated message for a time: messages that may have been sent; absent: none.
   */
  readonly doubts?: readonly Doubt[];
  /**
   * Only for the same: since then, Unix ms, the lane may be sending what follows, as far as doubts.ts says; absent: it
   * sends nothing.
   */
  readonly sendingSinceMs?: number;
}

/** A message that may have been sent, but not before this, Unix ms. */
export interface Doubt {
  readonly seq: Seq;
  readonly sinceMs: number;
  readonly why: Reason;
}

/** The first message that was sent in part. */
export interface PartlySent {
  readonly seq: Seq;
  /** Goes on after here. */
  readonly progress: Progress;
  /** Of the parts so far. */
  readonly messages: readonly MessageRef[];
  /** Why a part so far is not confirmed; null: all are. */
  readonly unconfirmed: Reason | null;
}

/** What the checkpoint says of messages that were sent in part, oldest first. */
export function nextOf([next, ...later]: readonly PartlySent[]): Pick<Checkpoint, "next" | "later"> {
  return { next: next ?? null, ...(later.length > 0 && { later }) };
}

/** Up to here something may have been sent. */
export interface Intent {
  readonly seq: Seq;
  readonly progress: Progress;
  /** Of the others before it that are not done, nothing was sent; absent: that is not said. */
  readonly alone?: true;
}

/** Messages that expired in a row. */
export interface Summary {
  readonly count: number;
  /** When the first and the last was accepted, Unix ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the last one. */
  readonly seq: Seq;
}

/** Names of the marks of one lane. */
export function marksOf(lane: string): {
  readonly checkpoint: string;
  readonly intent: string;
  readonly summary: string;
  readonly sources: string;
  readonly removed: string;
} {
  return {
    checkpoint: `lane/${lane}`,
    intent: `intent/${lane}`,
    summary: `summary/${lane}`,
    sources: `sources/${lane}`,
    removed: `removed/${lane}`,
  };
}

export function encodeCheckpoint(checkpoint: Checkpoint): string {
  return JSON.stringify(checkpoint);
}

/** Null for what no lane has written: only a damaged log or a newer program has such a mark. */
export function readCheckpoint(value: string): Checkpoint | null {
  const checkpoint = readJson(value);
  return isCheckpoint(checkpoint) ? checkpoint : null;
}

/** The same of a mark that this lane has written or read itself. Throws. */
export function decodeCheckpoint(value: string): Checkpoint {
  const checkpoint = readCheckpoint(value);
  if (checkpoint === null) throw new Error("the position of a lane cannot be read from the log");
  return checkpoint;
}

const isCheckpoint = (value: unknown): value is Checkpoint =>
  isObject(value) && typeof value["after"] === "number" && Array.isArray(value["done"] ?? []);

/** What the marks of the lane have to say, but for its sources. */
export function encodeMarks(
  lane: string,
  { checkpoint, intent, summary }: { checkpoint: Checkpoint; intent: Intent | null; summary: Summary | null },
): readonly Mark[] {
  const names = marksOf(lane);
  return [
    { name: names.checkpoint, value: encodeCheckpoint(checkpoint) },
    { name: names.intent, value: encodeOrEmpty(intent) },
    { name: names.summary, value: encodeOrEmpty(summary) },
  ];
}

/** The mark of an intent to send all of a message whose seq is still to come. */
export function intentToCome(lane: string): Pick<SeqMark, "name" | "value"> {
  return { name: marksOf(lane).intent, value: ['{"seq":', `,"progress":${JSON.stringify(END)},"alone":true}`] };
}

function encodeOrEmpty(value: Intent | Summary | null): string {
  return value === null ? "" : JSON.stringify(value);
}

export function decodeIntent(value: string | undefined): Intent | null {
  return value === undefined || value === "" ? null : parseAs(value, isIntent);
}

const isIntent = (value: unknown): value is Intent => isObject(value) && typeof value["seq"] === "number";

export function decodeSummary(value: string | undefined): Summary | null {
  return value === undefined || value === "" ? null : parseAs(value, isSummary);
}

const isSummary = (value: unknown): value is Summary => isObject(value) && typeof value["count"] === "number";

/** The summary with one more expired message. */
export function summarise(summary: Summary | null, { seq, at }: { readonly seq: Seq; readonly at: number }): Summary {
  return { count: (summary?.count ?? 0) + 1, fromMs: summary?.fromMs ?? at, toMs: at, seq };
}
