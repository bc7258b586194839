import { EventLabel } from "../contract/message.ts";
import type { ReasonCode } from "../contract/outcome.ts";
import type { Known, NewEntry, Seq, Subject } from "../log/log.ts";
import { aboutDeletion, aboutReply, authorKey } from "./acts.ts";
import type { Stored } from "./codec.ts";
import { nameLine } from "./fallback.ts";
import { OWN_NAME, ownEntry, type OwnWords } from "./own-entry.ts";
import { subjectOf } from "./subject.ts";

/**
 * That a message did not arrive at one destination goes into the log as an answer to it, from an account that no
 * configuration can have: no protocol has this name. Each place has a subject of its own there, which only the place
 * itself reads. Once the message was sent again and has arrived, that answer is deleted.
 */
const FAILURES = "rialto.failure";

/** Where the people at this place read what of theirs did not arrive. */
export function failureSubject(place: Subject): Subject {
  return subjectOf(FAILURES, place);
}

/** Whether an entry says that a message did not arrive, or takes that back. */
export function isFailure({ message }: Pick<Stored, "message">): boolean {
  return message.account === FAILURES;
}

/** A message that did not arrive at a destination. */
export interface Failure {
  readonly message: Known;
  /** For people: the account and the channel. */
  readonly account: string;
  readonly channel: string;
}

/** By what the entry is found again, at `failureSubject`. */
export const failureRef = (of: Seq, { account, channel }: Pick<Failure, "account" | "channel">): string =>
  `${of} ${subjectOf(account, channel)}`;

export function failureEntry(failure: Failure, code: ReasonCode, nowMs: number): NewEntry {
  const { message, account, channel } = failure;
  const text = `This message was not delivered to ${nameLine(account)} ${nameLine(channel)} (${REASONS[code]}).`;
  const ref = failureRef(message.seq, failure);
  const said = { refs: [ref], author: authorKey(FAILURES, null), name: OWN_NAME, excerpt: text };
  const about = aboutReply(message, null);
  return {
    ...entryOf(failure, { text, label: EventLabel.failure, nowMs, about }),
    key: ref,
    note: { is: "said", ...said },
  };
}

/** `notice`: what `failureEntry` became. */
export function arrivedEntry(failure: Failure, notice: Known, nowMs: number): NewEntry {
  const about = aboutDeletion(notice);
  return {
    ...entryOf(failure, { text: "", label: EventLabel.delete, nowMs, about }),
    key: `${failureRef(failure.message.seq, failure)} arrived ${notice.seq}`,
    note: { is: "gone", of: notice.seq },
  };
}

function entryOf({ message: of, channel }: Failure, words: OwnWords): Omit<NewEntry, "key"> {
  return ownEntry({ account: FAILURES, channel, subject: failureSubject(of.subject) }, words);
}

/** Only words of ours: what a network says may hold what is not for this room. */
const REASONS: Readonly<Record<ReasonCode, string>> = {
  rate_limited: "it accepts no more for now",
  network: "no connection",
  timeout: "no answer",
  auth: "it does not accept Rialto's login",
  config: "Rialto's settings are wrong there",
  forbidden: "it does not allow this",
  not_found: "it is not there",
  too_large: "too large",
  unsupported: "it cannot show this",
  bad_content: "it refuses the content",
  remote_error: "an error on its server",
  stopping: "Rialto was stopped",
  bug: "an error in Rialto",
};
