import { isMatch } from "../../../consumers/spec.ts";
import type { Known, Seq } from "../../../log/log.ts";
import type { LogSearch } from "../../../log/search.ts";
import { ProblemError } from "../problems.ts";

/**
 * The revision of a message is the seq of the event that made it what it is: that of `message.posted`, which is its id,
 * or of its newest `message.edited`. Its ETag is that number in quotes.
 */

export const etagOfRevision = (seq: Seq): string => `"${seq}"`;

/**
 * Throws a ProblemError when If-Match names another revision than the one that stands. Rejects with a LogError, too.
 */
export async function checkRevision(
  ifMatch: string | undefined,
  { seq }: Pick<Known, "seq">,
  { archive }: { readonly archive: Pick<LogSearch, "standing"> },
): Promise<void> {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const [standing] = await archive.standing([seq]);
  const revision = standing?.revised ?? seq;
  if (isMatch(ifMatch, etagOfRevision(revision))) return;
  throw new ProblemError("precondition_failed", `the message is at revision ${revision}`);
}
