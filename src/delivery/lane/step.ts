import type { Outcome, Reason } from "../../contract/outcome.ts";
import type { Receipt, Seq } from "../../log/log.ts";
import * as calls from "./calls.ts";
import * as earlyIntent from "./early-intent.ts";
import { beginSending, breakOff, endSending, isForgotten } from "./doubts.ts";
import { conclude, finish, hold, holdForLog, putOff, sayInstead } from "./endings.ts";
import * as headBlock from "./head-block.ts";
import { lateness, NEWEST_ENTRIES, newestOf } from "./lateness.ts";
import { addToLine, endLine, listAgain, sendLine, unlist } from "./line.ts";
import type { Found, Search } from "./lookup.ts";
import * as outage from "./outage.ts";
import { coalesceInto, hereOf, isChange, mustWait, prepare, prepared, searchStored } from "./prepare.ts";
import * as reading from "./reading.ts";
import * as records from "./records.ts";
import {
  admits,
  type HandlerCall,
  type LaneEffect,
  type Fact,
  hasLetGo,
  type Input,
  isRunning,
  type LaneState,
  type ChannelLink,
  type Step,
  type Waiter,
} from "./state.ts";
import type { WindowItem } from "./window.ts";

/** Most receipts that may wait for a log that takes none. */
const RECEIPTS_MAX = 1_000;
/** How long a stop may take after its signal, in ms. */
const STOP_GRACE_MS = 500;

/**
 * A lane: the ordered reader of the log for one outgoing bridge in one gateway. All that it does is a step: something
 * is known (an input), the state changes, and something is to be done (effects), of which the driver in lane.ts brings
 * the results back as inputs. There is no clock here, no waiting and nobody who is called. The lane is in exactly one
 * mode:
 *
 *   opening    What the last run left in doubt goes to the disk first.
 *   apart      The channel is not joined. The lane reads a chunk ahead and waits.
 *   joined     The messages of the window are started in order, at most `inflightMax` at once, unless one of these
 *              holds it back: a wait that an outcome or the log asked for, the session's gate, calls of an earlier
 *              session or of the line for expired messages that have not ended, a log that refuses marks on a network
 *              without idempotency. A message that never gets through gives way to the others (head-block.ts).
 *   weighing   A message is late, and the log is asked which ones CatchUp lets through. Nothing starts.
 *   preparing  What has to be known of one message is found out (prepare.ts). Nothing starts.
 *   unlisting  The line for expired messages leaves the disk before it is sent (line.ts). Nothing starts.
 *   stopping   Nothing starts any more, and what is under way may end.
 *   closing    Nothing is under way, or what is will not be waited for. The last write is.
 *   stopped    Nothing counts any more.
 *
 *   opening ──▶ apart ◀──the channel comes and goes──▶ joined ◀──▶ weighing, preparing, unlisting
 *   any of these ──stop──▶ stopping ──▶ closing ──▶ stopped
 *
 * When the channel goes, all that was found out for its next message is dropped: the lane is apart at once. Calls under
 * way go on in every mode (calls.ts), and so do one read (reading.ts) and one write (records.ts). What has become of a
 * message is decided in settle.ts, what order means in window.ts, what is on the disk in checkpoint.ts. Messages that
 * are too late when their turn comes (lateness.ts) are expired, and one line stands for them.
 */
export function step(
  state: LaneState,
  { at, fact }: Input,
): { readonly state: LaneState; readonly effects: readonly LaneEffect[] } {
  const now: Step = { state, at, effects: [] };
  state.gateMs = at.gateMs;
  if (takeIn(now, fact)) pump(now);
  // It may be written a moment later.
  else if (fact.is === "confirmed") setTimer(now);
  return { state, effects: now.effects };
}

