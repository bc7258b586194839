-- A log as Rialto wrote it before format 4, dumped from one: tables and rows. The payloads have the keys of that time, "behind" and "picture".
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = 0x5249414c;
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
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
CREATE TABLE once (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  account INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  UNIQUE (account, key)
) STRICT;
CREATE TABLE high (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
CREATE TABLE receipt (
  seq INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  state TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (seq, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_lane ON receipt (lane, seq);
CREATE TABLE said (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  place INTEGER NOT NULL,
  gone INTEGER NOT NULL,
  author TEXT NOT NULL,
  name TEXT NOT NULL,
  excerpt TEXT NOT NULL
) STRICT;
CREATE TABLE remote (
  place INTEGER NOT NULL,
  ref TEXT NOT NULL,
  seq INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY (place, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX remote_seq ON remote (seq, lane, ord);
CREATE TABLE reaction (
  seq INTEGER NOT NULL,
  who TEXT NOT NULL,
  emoji TEXT NOT NULL,
  name TEXT NOT NULL,
  ord INTEGER NOT NULL,
  PRIMARY KEY (seq, who, emoji)
) STRICT, WITHOUT ROWID;
INSERT INTO name VALUES (1, 'net.libera/#room');
INSERT INTO name VALUES (2, 'net.libera/#other');
INSERT INTO name VALUES (3, 'net.libera');
INSERT INTO name VALUES (4, 'one/net.other/#b');
INSERT INTO name VALUES (5, 'net.other/#b');
INSERT INTO name VALUES (6, 'api.web');
INSERT INTO entry VALUES (1, 1, 1700000000000, 3, 'k1', '', '{"text":"hello","channel":"#room","username":"bob","userid":"u1","avatar":"","account":"net.libera","event":"","protocol":"net","gateway":"","parent_id":"","timestamp":"2026-01-02T03:04:05.678Z","id":"","Extra":null}');
INSERT INTO entry VALUES (2, 1, 1700000000000, 3, 'k2', '', '{"text":"loud","channel":"#room","username":"bob","userid":"u1","avatar":"","account":"net.libera","event":"","protocol":"net","gateway":"","parent_id":"","timestamp":"2026-01-02T03:04:05.678Z","id":"","Extra":null,"source":{"format":"some","text":"*loud*"},"behind":true}');
INSERT INTO entry VALUES (3, 1, 1700000000000, 3, 'k3', '', '{"text":"look","channel":"#room","username":"bob","userid":"u1","avatar":"","account":"net.libera","event":"","protocol":"net","gateway":"","parent_id":"","timestamp":"2026-01-02T03:04:05.678Z","id":"","Extra":{"file":[{"Name":"a.txt","Data":"","Comment":"","URL":"","Size":9,"Avatar":false,"SHA":"","NativeID":""}]},"files":["file-1"],"picture":"avatar-1","behind":true}');
INSERT INTO entry VALUES (4, 2, 1700000000000, 3, 'k4', '', '{"text":"an answer","channel":"#other","username":"bob","userid":"u1","avatar":"","account":"net.libera","event":"","protocol":"net","gateway":"","parent_id":"","timestamp":"2026-01-02T03:04:05.678Z","id":"","Extra":null,"about":{"is":"reply","seq":1,"name":"bob","excerpt":"hello","thread":null,"author":null,"emoji":"","on":false},"behind":true}');
INSERT INTO mark VALUES ('lane/one/net.other/#b', '{"after":2,"next":null}');
INSERT INTO mark VALUES ('source/net.libera', 'cursor-4');
INSERT INTO receipt VALUES (1, 4, 'sent', '{}');
INSERT INTO said VALUES (1, 1700000000000, 1, 0, 'u1', 'bob', 'hello');
INSERT INTO said VALUES (2, 1700000000000, 1, 0, 'u1', 'bob', 'loud');
INSERT INTO said VALUES (3, 1700000000000, 1, 0, 'u1', 'bob', 'look');
INSERT INTO said VALUES (4, 1700000000000, 2, 0, 'u1', 'bob', 'an answer');
INSERT INTO remote VALUES (1, 'm1', 1, 0, 0);
INSERT INTO remote VALUES (5, 'c1', 1, 4, 0);
INSERT INTO remote VALUES (1, 'm2', 2, 0, 0);
INSERT INTO remote VALUES (1, 'm3', 3, 0, 0);
INSERT INTO remote VALUES (2, 'm4', 4, 0, 0);
INSERT INTO once VALUES (1, 1700000000000, 6, 'once-1', 'f', 'an answer');
INSERT INTO high VALUES (1, 0);
PRAGMA user_version = 3;
