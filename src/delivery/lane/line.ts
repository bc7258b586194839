import { begin } from "./calls.ts";
import { type Summary, summarise } from "./checkpoint.ts";
import { lineIdOf } from "./options.ts";
import { progress } from "./outage.ts";
import { awaitWrite, changed } from "./records.ts";
import type { Decision } from "./settle.ts";
import type { ChannelLink, Step } from "./state.ts";
import { WindowItem } from "./window.ts";

/**
 * The line that stands for messages that expired.
 *
 *   none ──a message expires──▶ waiting (on disk) ──unlisted──▶ under way (off the disk) ──may have been sent──▶ none
 *            (more are added)      ◀──────certainly not sent───────┘
 *
 * It leaves the disk before it is sent: it comes at most once.
 */

/**
 * A line of which nobody can say whether it was sent is tried so often at most: what comes after it must not wait for
 * it.
 */
const DOUBTS_MAX = 5;

export function addToLine({ state: { line } }: Step, item: WindowItem): void {
  line.waiting = summarise(line.waiting, item);
}

/** Its turn has come: it leaves the disk. */
export function unlist(step: Step, summary: Summary): void {
  const { state } = step;
  state.line.waiting = null;
  state.mode = { is: "unlisting", summary };
  if (!awaitWrite(step, { for: "line" })) listAgain(step);
}

/** It does not go now. */
export function listAgain(step: Step): void {
  const { state } = step;
  if (state.mode.is !== "unlisting") return;
  // The next write has it again: it is not what the next attempt waits for.
  state.records.waiting = state.records.waiting.filter((waiter) => waiter.for !== "line");
  state.line.waiting = state.mode.summary;
  state.mode = { is: "joined" };
  changed(step);
}

/** The disk has it no longer. */
export function sendLine(step: Step, link: ChannelLink, summary: Summary): void {
  const { state } = step;
  const { line, setting } = state;
  line.underWay = summary;
  state.mode = { is: "joined" };
  const item = new WindowItem({ seq: summary.seq, at: summary.toMs, label: "", payload: "" });
  item.attempts = line.attempts;
  line.attempts += 1;
  const op = { kind: "post", ...setting.plan.expired(summary) } as const;
  begin(step, item, link, { op, losses: [], id: lineIdOf(setting.name, item), isLine: true });
}

/** An attempt has ended; people are told when it is not tried again. */
export function endLine(step: Step, decision: Decision): void {
  const { line } = step.state;
  const { underWay } = line;
  if (underWay === null) return;
  line.underWay = null;
  if (isAgain(step, decision)) line.waiting = underWay;
  else {
    line.attempts = 0;
    line.doubts = 0;
    const isSent = decision.is === "finish" && decision.state === "sent";
    report(step, underWay, isSent);
    if (isSent) progress(step);
  }
  changed(step);
}

function isAgain({ state: { line } }: Step, decision: Decision): boolean {
  if (decision.is === "finish" || decision.resume !== null) return false;
  if (decision.wait.for === "backoff") line.doubts += 1;
  return line.doubts < DOUBTS_MAX;
}

function report({ effects }: Step, { count, fromMs, toMs }: Summary, told: boolean): void {
  const fields = { messages: count, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), told };
  const message = "messages waited longer than MaxAge or CatchUp allows and were left out";
  effects.push({ do: "say", level: "warn", fields, message });
}
