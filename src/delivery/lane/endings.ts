import type { MessageRef, Progress } from "../../contract/ids.ts";
import { EventLabel } from "../../contract/message.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import { isUnfinished } from "../../gateway/again.ts";
import type { Copies, Receipt, Subject } from "../../log/log.ts";
import { doubt } from "./doubts.ts";
import { answersOf, reactionsOf } from "./options.ts";
import { progress } from "./outage.ts";
import { addReceipt, changed, decided } from "./records.ts";
import { type Decision, type OpEnd, receiptOf, type Wait, waitMs } from "./settle.ts";
import type { HandlerCall, Step } from "./state.ts";
import type { WindowItem } from "./window.ts";

/**
 * What becomes of messages once an attempt has ended: they wait again, or they have come to their end, with a receipt.
 */

/** What becomes of what goes out with a message that ends so; otherwise it stands for itself. */
const COALESCED_STATES: ReadonlyMap<Receipt["state"], Receipt["state"]> = new Map([
  ["sent", "folded"],
  ["unconfirmed", "unconfirmed"],
  ["omitted", "omitted"],
]);

/** Where people may want to act. */
const SAID = new Map<Receipt["state"], string>([
  ["failed", "a message was refused; it is not sent again"],
  ["unconfirmed", "a message may or may not have been delivered; it is not sent again"],
]);

export function finish(
  step: Step,
  item: WindowItem,
  state: Receipt["state"],
  why: Reason | null,
  losses: readonly Loss[] = [],
): void {
  const { window, link } = step.state;
  const isUnsent = item.state === "ready";
  window.finish(item);
  const isPartly = state !== "failed" && item.unconfirmed !== null;
  // That a part is not confirmed was said when it came to that.
  if (isPartly) keep(step, item, { state: "unconfirmed", why: item.unconfirmed, losses });
  else record(step, item, { state, why, losses });
  const ageMs = Math.max(0, step.at.nowMs - item.at);
  step.effects.push({ do: "meter end", state: isPartly ? "unconfirmed" : state, ageMs });
  if (state === "failed" && why !== null) tellAuthor(step, item, why);
  changed(step);
  if (isUnsent) decided(step.state);
  const fate = COALESCED_STATES.get(state);
  if (fate !== undefined) for (const change of item.coalesced) finish(step, change, fate, why);
  if (state !== "sent") return;
  if (item.stored?.again !== undefined) step.effects.push({ do: "tell author", of: item.messageSeq, why: null });
  // What held others up is over; what took the channel away is not.
  if (link !== null) step.state.why = null;
  progress(step);
}

/** Of what a person said, and not of what acts on that. */
export function tellAuthor({ effects }: Step, { stored, messageSeq: of }: WindowItem, why: Reason): void {
  const about = stored?.about ?? null;
  const isMessage = SAYINGS.has(stored?.message.event ?? EventLabel.failure);
  if (isMessage && (about === null || about.is === "reply")) effects.push({ do: "tell author", of, why });
}

const SAYINGS: ReadonlySet<string> = new Set(["", EventLabel.action]);

/** Its call has ended so. */
export function conclude(
  step: Step,
  { item, losses }: HandlerCall,
  outcome: Outcome,
  { state, why }: Extract<Decision, { is: "finish" }>,
): void {
  const receipt = outcome.is === "delivered" ? outcome.receipt : null;
  if (receipt !== null && item.op?.kind === "edit") item.messages = receipt.messages;
  else item.addMessages(receipt?.messages ?? []);
  finish(step, item, state, why, [...losses, ...(receipt?.losses ?? [])]);
}

/** Its call has ended, and it waits for another. */
export function putOff(
  step: Step,
  call: HandlerCall,
  { resume, why, unconfirmed, doubt: isInDoubt }: Extract<Decision, { is: "retry" }>,
): void {
  const { item } = call;
  step.state.window.move(item, "ready");
  item.resumeAt(resume);
  if (isInDoubt) doubt(step, call, why);
  if (unconfirmed) {
    item.unconfirmed = why;
    record(step, item, { state: "unconfirmed", why, losses: [] });
  }
  // Also when nothing is in doubt: the intent on disk must not say otherwise.
  changed(step);
}

/** The network does not let it be done, and words are as good: they are another op, of which nothing was sent. */
export function sayInstead(step: Step, { item }: HandlerCall, why: Reason | null): void {
  step.state.window.move(item, "ready");
  item.inWords = true;
  item.here = null;
  item.doubt = null;
  item.throws = 0;
  changed(step);
  const message = "a topic was refused; it is said in words";
  const fields = { seq: item.seq, why: why?.message };
  step.effects.push({ do: "say", level: "warn", fields, message, key: `topic ${why?.message}` });
}

/** A longer wait is said in the log, in ms. */
const SILENT_WAIT_MS = 10_000;