/** True where something may go on now. */
function takeIn(now: Step, fact: Fact): boolean {
  const { state } = now;
  if (hasLetGo(state) && !COUNTS_TO_THE_END.has(fact.is)) return false;
  switch (fact.is) {
    case "announced":
      calls.announce(now, fact.call, fact.ask, fact.upTo);
      return false;
    case "confirmed":
      calls.confirm(now, fact.call, fact.upTo, fact.messages);
      return false;
    case "ends":
      state.upTo = fact.upTo;
      return false;
    case "rides":
    case "rode":
      earlyIntent.take(now, fact);
      break;
    case "turn over":
      return afterWrite(now, records.write(now));
    case "durable":
      return afterWrite(now, records.written(now));
    case "refused":
      return afterWrite(now, records.refused(now, fact.why, fact.closed));
    case "opened":
      open(now, fact.receipts);
      break;
    case "woken":
      reading.woken(now);
      break;
    case "read":
      reading.take(now, fact.entries);
      break;
    case "unreadable":
      reading.failedToRead(now, fact.why, fact.closed);
      break;
    case "connected":
      connect(now, fact.link);
      break;
    case "disconnected":
      disconnect(now, fact.why);
      break;
    case "verdict":
      judged(now, fact.seq, fact.why);
      break;
    case "found":
      found(now, fact.search, fact.found);
      break;
    case "newest":
      weighed(now, fact);
      break;
    case "no newest":
      notWeighed(now, fact.error);
      break;
    case "outcome":
      ended(now, calls.callOf(state, fact.call), fact.outcome);
      break;
    case "tick":
      tick(now);
      break;
    case "stop":
      putAside(now);
      state.mode = { is: "stopping" };
      break;
    case "break off":
      calls.abortAll(now);
      state.stopByMs = now.at.monoMs + STOP_GRACE_MS;
  }
  return true;
}

/** Once nothing but the disk is waited for. */
const COUNTS_TO_THE_END: ReadonlySet<Fact["is"]> = new Set([
  "announced",
  "turn over",
  "durable",
  "refused",
  "tick",
  "break off",
]);

function open(now: Step, receipts: readonly Receipt[]): void {
  for (const receipt of receipts) records.addReceipt(now, receipt);
  if (!records.awaitWrite(now, { for: "opening" })) now.state.mode = { is: "apart" };
}

/** Those who waited for the disk hear how it came out. Whether something may go on. */
function afterWrite(now: Step, result: records.WriteResult | null): boolean {
  if (result === null) return false;
  const { waiting, durable, relieved } = result;
  for (const waiter of waiting) told(now, waiter, durable);
  return relieved || !durable || waiting.some((waiter) => waiter.for !== "announcement");
}

function told(now: Step, waiter: Waiter, durable: boolean): void {
  const { state } = now;
  switch (waiter.for) {
    case "announcement":
      return calls.announced(now, waiter, durable);
    case "search": {
      const answer = searchStored(now, waiter.search, durable);
      return answer === null ? undefined : found(now, waiter.search, answer);
    }
    case "line":
      if (state.mode.is !== "unlisting") return;
      return durable && state.link !== null ? sendLine(now, state.link, state.mode.summary) : listAgain(now);
    case "opening":
      state.mode = { is: "apart" };
      return;
    case "closing":
      return stopped(now);
  }
}

/** The channel is joined: messages go there from now on. */
function connect(now: Step, link: ChannelLink): void {
  const { state } = now;
  putAside(now);
  calls.endAll(now);
  state.link = link;
  state.headBlock = null;
  state.why = null;
  if (!isRunning(state)) return;
  state.mode = { is: "joined" };
  beginSending(now);
}

/** The channel or its session is gone. Calls under way end by themselves, or are given up on after 10 s. */
function disconnect(now: Step, why: Reason): void {
  const { state } = now;
  putAside(now);
  calls.endAll(now);
  state.link = null;
  state.why = why;
  if (isRunning(state)) state.mode = { is: "apart" };
}

/** What was being found out is of no use any more. */
function putAside(now: Step): void {
  const { mode } = now.state;
  if (mode.is === "preparing" && mode.until === "found") now.effects.push({ do: "give up" });
  listAgain(now);
}

