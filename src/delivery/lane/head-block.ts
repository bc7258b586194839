import type { Reason } from "../../contract/outcome.ts";
import { finish, tellAuthor } from "./endings.ts";
import { isChange } from "./prepare.ts";
import type { Decision } from "./settle.ts";
import type { SetAside } from "../status.ts";
import { type HandlerCall, type HeadBlock, isProbe, type LaneState, type Step } from "./state.ts";
import type { WindowItem } from "./window.ts";

/**
 * A message that can never be sent must not block the messages behind it (head-of-line blocking). A probe tells it from
 * an outage: the lane sends the next message first.
 *
 *   none ──an attempt of the oldest message fails──▶ failing ──2 min are over──▶ again ──it fails again──▶ probing
 *
 *   probing ──the next message fails too: an outage──▶ failing (the next probe comes later, and is another message)
 *      └──the next message is delivered──▶ last tries ──two more failures──▶ set aside: failed or unconfirmed
 *
 * Where several messages are sent at once, one behind it that was delivered since its last attempt but one is as good
 * as a probe.
 *
 * The oldest message is tried right before each probe, alone, so that messages keep their order when an outage ends. A
 * new session begins with none: what went wrong in the last one says nothing about this one. A network that asks for
 * time (`rate_limited`) gets it.
 */
/** How long a message has to fail before a probe, in ms. */
const PATIENCE_MS = 2 * 60_000;
/** The wait after probes that failed, in ms: it doubles. */
const PROBES = { baseMs: 60_000, capMs: 30 * 60_000 };
/** Attempts after a probe was delivered, and the longest wait between them, in ms. */
const LAST_TRIES = 2;
const LAST_WAIT_MS = 5_000;
/** So many of the messages that were set aside are shown. */
const SHOWN_MAX = 20;

/** The message whose turn it is; null: there is none, or an earlier one holds it back. */
export function nextUp({ headBlock, window }: LaneState): WindowItem | null {
  const next = window.ready();
  if (headBlock === null || headBlock.stage.is === "failing") return next;
  // Alone: a network may hold up what was sent together with a message that it refuses.
  if (headBlock.stage.is !== "probing") return next === headBlock.item ? next : null;
  const { item } = headBlock.stage;
  return item.state === "ready" ? item : null;
}

/** The next message is sent first, whatever wait the oldest one asked for; a log that does not answer stops that. */
export function isProbing({ headBlock, failures }: LaneState): boolean {
  return headBlock?.stage.is === "probing" && failures === 0;
}

/** An attempt has ended. */
export function ended(step: Step, call: HandlerCall, decision: Decision): void {
  const { state, at } = step;
  const { headBlock } = state;
  if (isSent(decision)) arrived(step, call.item);
  const isOfProbe = isProbe(state, call.item);
  if (decision.is === "retry" && !isOfProbe) failed(step, call, decision);
  else if (headBlock !== null && isOfProbe) {
    headBlock.stage = isSent(decision) ? { is: "last tries", failed: 0 } : { is: "failing" };
    if (isSent(decision)) state.untilMs = at.monoMs;
  } else if (headBlock !== null && isSent(decision) && call.item.seq > headBlock.item.seq && isPost(call)) {
    headBlock.passedMs = call.startedMs;
  }
}

const isSent = (decision: Decision): boolean => decision.is === "finish" && decision.state === "sent";
const isPost = ({ item }: HandlerCall): boolean => item.op?.kind === "post";

/** The message waits for another attempt. */
function failed(step: Step, call: HandlerCall, { why, wait }: Extract<Decision, { is: "retry" }>): void {
  const { state, at } = step;
  const { item } = call;
  if (item !== state.window.oldest) return;
  const isItsOwn = wait.for !== "session" && why.code !== "rate_limited" && !call.refused && call.link === state.link;
  if (!isItsOwn) {
    state.headBlock = null;
    return;
  }
  if (state.headBlock?.item !== item) {
    const first = { sinceMs: at.monoMs, triedMs: call.startedMs, passedMs: -Infinity };
    const probes = { probeAtMs: at.monoMs + PATIENCE_MS, probes: 0, probed: item.seq };
    state.headBlock = { item, stage: { is: "failing" }, ...first, ...probes };
    return;
  }
  const { headBlock } = state;
  const hasPassed = headBlock.passedMs >= headBlock.triedMs && at.monoMs - headBlock.sinceMs >= PATIENCE_MS;
  headBlock.triedMs = call.startedMs;
  if (headBlock.stage.is === "last tries") lastTryFailed(step, headBlock, headBlock.stage, why);
  else if (hasPassed) lastTryFailed(step, headBlock, { is: "last tries", failed: 0 }, why);
  else if (headBlock.stage.is === "again" || headBlock.probeAtMs <= at.monoMs) probe(step, headBlock);
}

