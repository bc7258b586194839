import { isMatch } from "../../../consumers/spec.ts";
import { EventLabel } from "../../../contract/message.ts";
import { decodeStored } from "../../../gateway/codec.ts";
import type { Known, Log, Seq } from "../../../log/log.ts";
import { ProblemError } from "../problems.ts";

/**
 * The revision of a message is the seq of the event that made it what it is: that of `message.posted`, which is its id,
 * or of its newest `message.edited`. Its ETag is that number in quotes.
 */

/** Entries of its place after it that are looked through for its newest edit. */
const HEADS_MAX = 10_000;
/** Edits of other messages that are read on the way. */
const EDITS_MAX = 256;

export const etagOfRevision = (seq: Seq): string => `"${seq}"`;

/** Null: too much was said since for it to be found. Rejects with a LogError. */
async function revisionOf({ seq, subject }: Known, log: Pick<Log, "newest" | "read">): Promise<Seq | null> {
  const { entries, skipped } = await log.newest({ subjects: [subject], after: seq, limit: HEADS_MAX });
  const edits = entries.filter(({ label }) => label === EventLabel.edit).toReversed();
  for (const edit of edits.slice(0, EDITS_MAX)) {
    const [entry] = await log.read({ subjects: [subject], after: edit.seq - 1, limit: 1 });
    if (entry?.seq === edit.seq && decodeStored(entry.payload).about?.seq === seq) return edit.seq;
  }
  return skipped > 0 || edits.length > EDITS_MAX ? null : seq;
}

/** Throws a ProblemError `precondition_failed` when If-Match names another revision than the one that stands. */
export async function checkRevision(
  ifMatch: string | undefined,
  target: Known,
  log: Pick<Log, "newest" | "read">,
): Promise<void> {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const revision = await revisionOf(target, log);
  if (revision !== null && isMatch(ifMatch, etagOfRevision(revision))) return;
  const detail =
    revision === null
      ? "so much was said since that the revision of this message cannot be told any more; leave If-Match out"
      : `the message is at revision ${revision}`;
  throw new ProblemError("precondition_failed", detail);
}
