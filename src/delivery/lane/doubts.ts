import type { Capabilities } from "../../contract/capabilities.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Seq, StoredEntry } from "../../log/log.ts";
import type { Checkpoint, Doubt } from "./checkpoint.ts";
import { RESTARTED } from "./recovery.ts";
import { changed } from "./records.ts";
import type { HandlerCall, LaneState, Moment, Step } from "./state.ts";
import type { TimedDoubt, WindowItem } from "./window.ts";

/**
 * What may have been sent where the network knows a repeated message by a key of ours for some time. Once that is over,
 * such a message is not sent again, by a later run of the program either. No message waits for a commit of its own:
 *
 *   quiet ──the channel is joined──▶ sending ──the channel is gone, and no call is under way──▶ quiet
 *
 * While a lane is sending, the checkpoint says since when; that is on the disk before the first message leaves. After a
 * kill, what is not done there may have been sent, and not before both that moment and its own acceptance. How many
 * those may be is bounded: of what the disk does not have as done, only the first few may leave, and the others wait
 * for its next write. The checkpoint of a quiet lane names each message that is in doubt.
 */

/** How many more than what is under way may be sent before the cursor on the disk has to follow. */
const AHEAD = 16;

/** So many of the messages that the disk does not have as done may have been sent: the first ones. */
export function reachOf({ limits }: Pick<Capabilities, "limits">): number {
  return limits.inflightMax + AHEAD;
}

/** The channel is joined. */
export function beginSending(step: Step): void {
  const { state, at } = step;
  if (!isTimed(state) || state.sending !== null) return;
  state.sending = { sinceMs: at.nowMs };
  changed(step);
}

/** Quiet as soon as nothing more can leave. */
export function endSending(step: Step): void {
  const { state } = step;
  if (state.sending === null || state.link !== null || state.calls.length > 0) return;
  state.sending = null;
  changed(step);
}

/** Whether the disk says enough of what is about to leave. */
export function isWithinReach(state: LaneState, item: WindowItem): boolean {
  const { setting, sending, records } = state;
  const { reach } = records;
  if (!isTimed(state)) return true;
  if (sending === null || reach.sending !== sending) return false;
  const behind = item.nth - reach.settled - reach.done.filter((seq) => seq < item.seq).length;
  return behind <= reachOf(setting.capabilities);
}

/** An attempt of it may have sent something. */
export function doubt({ at }: Step, { item, startedMs }: HandlerCall, why: Reason): void {
  item.doubt ??= { seq: item.seq, sinceMs: at.nowMs - (at.monoMs - startedMs), monoMs: startedMs, why };
}

/** Calls under way are not waited for any more. */
export function breakOff(step: Step): void {
  const { state } = step;
  for (const call of state.calls) doubt(step, call, CUT_SHORT);
  state.calls = [];
  state.sending = null;
}

const CUT_SHORT: Reason = {
  code: "stopping",
  message: "Rialto stopped before the network answered, so this may or may not have arrived; it is not sent again.",
};

/** The network may have forgotten its key. */
export function isForgotten({ setting }: LaneState, { monoMs }: Moment, item: WindowItem): boolean {
  const { idempotency } = setting.capabilities;
  return idempotency.by === "key" && item.doubt !== null && monoMs - item.doubt.monoMs > idempotency.windowMs;
}

const isTimed = ({ setting }: LaneState): boolean => setting.capabilities.idempotency.by === "key";

/**
 * Pure. What an earlier run leaves in doubt; `next`: messages after the cursor, oldest first, as many as may have been
 * sent.
 */
export function doubtsLeft(
  { doubts = [], done = [], sendingSinceMs }: Checkpoint,
  next: readonly Pick<StoredEntry, "seq" | "at">[],
  capabilities: Pick<Capabilities, "limits">,
): readonly Doubt[] {
  if (sendingSinceMs === undefined) return doubts;
  const known = new Set<Seq>(doubts.map(({ seq }) => seq));
  const open = next.filter(({ seq }) => !done.includes(seq)).slice(0, reachOf(capabilities));
  const more = open.filter(({ seq }) => !known.has(seq));
  return [...doubts, ...more.map(({ seq, at }) => ({ seq, sinceMs: Math.max(at, sendingSinceMs), why: RESTARTED }))];
}

/** By the clock of this run. */
export function timed(
  doubts: readonly Doubt[],
  { nowMs, monoMs }: Pick<Moment, "nowMs" | "monoMs">,
): readonly TimedDoubt[] {
  return doubts.map((each) => ({ ...each, monoMs: monoMs - Math.max(0, nowMs - each.sinceMs) }));
}
