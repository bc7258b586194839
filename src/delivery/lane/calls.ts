import { END, type MessageRef, type OpId, type Progress } from "../../contract/ids.ts";
import type { EditOp, Op } from "../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { AnswerEdit, OpDraft } from "../../gateway/planned.ts";
import { answerIdOf } from "./options.ts";
import { awaitWrite, changed, writeSoon } from "./records.ts";
import { type Decision, settle } from "./settle.ts";
import {
  type WaitingIntent,
  type Ask,
  type HandlerCall,
  isProbe,
  isRunning,
  type LaneState,
  type ChannelLink,
  type Step,
} from "./state.ts";
import type { WindowItem } from "./window.ts";

/**
 * The handler calls of a lane that are under way. Each ends: by itself, or because it is given up.
 *
 *   running ──all silent for too long (stalled), or the session gone──▶ ending ──10 s──▶ overdue
 *
 * Once it has ended it changes nothing any more: what its handler announces later is answered with false.
 */

/** How long all handlers of a session may neither end nor tell anything, in ms. */
const STALL_MS = 10 * 60_000;
/** And those of one lane, while the others of its session go on: with a slow pace the queue before them may be long. */
const STALL_ALONE_MS = 2 * 60 * 60_000;
/** How long a handler that has to end may take for it, in ms. */
const END_MS = 10_000;

const GONE: Reason = { code: "network", message: "The session ended before this was finished." };
const HUNG: Reason = { code: "timeout", message: "There has been no progress for 10 minutes or more." };
const THREW: Reason = {
  code: "bug",
  message: "The adapter failed unexpectedly: this is a bug, see the log.",
};

/** An op, and what it loses before any handler sees it. */
export interface PlannedOp {
  readonly op: OpDraft;
  readonly losses: readonly Loss[];
}

export function begin(
  { state, at, effects }: Step,
  item: WindowItem,
  link: ChannelLink,
  { op: draft, losses, id, isLine = false }: PlannedOp & { readonly id: OpId; readonly isLine?: boolean },
): void {
  item.begin(draft);
  if (!isLine) state.window.move(item, "running");
  const more = { deadlineMs: null, aborted: false, refused: false };
  const call: HandlerCall = { id: state.nextCall, item, link, losses, startedMs: at.monoMs, isLine, ...more };
  state.nextCall += 1;
  state.calls = [...state.calls, call];
  state.activeMs = at.monoMs;
  const place = { id, channel: link.channel, attempt: item.attempts };
  effects.push({ do: "call", call: call.id, seq: item.seq, ...opsOf(draft, place, item), isLine });
}

/** The op, and the edits that follow a deletion. */
function opsOf(
  draft: OpDraft,
  place: OpPlace,
  { confirmed }: WindowItem,
): { readonly op: Op; readonly answers: readonly EditOp[] } {
  if (draft.kind === "post") {
    const { quotes: _, ...post } = draft;
    return { op: { ...post, ...place, resume: confirmed }, answers: [] };
  }
  if (draft.kind !== "delete") return { op: { ...draft, ...place }, answers: [] };
  const { answers = [], ...deletion } = draft;
  return { op: { ...deletion, ...place }, answers: answers.map((answer) => editOf(answer, place)) };
}

function editOf({ of, ...edit }: AnswerEdit, place: OpPlace): EditOp {
  return { kind: "edit", ...edit, ...place, id: answerIdOf(place.id, of) };
}

type OpPlace = Pick<Op, "id" | "channel" | "attempt">;

/** Undefined once it has ended. */
export function callOf({ calls }: LaneState, id: number): HandlerCall | undefined {
  return calls.find((call) => call.id === id);
}

/** A part wants to leave. Where the network would repeat it, its intent has to be on the disk before. */
export function announce(step: Step, id: number, ask: Ask, upTo: Progress): void {
  const { state } = step;
  const call = callOf(state, id);
  if (call === undefined || !isAllowed(state, call)) return answer(step, call, ask, false);
  active(step);
  if (state.setting.capabilities.idempotency.by !== "none") {
    call.item.announced = upTo;
    return answer(step, call, ask, true);
  }
  call.item.intended = upTo;
  if (!awaitWrite(step, { for: "announcement", call, ask, upTo })) answer(step, call, ask, false);
}