function tick(now: Step): void {
  const { state, at } = now;
  state.timerMs = Infinity;
  records.retryWrite(now);
  if (state.reading.retryAtMs <= at.monoMs) state.reading.retryAtMs = Infinity;
  outage.notice(now);
  for (const [call, outcome] of calls.overdue(now)) ended(now, call, outcome);
  calls.endStalled(now);
}

/** Does all that can be done now, and sets the timer for what has to be done later. */
function pump(now: Step): void {
  const { state } = now;
  if (state.mode.is === "opening") return;
  headBlock.look(now);
  dispatch(now);
  endSending(now);
  // What was started or expired made room.
  reading.fill(now);
  outage.observe(now);
  endStop(now);
  setTimer(now);
}

function dispatch(now: Step): void {
  const { state } = now;
  while (state.link !== null && mayStart(now, state.link)) {
    const item = headBlock.nextUp(state);
    const summary = records.isRefusing(state.records) ? null : state.line.waiting;
    const verdict = item === null ? null : latenessOf(now, item);
    if (item !== null && verdict?.is === "unknown") return weigh(now, item);
    if (item !== null && verdict?.is === "too late") {
      // Its line comes where it would have come: after all that is under way.
      if (state.calls.length > 0) return;
      expire(now, item, verdict.why);
    } else if (summary !== null && (item !== null || reading.hasReadAll(state.reading))) {
      if (state.calls.length > 0) return;
      unlist(now, summary);
    } else if (item === null || mustWait(now, item)) return;
    else start(now, item, state.link);
  }
}

function mayStart({ state, at }: Step, link: ChannelLink): boolean {
  const { mode, setting, gateMs, untilMs } = state;
  const { limits, idempotency } = setting.capabilities;
  if (mode.is !== "joined" || state.calls.length >= limits.inflightMax) return false;
  if (
    Math.max(headBlock.isProbing(state) ? 0 : untilMs, gateMs) > at.monoMs ||
    state.records.receipts.length > RECEIPTS_MAX
  )
    return false;
  if (idempotency.by === "none" && records.isRefusing(state.records)) return false;
  return !state.calls.some((call) => call.isLine || call.link !== link);
}

function latenessOf(now: Step, item: WindowItem): ReturnType<typeof lateness> {
  const { setting, newest } = now.state;
  return lateness(setting, newest, now.at, item, () => isChange(now, item));
}

function weigh({ state, effects }: Step, { seq }: WindowItem): void {
  state.mode = { is: "weighing" };
  effects.push({ do: "find newest", from: seq, limit: NEWEST_ENTRIES });
}

function weighed({ state }: Step, fact: Fact & { readonly is: "newest" }): void {
  const { catchUp } = state.setting;
  if (catchUp?.is !== "newest") return;
  state.newest = newestOf(catchUp.count, (entry) => admits(state, entry), fact);
  state.failures = 0;
  if (state.mode.is === "weighing") state.mode = { is: "joined" };
}

function notWeighed(now: Step, error: string): void {
  const { state } = now;
  if (state.mode.is !== "weighing") return;
  state.mode = { is: "joined" };
  state.failures += 1;
  holdForLog(now, state.failures, { code: "network", message: `The log does not answer: ${error}` });
}

function expire(now: Step, item: WindowItem, why: Reason): void {
  const { doubt } = item;
  // What changes a message is none by itself. Asked of one in doubt, too: it reads what the record needs.
  const isMessage = !isChange(now, item);
  if (doubt === null && isMessage) {
    addToLine(now, item);
    now.state.outage.expired += 1;
  }
  finish(now, item, doubt === null ? "expired" : "unconfirmed", doubt?.why ?? why);
}

