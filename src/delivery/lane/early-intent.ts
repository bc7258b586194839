import type { EntryHead, Seq, SeqMark } from "../../log/log.ts";
import { intentToCome } from "./checkpoint.ts";
import { hasReadAll } from "./reading.ts";
import { isRefusing, writeSoon } from "./records.ts";
import { admits, type Fact, type LaneState, type Moment, type Step } from "./state.ts";

/**
 * Where the network recognises nothing, a message waits for two commits: its own, and that of its intent. For a lane
 * that would send it at once, the intent rides in the first one.
 *
 *   none ──an entry is to be appended──▶ riding ──it is stored──▶ none: the disk has the intent
 *                                           └──not stored, or a write of the lane's own follows──▶ none
 *
 * A write that follows is committed after the entry, because it was handed to the log later, and it says what is true
 * then. How the entry came out is known before such a write has ended. What the lane does not send soon, because the
 * session has no pace left or the message needs something, is taken back by a write: a kill must not leave it in doubt.
 */

/** An intent that goes to the disk with an entry. */
export interface Ride {
  readonly mark: Pick<SeqMark, "name" | "value" | "account">;
  /** To be called in the turn in which the append ends; null: the entry, or the intent, is not stored. */
  readonly settled: (seq: Seq | null) => void;
}

/** Whether the entry would be sent at once. */
export function mayRide(state: LaneState, entry: Omit<EntryHead, "seq">, { monoMs, gateMs }: Moment): boolean {
  const { mode, setting, window, records, reading, calls, line, untilMs } = state;
  const isIdle = mode.is === "joined" && window.oldest === null && hasReadAll(reading) && calls.length === 0;
  if (!isIdle || setting.capabilities.idempotency.by !== "none" || Math.max(untilMs, gateMs) > monoMs) return false;
  if (records.isRiding || records.write !== "none" || records.closed || isRefusing(records)) return false;
  // The seq is still to come.
  return line.waiting === null && admits(state, { ...entry, seq: Number.MAX_SAFE_INTEGER });
}

export function take(now: Step, fact: Extract<Fact, { is: "rides" | "rode" }>): void {
  const { records, setting } = now.state;
  const isOvertaken = !records.isRiding;
  records.isRiding = fact.is === "rides";
  if (fact.is === "rides" || isOvertaken || fact.seq === null) return;
  const { name, value } = intentToCome(setting.name);
  records.written.set(name, value.join(String(fact.seq)));
  writeSoon(now);
}