/** Asked again at the end: what happened meanwhile may have ended the call. */
export function announced(step: Step, { call, ask, upTo }: WaitingIntent, durable: boolean): void {
  const allowed = durable && isAllowed(step.state, call);
  if (allowed) call.item.announced = upTo;
  answer(step, call, ask, allowed);
}

function answer({ state, effects }: Step, call: HandlerCall | undefined, ask: Ask, allowed: boolean): void {
  if (!allowed && call !== undefined && state.calls.includes(call)) {
    call.refused = true;
    call.item.held = true;
  }
  effects.push({ do: "answer", ask, allowed });
}

function isAllowed(state: LaneState, call: HandlerCall): boolean {
  if (!state.calls.includes(call) || call.aborted || !isRunning(state)) return false;
  return isProbe(state, call.item) || state.window.isInTurn(call.item);
}

/** Parts of it certainly arrived. */
export function confirm(step: Step, id: number, upTo: Progress, messages: readonly MessageRef[]): void {
  const call = callOf(step.state, id);
  if (call === undefined) return;
  call.item.confirmed = upTo;
  call.item.addMessages(messages);
  active(step);
  // With all of it confirmed, its end follows at once, and goes to the disk in the same write.
  if (upTo === END) writeSoon(step);
  else changed(step);
}

/** One of them ends or has told something. They may wait for each other, so one is as good as all. */
function active({ state, at, effects }: Step): void {
  state.activeMs = at.monoMs;
  effects.push({ do: "beat" });
}

/** Takes it out of those under way, and says what follows. `outcome` null: its handler threw. */
export function end(step: Step, call: HandlerCall, outcome: Outcome | null): { outcome: Outcome; decision: Decision } {
  const { state, at, effects } = step;
  const { item } = call;
  active(step);
  state.calls = state.calls.filter((other) => other !== call);
  const ended: Outcome = outcome ?? { is: "unknown", why: THREW };
  effects.push({ do: "meter answer", outcome: ended.is, ms: at.monoMs - call.startedMs });
  item.throws = outcome === null ? item.throws + 1 : 0;
  const { announced: upTo, confirmed, throws } = item;
  const { by } = state.setting.capabilities.idempotency;
  return { outcome: ended, decision: settle({ by, announced: upTo, confirmed, throws }, ended) };
}

/** All of them have to end soon. */
export function endAll({ state, at }: Step): void {
  for (const call of state.calls) call.deadlineMs ??= at.monoMs + END_MS;
}

export function abortAll(step: Step): void {
  for (const call of step.state.calls) abort(step, call);
}

function abort({ effects }: Step, call: HandlerCall): void {
  call.aborted = true;
  effects.push({ do: "abort", call: call.id });
}

/** Those that have had their time, aborted, and how they end. */
export function overdue(step: Step): readonly (readonly [HandlerCall, Outcome])[] {
  const { state, at } = step;
  const late = state.calls.filter(({ deadlineMs }) => deadlineMs !== null && deadlineMs <= at.monoMs);
  return late.map((call) => {
    abort(step, call);
    return [call, { is: "unknown", why: call.link === state.link ? HUNG : GONE }];
  });
}

/** Some call that nobody has told to end, while nothing has moved for too long: its session is to be ended. */
export function endStalled(step: Step): void {
  if (stallsAtMs(step) > step.at.monoMs) return;
  const message = "an adapter hangs: its session is ended";
  step.effects.push({ do: "say", level: "error", fields: { why: HUNG.message }, message });
  endAll(step);
  abortAll(step);
  step.effects.push({ do: "end session", why: HUNG });
}

/** When to look again; Infinity: no need. */
export function callsDueMs(step: Step): number {
  let dueMs = stallsAtMs(step);
  for (const { deadlineMs } of step.state.calls) dueMs = Math.min(dueMs, deadlineMs ?? Infinity);
  return dueMs;
}

function stallsAtMs({ state: { calls, activeMs }, at }: Step): number {
  // They all belong to the session that there is: those of another one have been told to end.
  if (!calls.some(({ deadlineMs }) => deadlineMs === null)) return Infinity;
  return Math.min(Math.max(activeMs, at.pulseMs) + STALL_MS, activeMs + STALL_ALONE_MS);
}