function start(now: Step, item: WindowItem, link: ChannelLink): void {
  if (item.doubt !== null && isForgotten(now.state, now.at, item)) {
    return finish(now, item, "unconfirmed", item.doubt.why);
  }
  if (!item.untouched) return prepare(now, item, link);
  now.state.mode = { is: "preparing", item, until: "verdict" };
  now.effects.push({ do: "ask loops", seq: item.seq });
}

/** Whether it belongs to a loop is known. */
function judged(now: Step, seq: Seq, why: Reason | null): void {
  const { state } = now;
  const { mode, link } = state;
  if (mode.is !== "preparing" || mode.until !== "verdict" || mode.item.seq !== seq) return;
  state.mode = { is: "joined" };
  if (link === null || !isStillTurnOf(now, mode.item, link)) return;
  if (why !== null) finish(now, mode.item, "withheld", why);
  else prepare(now, mode.item, link);
}

/** What a message needs is known. */
function found(now: Step, search: Search, answer: Found): void {
  const { state } = now;
  const { mode, link } = state;
  if (mode.is !== "preparing" || mode.until === "verdict" || mode.search !== search || link === null) return;
  const { item } = mode;
  const { length } = item.coalesced;
  state.mode = { is: "joined" };
  if (answer.is === "here") item.here = hereOf(item, search, answer);
  if (!isStillTurnOf(now, item, link) || coalesceInto(now, item, link)) return;
  // With a new content it is prepared once more.
  if (item.coalesced.length === length) prepared(now, item, link, search, answer);
}

/** An older one may wait again by now. */
function isStillTurnOf(now: Step, item: WindowItem, link: ChannelLink): boolean {
  return mayStart(now, link) && headBlock.nextUp(now.state) === item;
}

/** A call has ended, if it was still under way; null: its handler threw. */
function ended(now: Step, call: HandlerCall | undefined, how: Outcome | null): void {
  if (call === undefined) return;
  const { outcome, decision } = calls.end(now, call, how);
  if (decision.is === "retry") hold(now, call, decision.wait, decision.why);
  now.effects.push({ do: "forget", call: call.id });
  if (call.isLine) endLine(now, decision);
  else if (decision.is === "retry") putOff(now, call, decision);
  else if (decision.state === "failed" && call.item.op?.kind === "topic") sayInstead(now, call, decision.why);
  else conclude(now, call, outcome, decision);
  if (!call.isLine) headBlock.ended(now, call, decision);
}

/**
 * Nothing is under way any more, or it is not waited for: what has not ended is settled by the next start, from the
 * intent on disk.
 */
function endStop(now: Step): void {
  const { state, at, effects } = now;
  const isLate = state.stopByMs <= at.monoMs;
  if (state.mode.is === "stopping" && (isLate || state.calls.length === 0)) {
    for (const { id } of state.calls) effects.push({ do: "forget", call: id });
    breakOff(now);
    state.mode = { is: "closing" };
    if (!records.closeRecords(now)) stopped(now);
  }
  if (isLate) stopped(now);
}

function stopped({ state }: Step): void {
  if (state.mode.is === "closing") state.mode = { is: "stopped" };
}

/** One that is set already, and is not too late, stays: it costs less to wake in vain. */
function setTimer(now: Step): void {
  const { state, effects } = now;
  const isOver = state.mode.is === "stopped";
  const atMs = isOver ? Infinity : dueMs(now);
  if (isOver ? state.timerMs === Infinity : atMs >= state.timerMs) return;
  state.timerMs = atMs;
  effects.push({ do: "set timer", atMs });
}

function dueMs(now: Step): number {
  const { state, at } = now;
  const heldMs = Math.max(state.untilMs, state.gateMs);
  const resumesMs = state.link !== null && heldMs > at.monoMs ? heldMs : Infinity;
  const tries = Math.min(state.reading.retryAtMs, state.records.retryAtMs, state.stopByMs);
  return Math.min(calls.callsDueMs(now), resumesMs, headBlock.probeDueMs(now), outage.noticeDueMs(now), tries);
}
