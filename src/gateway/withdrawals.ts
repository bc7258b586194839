import { EventLabel } from "../contract/message.ts";
import type { NewEntry, Subject } from "../log/log.ts";
import { decodeStored, encodeStored } from "./codec.ts";
import { subjectOf } from "./subject.ts";

/**
 * A place does not read what happens there: its people have seen it. But when a message is deleted there, Rialto's own
 * answers to that message still quote it. So the deletion goes into the log a second time, as from an account that no
 * configuration can have: no protocol has this name. Each place has a subject of its own there, which only the place
 * itself reads.
 */
const WITHDRAWALS = "rialto.withdrawal";

/** Where a place reads what was deleted at the place itself. */
export function withdrawalSubject(place: Subject): Subject {
  return subjectOf(WITHDRAWALS, place);
}

/** What the place of a deletion reads of it; null: the entry is no deletion. */
export function withdrawalEntry({ subject, key, label, payload }: NewEntry): NewEntry | null {
  if (label !== EventLabel.delete) return null;
  const stored = decodeStored(payload);
  const message = { ...stored.message, event: EventLabel.withdrawal };
  return {
    subject: withdrawalSubject(subject),
    key: key === null ? null : `${key} withdrawn`,
    label: EventLabel.withdrawal,
    payload: encodeStored({ ...stored, message }),
  };
}
