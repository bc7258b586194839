import { createHash, type Hash } from "node:crypto";
import type { Database } from "better-sqlite3";

/** The newest rows of a table are read again, so many; those before have been part of hashes before. */
const ROWS = 4096;

/** What is hashed whole is small; of what grows with the messages, the newest. All in an order that is their own. */
const QUERIES = [
  // The digest of all commits is among them: it stands for what is not read again.
  "SELECT node, run, number FROM stream_node ORDER BY node",
  "SELECT name, value FROM mark ORDER BY name",
  "SELECT min(seq) FROM entry",
  "SELECT min(seq) FROM said",
  "SELECT max(id), min(id) FROM once",
  `SELECT seq, at, n.text, a.text, key, label, payload
   FROM (SELECT * FROM entry ORDER BY seq DESC LIMIT ${ROWS}) e
   JOIN name n ON n.id = e.subject LEFT JOIN name a ON a.id = e.account ORDER BY seq`,
  `SELECT * FROM receipt ORDER BY seq DESC, lane DESC LIMIT ${ROWS}`,
  `SELECT * FROM said ORDER BY seq DESC LIMIT ${ROWS}`,
  `SELECT * FROM remote ORDER BY seq DESC, lane DESC, ord DESC LIMIT ${ROWS}`,
  `SELECT * FROM reaction ORDER BY seq DESC, who DESC, emoji DESC LIMIT ${ROWS}`,
  `SELECT * FROM once ORDER BY id DESC LIMIT ${ROWS}`,
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
