import { EventLabel } from "../contract/message.ts";
import type { NewEntry, Subject } from "../log/log.ts";
import { type Again, encodeStored, type Stored } from "./codec.ts";
import type { Target } from "./routes.ts";
import { subjectOf } from "./subject.ts";

/**
 * That an operator wants a message sent again to one destination goes into the log as from an account that no
 * configuration can have: no protocol has this name. Each outgoing bridge in a gateway has a subject of its own there,
 * which only its lane reads. The entry is the message as it reads now, so that retention cannot take it away before its
 * turn comes; what becomes of it is written down for the message that it stands for.
 */
const AGAIN = "rialto.again";

/** Where it is said that this destination is to be sent something again. */
export function againSubject({ gateway, account, channel }: Target): Subject {
  return subjectOf(AGAIN, subjectOf(gateway, subjectOf(account.key, channel)));
}

/** Nobody else speaks of this entry, so it has no note: refs, edits and deletions stay with the message. */
export function againEntry(target: Target, stored: Stored, again: Again): NewEntry {
  const payload = encodeStored({ ...stored, again });
  return { subject: againSubject(target), key: null, label: EventLabel.again, payload };
}

/** Whether a message that ended so may be sent again. */
export function isUnfinished(state: string): boolean {
  return state === "failed" || state === "expired" || state === "unconfirmed";
}

/** The message as an edit of it has it. */
export function withContentOf(edit: Stored, post: Stored): Stored {
  const { text, Extra } = edit.message;
  return { ...post, message: { ...post.message, text, Extra }, source: edit.source, files: edit.files };
}
