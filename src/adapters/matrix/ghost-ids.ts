import { createHash } from "node:crypto";
import type { OpAuthor } from "../../contract/ops.ts";

/** Of a local part, so that the whole id stays within 255. */
const LOCALPART_MAX = 120;
/** What ends like a hash gets one: nobody can take the name that somebody else has by theirs. */
const HASHED = /-[\da-f]{10}$/u;

/** The local parts that a sender may have, without the prefix. */
export interface LocalParts {
  /** No other sender has it. */
  readonly hashed: string;
  /** `irc.libera_alice`; null where that does not fit ("User identifiers"). */
  readonly plain: string | null;
  /**
   * Ids of senders of other accounts whose `plain` is the same: `api.team_ops` and `alice`, `api.team` and `ops_alice`.
   */
  readonly others: readonly string[];
  /** When nothing is claimed: `plain` where its first `_` is the end of the account, else `hashed`. */
  readonly own: string;
}

export function localpartsOf({ account, id }: Pick<OpAuthor, "account" | "id">): LocalParts {
  const wanted = `${account}_${id}`;
  const allowed = wanted.toLowerCase().replaceAll(/[^a-z\d._=/+-]/gu, "-");
  const hash = createHash("sha256")
    .update(JSON.stringify([account, id]))
    .digest("hex")
    .slice(0, 10);
  const hashed = `${allowed.slice(0, LOCALPART_MAX)}-${hash}`;
  if (allowed !== wanted || wanted.length > LOCALPART_MAX || HASHED.test(wanted)) {
    return { hashed, plain: null, others: [], own: hashed };
  }
  const others = [...wanted.matchAll(/_/gu)]
    .map(({ index }) => wanted.slice(index + 1))
    .filter((other) => other !== id);
  return { hashed, plain: wanted, others, own: account.includes("_") ? hashed : wanted };
}
