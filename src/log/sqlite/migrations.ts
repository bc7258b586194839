import BetterSqlite3 from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { printable } from "../../lib/printable.ts";
import type { LogError } from "../errors.ts";
import { damagedFile, foreignFile, newerFormat, toError } from "./failure.ts";

/** "RIAL" in SQLite's header: tells our file from any other database. */
const APPLICATION_ID = 0x5249414c;

/**
 * Numbered steps from an empty file to today's format; `PRAGMA user_version` says how many were taken.
 * A step that was released is never changed: add another.
 */
const MIGRATIONS: readonly string[] = [
  `
  -- Subjects and accounts by small numbers: they repeat in every row.
  CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

  -- at: Unix milliseconds of the commit. The payload comes last, so that reading the other columns stays cheap.
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL,
    at INTEGER NOT NULL,
    account INTEGER,
    key TEXT,
    label TEXT NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entry_subject ON entry (subject);
  CREATE UNIQUE INDEX entry_key ON entry (account, key) WHERE key IS NOT NULL;

  CREATE TABLE mark (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Answers by idempotency key, oldest id first.
  CREATE TABLE once (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    account INTEGER NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer TEXT NOT NULL,
    UNIQUE (account, key)
  ) STRICT;

  -- The head when entries were last deleted: a seq is never given twice, not even after all rows went.
  CREATE TABLE high (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
  INSERT INTO high VALUES (1, 0);
  `,
  `
  -- How a lane's messages ended. By seq first, so that retention cuts them off at one end; names of lanes are in name.
  CREATE TABLE receipt (
    seq INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (seq, lane)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX receipt_lane ON receipt (lane, seq);
  `,
  `
  -- Messages that others refer to, by the seq of their entry; they outlive it. place: where it was said, in name. at: as in entry.
  CREATE TABLE said (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    author TEXT NOT NULL,
    name TEXT NOT NULL,
    excerpt TEXT NOT NULL
  ) STRICT;

  -- Which message a remote one is. place and lane are in name; lane 0: it is the original, not a copy. ord: its rank among those of seq and lane.
  CREATE TABLE remote (
    place INTEGER NOT NULL,
    ref TEXT NOT NULL,
    seq INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    PRIMARY KEY (place, ref)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remote_seq ON remote (seq, lane, ord);

  -- Reactions that stand. ord: seq of the entry that brought it.
  CREATE TABLE reaction (
    seq INTEGER NOT NULL,
    who TEXT NOT NULL,
    emoji TEXT NOT NULL,
    name TEXT NOT NULL,
    ord INTEGER NOT NULL,
    PRIMARY KEY (seq, who, emoji)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The entries of each subject, up to the seq in subject_indexed; see subject-index.ts. Instead of the index that every entry changed.
  -- From here on payloads have the keys internal and avatarFile, in earlier rows called behind and picture (gateway/codec.ts).
  CREATE TABLE subject_indexed (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
  CREATE TABLE subject_index (
    subject INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (subject, seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO subject_index SELECT subject, seq FROM entry INDEXED BY entry_subject ORDER BY subject, seq;
  INSERT INTO subject_indexed SELECT 1, coalesce(max(seq), 0) FROM entry;
  DROP INDEX entry_subject;
  `,
  `
  -- The entry of the newest edit; NULL: as it was said, or edited before this format.
  ALTER TABLE said ADD COLUMN revised INTEGER;
  `,
  `
  -- How far a stream that brings the commits was applied; a log that makes its own has no row. See replica.ts.
  CREATE TABLE stream (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    applied INTEGER NOT NULL,
    resume INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    holder TEXT NOT NULL
  ) STRICT;

  -- The last commit of each node: one that comes again is passed over, however late.
  CREATE TABLE stream_node (node TEXT PRIMARY KEY, run TEXT NOT NULL, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Which process holds an account, and since which epoch; those that nobody ever held have no row. See replica.ts.
  ALTER TABLE stream DROP COLUMN epoch;
  ALTER TABLE stream DROP COLUMN holder;
  CREATE TABLE stream_epoch (
    account TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    node TEXT NOT NULL,
    run TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- How many entries retention has removed up to a position, since the log began; see removed.ts.
  CREATE TABLE removed (last INTEGER PRIMARY KEY, total INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
  -- Of before this format: without a stream all seqs were given; with one, it is only known that there were entries.
  INSERT INTO removed
    SELECT first - 1, CASE WHEN EXISTS (SELECT 1 FROM stream) THEN 1 ELSE first - 1 END, at FROM (
      SELECT coalesce((SELECT min(seq) FROM entry), high.seq + 1) AS first,
        coalesce((SELECT at FROM entry ORDER BY seq LIMIT 1), unixepoch() * 1000) AS at
      FROM high WHERE high.seq > 0)
    WHERE first > 1;
  `,
];

