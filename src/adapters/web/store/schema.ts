import type { Database } from "better-sqlite3";

/** What each format of the file has more than the one before. */
const FORMATS = [
  `
CREATE TABLE invites (id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, room TEXT NOT NULL, uses INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0, hold INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;
CREATE TABLE guests (id TEXT PRIMARY KEY, room TEXT NOT NULL, name TEXT NOT NULL, skeleton TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE, invite TEXT NOT NULL, net TEXT NOT NULL, joined INTEGER NOT NULL, seen INTEGER NOT NULL,
  present INTEGER NOT NULL DEFAULT 0, visits INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL,
  muted INTEGER NOT NULL DEFAULT 0, banned INTEGER NOT NULL DEFAULT 0, messages INTEGER NOT NULL DEFAULT 0,
  said INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX guests_names ON guests (room, skeleton);
CREATE TABLE messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL, state TEXT NOT NULL, guest TEXT NOT NULL, author TEXT NOT NULL, style TEXT NOT NULL,
  text TEXT NOT NULL, blocks TEXT NOT NULL, reply TEXT, revision INTEGER NOT NULL DEFAULT 0, files TEXT NOT NULL,
  print TEXT NOT NULL) STRICT;
CREATE INDEX messages_rooms ON messages (room, state, seq);
CREATE INDEX messages_ages ON messages (state, at);
CREATE INDEX messages_guests ON messages (guest, seq);
CREATE TABLE reactions (message TEXT NOT NULL, emoji TEXT NOT NULL, who TEXT NOT NULL,
  PRIMARY KEY (message, emoji, who)) STRICT;
CREATE TABLE changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, at INTEGER NOT NULL,
  guest TEXT NOT NULL, what TEXT NOT NULL) STRICT;
CREATE INDEX changes_rooms ON changes (room, seq);
CREATE TABLE files (id TEXT PRIMARY KEY, room TEXT NOT NULL, guest TEXT NOT NULL, message TEXT NOT NULL,
  name TEXT NOT NULL, mime TEXT NOT NULL, bytes INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE INDEX files_ages ON files (at);
CREATE TABLE bans (net TEXT NOT NULL, room TEXT NOT NULL, guest TEXT NOT NULL, until INTEGER NOT NULL,
  PRIMARY KEY (net, room, guest)) STRICT, WITHOUT ROWID;
CREATE TABLE reports (id TEXT PRIMARY KEY, room TEXT NOT NULL, guest TEXT NOT NULL, name TEXT NOT NULL,
  message TEXT NOT NULL, why TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE rules (room TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT;
`,
  `
CREATE TABLE intents (seq INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT NOT NULL, message TEXT NOT NULL,
  act TEXT NOT NULL) STRICT;
ALTER TABLE guests ADD COLUMN ticket BLOB;
ALTER TABLE guests ADD COLUMN salt BLOB;
ALTER TABLE guests ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX guests_tickets ON guests (ticket);
`,
  `
CREATE TABLE cases (seq INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL UNIQUE, notice TEXT NOT NULL UNIQUE)
  STRICT;
`,
  `
ALTER TABLE guests ADD COLUMN muted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE guests ADD COLUMN muted_until INTEGER NOT NULL DEFAULT 0;
`,
  `
CREATE TABLE topics (room TEXT PRIMARY KEY, topic TEXT NOT NULL) STRICT;
`,
] as const;

/** Makes the tables that are not there. Throws what SQLite throws, and an Error for a store of a later version. */
export function prepareTables(db: Database): void {
  const found = Number(db.pragma("user_version", { simple: true }));
  if (found > FORMATS.length) throw new Error(`it was written by a later version of Rialto (format ${found})`);
  db.transaction(() => {
    for (const format of FORMATS.slice(found)) db.exec(format);
    // Always, so that there is a write-ahead log.
    db.pragma(`user_version = ${FORMATS.length}`);
  }).immediate();
}