/** Nothing starts for as long as the end of the call asks for. */
export function hold(
  { state, at, effects }: Step,
  { id, item, link, refused }: HandlerCall,
  asked: Wait,
  why: Reason,
): void {
  // A deferral that our own refusal brought about knows nothing of the network; what made us refuse says when to go on.
  const wait: Wait = refused && asked.for !== "backoff" ? { for: "channel", ms: 0 } : asked;
  const untilMs = at.monoMs + waitMs(wait, item.attempts, () => at.random);
  state.why = why;
  if (untilMs - at.monoMs > SILENT_WAIT_MS) {
    const fields = { seq: item.seq, why: why.message, retryInS: Math.ceil((untilMs - at.monoMs) / 1_000) };
    effects.push({ do: "say", level: "warn", fields, message: "a message waits", key: `wait ${why.message}` });
  }
  if (wait.for !== "session") {
    state.untilMs = Math.max(state.untilMs, untilMs);
    return;
  }
  effects.push({ do: "hold", call: id, untilMs });
  if (state.link?.gate === link.gate) state.gateMs = Math.max(state.gateMs, untilMs);
}

/** The log does not answer; `times`: in a row. */
export function holdForLog({ state, at }: Step, times: number, why: Reason): void {
  state.why = why;
  state.untilMs = Math.max(state.untilMs, at.monoMs + waitMs({ for: "backoff" }, times, () => at.random));
}

type Ending = Pick<OpEnd, "state" | "why" | "losses">;

/** Behind what it would go on, were it sent again. */
function fromOf({ confirmed, unconfirmed, stored }: WindowItem): Progress | null {
  return unconfirmed === null ? (confirmed ?? stored?.again?.from ?? null) : null;
}

/** Its copies; of one that has ended before it was begun once more, those from before. */
function messagesOf({ messages, isKnownInPart, stored }: WindowItem): readonly MessageRef[] {
  return isKnownInPart ? messages : (stored?.again?.messages ?? []);
}

/** Writes down how it ended, and says so; of equal reasons one a minute. */
function record(step: Step, item: WindowItem, ending: Ending): void {
  const { effects } = step;
  const seq = item.messageSeq;
  const { state, why } = ending;
  keep(step, item, ending);
  const message = "the delivery of a message has ended";
  effects.push({ do: "say", level: "debug", fields: { seq, state, why: why?.message }, message });
  const said = SAID.get(state);
  if (said === undefined) return;
  const key = `${state} ${why?.message}`;
  effects.push({ do: "say", level: "warn", fields: { seq, why: why?.message }, message: said, key });
}

/** Without a word in the log. */
function keep(step: Step, item: WindowItem, ending: Ending): void {
  const { name, place } = step.state.setting;
  const copies = copiesBy(item, ending.state, place);
  const reach = isUnfinished(ending.state) ? { from: fromOf(item), gap: item.unconfirmed !== null } : {};
  const replaces = item.stored?.again !== undefined;
  const end: OpEnd = { ...ending, messages: messagesOf(item), copies, replaces, ...reach };
  const receipt = receiptOf(name, item.messageSeq, end);
  if (receipt !== null) addReceipt(step, receipt);
  const line = lineBy(item, ending.state, place);
  const list = (lane: string, of: Copies | null): void => {
    if (of !== null) addReceipt(step, { lane, seq: item.seq, state: ending.state, detail: "{}", copies: of });
  };
  list(reactionsOf(name), line);
  list(answersOf(name), answersBy(item, answersOf(name)));
}

/** Answers that quote one message, and from which the words are taken when it is deleted: the newest ones. */
const ANSWERS_MAX = 20;

/** The answers that quote a message, from now on; null: as before. */
function answersBy({ op, messages, messageSeq, stored, here }: WindowItem, place: Subject): Copies | null {
  const of = stored?.about?.seq ?? null;
  if (op?.kind !== "post" || op.quotes !== true || of === null || messages.length === 0) return null;
  const others = here?.quoting.filter((seq) => seq !== messageSeq) ?? [];
  return { of, place, refs: [...others, messageSeq].slice(-ANSWERS_MAX).map(String) };
}

/** By which refs a message is known at the destination from now on; null: as before. */
function copiesBy(item: WindowItem, state: Receipt["state"], place: Subject): Copies | null {
  const { op, messages } = item;
  const stored = item.stored ?? null;
  if (stored === null || messages.length === 0) return null;
  const { about } = stored;
  // Without an op, an earlier run has sent what is there.
  const isPost = op === null || op.kind === "post";
  if (about === null || about.is === "reply") return isPost ? { of: item.messageSeq, place, refs: messages } : null;
  if (op === null || about.is !== "edit" || about.seq === null) return null;
  if (op.kind === "edit" && state === "sent") return { of: about.seq, place, refs: messages };
  // Lines that say an edit in words belong to what it edits: whoever answers one answers that.
  return { of: about.seq, place, refs: [...(item.here?.about ?? []), ...messages] };
}

/** By which refs the line that says the reactions to a message is known from now on; null: as before. */
function lineBy({ op, messages, stored, here }: WindowItem, state: Receipt["state"], place: Subject): Copies | null {
  const about = stored?.about ?? null;
  const isKept = (here?.line ?? null) !== null;
  if (op === null || !isKept || about?.is !== "reaction" || about.seq === null) return null;
  const isMade = op.kind !== "delete" && messages.length > 0;
  // A line that cannot be edited any more makes room for another.
  const isGone = op.kind === "edit" ? state === "failed" : op.kind === "delete" && state === "sent";
  if (!isMade && !isGone) return null;
  return { of: about.seq, place: reactionsOf(place), refs: isGone ? [] : messages };
}
