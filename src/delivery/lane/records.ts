import type { Mark, Receipt } from "../../log/log.ts";
import { fullJitter } from "../retry.ts";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint, encodeMarks, marksOf } from "./checkpoint.ts";
import { BACKOFF } from "./settle.ts";
import type { LaneState, Records, Step, Waiter, Write } from "./state.ts";

/**
 * What a lane has to remember on the disk: its marks and receipts, at most one write under way.
 *
 *   no write ──something changes──▶ due ──the turn is over──▶ under way ──stored──▶ no write
 *                                    ▲                         │    └──stored, and something has changed──▶ due
 *                                    └──backoff── in memory ◀──┘ refused
 *
 * What changes in one turn of the event loop goes together. While the log refuses, whoever waits for the disk is told
 * no at once.
 */

/** How long the disk may lack what is written soon, in ms. */
const SOON_MS = 50;

export function newRecords(written: ReadonlyMap<string, string>): Records {
  return {
    written: new Map(written),
    reach: { sending: null, settled: 0, done: [] },
    receipts: [],
    added: 0,
    stored: 0,
    decided: 0,
    changed: false,
    write: "none",
    waiting: [],
    refusals: 0,
    retryAtMs: Infinity,
    isRiding: false,
    closed: false,
  };
}

/** The last write was refused. */
export function isRefusing({ refusals }: Records): boolean {
  return refusals > 0;
}

/** What the disk has to hold has changed. */
export function changed(step: Step): void {
  const { records } = step.state;
  records.changed = true;
  if (!records.closed && !isRefusing(records)) beDue(step);
}

/** What the disk has to hold has changed, or will in a moment: it is written then, or with what comes before. */
export function writeSoon({ state: { records }, at }: Step): void {
  if (!isRefusing(records)) records.retryAtMs = Math.min(records.retryAtMs, at.monoMs + SOON_MS);
}

export function addReceipt(step: Step, receipt: Receipt): void {
  const { records } = step.state;
  records.receipts.push(receipt);
  records.added += 1;
  changed(step);
}

/**
 * A message came to its end while no call of its own was under way, also one that went out with another: no later one
 * may overtake that on its way to the disk.
 */
export function decided({ records }: LaneState): void {
  records.decided = records.added;
}

/**
 * What was decided is not on the disk. A message sent now, and a kill, would bring the other one back behind it. Where
 * the network recognises nothing, the intent brings the decision along; a log that refuses must not stop the lane.
 */
export function owesDecision({ records, setting }: LaneState): boolean {
  if (setting.capabilities.idempotency.by === "none" || isRefusing(records)) return false;
  return records.stored < records.decided;
}

/** False when the log takes nothing; otherwise the waiter hears of the next write. */
export function awaitWrite(step: Step, waiter: Waiter): boolean {
  const { records } = step.state;
  if (records.closed || (isRefusing(records) && records.write === "none")) return false;
  records.waiting.push(waiter);
  if (!isRefusing(records)) beDue(step);
  return true;
}

/** One last write, tried once; false when none is possible. */
export function closeRecords(step: Step): boolean {
  const { records } = step.state;
  records.retryAtMs = Infinity;
  if (records.closed) return false;
  records.waiting.push({ for: "closing" });
  beDue(step);
  records.closed = true;
  return true;
}

export function retryWrite(step: Step): void {
  const { records } = step.state;
  if (records.retryAtMs > step.at.monoMs) return;
  records.retryAtMs = Infinity;
  if (!records.closed) beDue(step);
}

function beDue({ state: { records }, effects }: Step): void {
  if (records.write !== "none") return;
  records.write = "due";
  effects.push({ do: "turn" });
}

/** Who waited, and how it came out. */
export interface WriteResult {
  readonly waiting: readonly Waiter[];
  readonly durable: boolean;
  /** What had to wait for the log may go on. */
  readonly relieved: boolean;
}

