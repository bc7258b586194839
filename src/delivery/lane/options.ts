import type { Account, CatchUp } from "../../config/config.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import type { Clock } from "../../contract/host.ts";
import { mint, type OpId } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Files } from "../../files/files.ts";
import type { Plan } from "../../gateway/plan.ts";
import { subjectOf } from "../../gateway/subject.ts";
import type { EntryHead, Log, Seq, Subject } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import type { FailureSink } from "../failure-notices.ts";
import type { FileArchive } from "../../gateway/known-files.ts";
import type { LoopWatch } from "../loop-watch.ts";
import type { Meter } from "../meter.ts";

export interface LaneOptions {
  /** Unique, the same over restarts, and fit for the name of a mark. */
  readonly name: string;
  readonly gateway: string;
  /** The destination. */
  readonly account: Account;
  readonly channel: string;
  readonly subjects: readonly Subject[];
  readonly plan: Plan;
  readonly capabilities: Capabilities;
  readonly log: Log & { readonly archive?: FileArchive };
  readonly files: Files;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxAgeMs: number;
  readonly catchUp: CatchUp | null;
  readonly outageNoticeMs: number;
  readonly meter: Meter;
  /** Absent: no author is notified. */
  readonly failures?: FailureSink;
  readonly loops: Pick<LoopWatch, "wrote" | "why">;
  /** Whether anything may leave now; absent: it may. */
  readonly mayCall?: () => boolean;
  /** A handler hangs: the session is to be ended. */
  readonly onStalled: (why: Reason) => void;
}

/** The destination, as the log calls it. */
export function placeOf({ account, channel }: Pick<LaneOptions, "account" | "channel">): Subject {
  return subjectOf(account.key, channel);
}

/**
 * In place of a lane's name and of its place, for the lines that say the reactions to a message: who answers or deletes
 * one does not mean the message. No channel has such a name.
 */
export function reactionsOf(name: string): string {
  return `${name} #reactions`;
}

/** In the same way for the answers that quote a message: the refs are the seqs of these answers. */
export function answersOf(name: string): string {
  return `${name} #answers`;
}

/**
 * Whether an entry goes to the lane's destination, without a look at its payload. `since`: as in gateway/sources.ts.
 */
export function admission(plan: Plan, since: ReadonlyMap<Subject, Seq>): (entry: EntryHead) => boolean {
  return ({ seq, label, subject }) => seq > (since.get(subject) ?? 0) && plan.admits(label);
}

/**
 * The id of a message's op, the same over every try and restart. The time tells it from one that a log which is gone
 * had at this place.
 */
export function opIdOf(lane: string, { seq, at }: { readonly seq: Seq; readonly at: number }): OpId {
  return mint("OpId", `${lane}/${seq}/${at}`);
}

/** Of the line that stands for those that expired up to this one. */
export function lineIdOf(lane: string, last: { readonly seq: Seq; readonly at: number }): OpId {
  return mint("OpId", `${opIdOf(lane, last)}/expired`);
}

/** Of the edit of an answer, which is a part of the op that deletes the message. */
export function answerIdOf(deletion: OpId, answer: Seq): OpId {
  return mint("OpId", `${deletion}/answer/${answer}`);
}