/**
 * Is it an empty file? Throws a LogError: `format` for a foreign or a newer one, `damaged` for one with other tables
 * than its format has. Changes nothing.
 */
export function inspect(db: Database, file: string): "empty" | "ours" {
  const kind = kindOf(db);
  if (kind === "foreign") throw foreignFile(file);
  if (kind === "newer") throw newer(db, file);
  const flaws = schemaFlaws(db, { harmful: true });
  if (flaws.length > 0) throw toError(damagedFile(file, flaws.join("; ")));
  return kind;
}

/** Throws a LogError `format` for the log of a newer version, whose damage this one cannot judge. */
export function refuseNewer(db: Database, file: string): void {
  if (kindOf(db) === "newer") throw newer(db, file);
}

const newer = (db: Database, file: string): LogError => newerFormat(file, versionOf(db), MIGRATIONS.length);

/** What a database is for this version. Changes nothing. */
export function kindOf(db: Database): "empty" | "ours" | "foreign" | "newer" {
  const application = Number(db.pragma("application_id", { simple: true }));
  const version = versionOf(db);
  const tables = Number(db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (application === 0 && version === 0 && tables === 0) return "empty";
  if (application !== APPLICATION_ID) return "foreign";
  return version > MIGRATIONS.length ? "newer" : "ours";
}

/** Most flaws that are named. */
const FLAWS_MAX = 20;
const NAME_MAX = 60;

/**
 * What a log lacks of its format, and what else its file defines, in words. `harmful`: only what keeps a log from
 * working. Tables, indexes and views that somebody has added do not, but a trigger acts by itself.
 */
export function schemaFlaws(db: Database, { harmful = false } = {}): readonly string[] {
  const fresh = new BetterSqlite3(":memory:");
  try {
    migrate(fresh, Math.min(versionOf(db), MIGRATIONS.length));
    const [wanted, found] = [objectsIn(fresh), objectsIn(db)];
    const flaws: string[] = [];
    for (const [name, { type, sql }] of wanted) {
      const there = found.get(name);
      if (there === undefined) flaws.push(`the ${type} ${name} is missing`);
      else if (there.type !== type) flaws.push(`${name} is a ${there.type} instead of a ${type}`);
      else if (there.sql !== sql) flaws.push(`the ${type} ${name} is not as Rialto makes it`);
    }
    for (const [name, { type }] of found) {
      if (wanted.has(name) || (harmful && type !== "trigger")) continue;
      flaws.push(`the ${type} "${printable(name.slice(0, NAME_MAX))}" is not of a log`);
    }
    return flaws.slice(0, FLAWS_MAX);
  } finally {
    fresh.close();
  }
}

/** A log has none. */
export function viewsIn(db: Database): readonly string[] {
  return db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'view'").pluck().all();
}

interface SchemaObject {
  readonly type: string;
  /** Without comments, quotation marks and spaces, which do not change what it means. */
  readonly sql: string;
}

/** By name. Without what SQLite makes by itself: indexes of UNIQUE and PRIMARY KEY, and the results of ANALYZE. */
function objectsIn(db: Database): ReadonlyMap<string, SchemaObject> {
  const rows = db.prepare<[], SchemaObject & { readonly name: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND NOT (type = 'table' AND name GLOB 'sqlite_stat[1-4]')",
  );
  const plain = (sql: string): string => sql.replaceAll(/--[^\n]*|["\s]/gu, "").toLowerCase();
  return new Map(Array.from(rows.iterate(), ({ name, type, sql }) => [name, { type, sql: plain(sql) }]));
}

/** Takes the steps that are missing up to a format, each in its own transaction. */
export function migrate(db: Database, to = MIGRATIONS.length): void {
  for (let version = versionOf(db); version < to; version++) {
    const step = db.transaction(() => {
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.exec(MIGRATIONS[version] ?? "");
      db.pragma(`user_version = ${version + 1}`);
    });
    step.exclusive();
  }
}

function versionOf(db: Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}