/** The turn is over: what changed in it is written. Something is returned when there is nothing to write. */
export function write(step: Step): WriteResult | null {
  const { state, effects } = step;
  const { records } = state;
  const checkpoint = state.window.checkpoint();
  if (records.isRiding) {
    records.isRiding = false;
    records.written.set(marksOf(state.setting.name).intent, UNKNOWN);
  }
  const all = composed(state, checkpoint);
  const different = all.filter(({ name, value }) => (records.written.get(name) ?? "") !== value);
  // With nothing to write nobody knows whether the log still refuses.
  const due = canWait(state, different) ? [] : different;
  const marks = due.length === 0 && isRefusing(records) ? all.slice(0, 1) : due;
  const { receipts, waiting } = records;
  const reach = { sending: state.sending, settled: state.window.settled, done: checkpoint.done ?? [] };
  records.write = { marks, receipts, waiting, reach };
  records.receipts = [];
  records.waiting = [];
  records.changed = false;
  if (marks.length === 0 && receipts.length === 0) return written(step);
  effects.push({ do: "write", marks, receipts });
  return null;
}

/** Nothing but the cursor has moved, over what is not for the lane: no part that is about to leave waits for that. */
function canWait({ setting, records }: LaneState, different: readonly Mark[]): boolean {
  const { changed: hasChanged, receipts, waiting } = records;
  if (hasChanged || receipts.length > 0 || isRefusing(records)) return false;
  const { checkpoint } = marksOf(setting.name);
  const isAsked = waiting.length > 0 && waiting.every((waiter) => waiter.for === "announcement");
  const before = records.written.get(checkpoint) ?? "";
  return isAsked && different.every(({ name, value }) => name === checkpoint && isSameButCursor(before, value));
}

/** A message that waited before others that ended may be about to leave: the disk must not say that it was not sent. */
function isSameButCursor(before: string, value: string): boolean {
  if (before === "") return false;
  const { after } = decodeCheckpoint(value);
  return encodeCheckpoint({ ...decodeCheckpoint(before), after }) === value;
}

/** What no lane writes: whatever is to be there is written. */
const UNKNOWN = "?";

function composed({ setting, window, line, sending }: LaneState, known: Checkpoint): readonly Mark[] {
  const { by } = setting.capabilities.idempotency;
  const intent = by === "none" ? window.intent() : null;
  const doubts = by === "key" ? window.doubts() : [];
  const checkpoint = {
    ...known,
    ...(doubts.length > 0 && { doubts }),
    ...(sending !== null && { sendingSinceMs: sending.sinceMs }),
  };
  return encodeMarks(setting.name, { checkpoint, intent, summary: line.waiting });
}

/** The write under way is on the disk. */
export function written(step: Step): WriteResult {
  const { records } = step.state;
  const { marks, receipts, waiting, reach } = underWay(records);
  const isFurther = reach.sending !== null;
  records.reach = reach;
  for (const { name, value } of marks) records.written.set(name, value);
  records.stored += receipts.length;
  const wasRefusing = isRefusing(records);
  records.refusals = 0;
  const message = "the log stores the lane's position again";
  if (wasRefusing) step.effects.push({ do: "say", level: "info", fields: {}, message });
  records.write = "none";
  if (records.changed || records.waiting.length > 0) beDue(step);
  return { waiting, durable: true, relieved: wasRefusing || receipts.length > 0 || isFurther };
}

/** The log did not take the write under way. */
export function refused(step: Step, why: string, closed: boolean): WriteResult {
  const { state, at, effects } = step;
  const { records } = state;
  const { receipts, waiting } = underWay(records);
  records.receipts = [...receipts, ...records.receipts];
  records.refusals += 1;
  records.closed ||= closed;
  records.write = "none";
  if (records.refusals === 1 && !records.closed) {
    const message =
      "the log does not store the lane's position: it is kept in memory, and messages that need it on disk wait";
    effects.push({ do: "say", level: "warn", fields: { why }, message });
  }
  // Those who came meanwhile would not fare better.
  const later = records.waiting;
  records.waiting = [];
  if (!records.closed) records.retryAtMs = at.monoMs + fullJitter(records.refusals, BACKOFF, () => at.random);
  return { waiting: [...waiting, ...later], durable: false, relieved: false };
}

function underWay({ write: current }: Records): Write {
  if (typeof current === "string") throw new Error("no write is under way");
  return current;
}