/** To be called before anything starts. */
export function look(step: Step): void {
  const { state, at } = step;
  const { headBlock } = state;
  if (headBlock === null) return;
  if (headBlock.item !== state.window.oldest) state.headBlock = null;
  else if (headBlock.stage.is === "probing") {
    if (headBlock.stage.item.state === "done" || state.failures > 0) headBlock.stage = { is: "failing" };
  } else if (probeDueMs(step) <= at.monoMs) {
    headBlock.stage = { is: "again" };
    postpone(step, headBlock);
    state.untilMs = at.monoMs;
  }
}

/** When the oldest message is tried again because a probe is due; Infinity: no probe will be. */
export function probeDueMs(step: Step): number {
  const { headBlock, calls, mode } = step.state;
  const isWaiting = headBlock?.stage.is === "failing" && mode.is === "joined" && calls.length === 0;
  if (!isWaiting) return Infinity;
  const canTell = headBlock.passedMs >= headBlock.triedMs || candidateOf(step, headBlock) !== null;
  return canTell ? headBlock.probeAtMs : Infinity;
}

function postpone({ at }: Step, headBlock: HeadBlock): void {
  headBlock.probeAtMs = at.monoMs + Math.min(PROBES.baseMs * 2 ** headBlock.probes, PROBES.capMs);
}

function probe(step: Step, headBlock: HeadBlock): void {
  const item = candidateOf(step, headBlock);
  headBlock.stage = item === null ? { is: "failing" } : { is: "probing", item };
  if (item === null) return;
  headBlock.probed = item.seq;
  postpone(step, headBlock);
  headBlock.probes += 1;
}

/** The next message that is no probe yet; after the last one, the first. */
function candidateOf(step: Step, { item, probed }: HeadBlock): WindowItem | null {
  const all = step.state.window.readyBehind(item).filter((other) => isIndependent(step, other));
  return all.find(({ seq }) => seq > probed) ?? all[0] ?? null;
}

/** A message of its own: where it gets through, others can. */
function isIndependent(step: Step, item: WindowItem): boolean {
  if (isChange(step, item)) return false;
  const about = item.stored?.about ?? null;
  return item.stored !== null && (about === null || (about.seq !== null && about.seq <= step.state.window.cursor));
}

/** It was sent again, and arrived. */
function arrived({ state }: Step, item: WindowItem): void {
  if (state.setAside.length > 0) state.setAside = withoutSeq(state, item);
}

const withoutSeq = ({ setAside }: LaneState, { messageSeq }: WindowItem): readonly SetAside[] =>
  setAside.filter(({ seq }) => seq !== messageSeq);

function lastTryFailed(
  step: Step,
  headBlock: HeadBlock,
  { failed: before }: HeadBlock["stage"] & { readonly is: "last tries" },
  why: Reason,
): void {
  const { state, at } = step;
  const { item, sinceMs } = headBlock;
  const count = before + 1;
  headBlock.stage = { is: "last tries", failed: count };
  state.untilMs = count < LAST_TRIES ? Math.min(state.untilMs, at.monoMs + LAST_WAIT_MS) : at.monoMs;
  if (count < LAST_TRIES) return;
  const seconds = Math.round((at.monoMs - sinceMs) / 1_000);
  const message = `It was set aside after ${seconds} s, because other messages got through. The last answer: ${why.message}`;
  const reason = { ...why, message };
  state.headBlock = null;
  state.setAside = [...withoutSeq(state, item), { seq: item.messageSeq, atMs: at.nowMs, why: reason }].slice(
    -SHOWN_MAX,
  );
  finish(step, item, item.doubt === null ? "failed" : "unconfirmed", reason);
  if (item.doubt !== null) tellAuthor(step, item, reason);
}
