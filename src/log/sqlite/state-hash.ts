import { createHash, type Hash } from "node:crypto";
import type { Database } from "better-sqlite3";

/**
 * Raised when the same log would have another hash than before: with another query, or another meaning of a column.
 * The digest of commits (`Replica.seal`) may not change with it: it goes on from what older versions have written.
 */
export const STATE_VERSION = 2;

/** The newest rows of a table are read again, so many; those before have been part of hashes before. */
const ROWS = 4096;

/**
 * What is hashed whole is small; of what grows with the messages, the newest. All in an order that is their own,
 * and by the names of their columns: a migration may add some on one node before it does on another.
 */
const QUERIES = [
  // The digest of all commits is among them: it stands for what is not read again.
  "SELECT node, run, number FROM stream_node ORDER BY node",
  "SELECT account, epoch, node, run FROM stream_epoch ORDER BY account",
  "SELECT name, value FROM mark ORDER BY name",
  "SELECT min(seq) FROM entry",
  "SELECT min(seq) FROM said",
  "SELECT max(id), min(id) FROM once",
  `SELECT seq, at, n.text, a.text, key, label, payload
   FROM (SELECT seq, at, subject, account, key, label, payload FROM entry ORDER BY seq DESC LIMIT ${ROWS}) e
   JOIN name n ON n.id = e.subject LEFT JOIN name a ON a.id = e.account ORDER BY seq`,
  `SELECT seq, lane, state, detail FROM receipt ORDER BY seq DESC, lane DESC LIMIT ${ROWS}`,
  `SELECT seq, at, place, gone, author, name, excerpt, revised FROM said ORDER BY seq DESC LIMIT ${ROWS}`,
  `SELECT place, ref, seq, lane, ord FROM remote
   ORDER BY seq DESC, lane DESC, ord DESC LIMIT ${ROWS}`,
  `SELECT seq, who, emoji, name, ord FROM reaction
   ORDER BY seq DESC, who DESC, emoji DESC LIMIT ${ROWS}`,
  `SELECT id, at, account, key, fingerprint, answer FROM once ORDER BY id DESC LIMIT ${ROWS}`,
] as const;

/** Tells the state of one log from that of another that had the same commits, as it is on the disk. */
export function hashOfState(db: Database): string {
  const hash = createHash("sha256");
  for (const sql of QUERIES) for (const row of db.prepare<[], unknown[]>(sql).raw().iterate()) add(hash, row);
  return hash.digest("base64");
}

function add(hash: Hash, row: readonly unknown[]): void {
  hash.update(`${JSON.stringify(row)}\n`);
}
