import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { scratchFolder } from "./scratch.suite.ts";
import { hashOfState, STATE_VERSION } from "./state-hash.ts";

const ROWS = `
  INSERT INTO name VALUES (1, 'net.libera/#x'), (2, 'net.libera'), (3, 'g/net.b/#y');
  INSERT INTO entry VALUES (1024, 1, 5, 2, 'k', 'l', 'p'), (1025, 1, 5, NULL, NULL, '', 'q');
  INSERT INTO mark VALUES ('m', '1');
  INSERT INTO once VALUES (1, 5, 2, 'k', 'f', 'a');
  INSERT INTO receipt VALUES (1024, 3, 'sent', '{}');
  INSERT INTO said VALUES (1024, 5, 1, 0, 'ann', 'Ann', 'x', 1025);
  INSERT INTO remote VALUES (1, 'r', 1024, 0, 0);
  INSERT INTO reaction VALUES (1024, 'bob', '+', 'Bob', 0);
  INSERT INTO stream_node VALUES ('n1', 'run', 1), ('', 'digest', 7);
  INSERT INTO stream_epoch VALUES ('net.libera', 3, 'n1', 'run');
`;
/** Those of which whole rows count. */
const TABLES = ["entry", "receipt", "said", "remote", "reaction", "once"];

test("a log has the hash that other versions compare it with", () => {
  const limits = { retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 };
  const db = openDatabase({ dataPath: scratchFolder(), durability: "process", ...limits, test: {} });
  try {
    db.exec(ROWS);
    const hash = hashOfState(db);
    // If this changes, nodes of the version before have another hash of the same log: raise STATE_VERSION with it.
    expect([STATE_VERSION, hash]).toEqual([2, "i2FT55O594DVQITaZmvMZgD6r4uOHyKSYUmXmypebUo="]);
    for (const table of TABLES) db.exec(`ALTER TABLE ${table} ADD COLUMN more TEXT`);
    expect(hashOfState(db)).toBe(hash);
    for (const table of [...TABLES, "mark", "stream_node", "stream_epoch"]) {
      db.exec(`BEGIN; DELETE FROM ${table}`);
      expect([table, hashOfState(db)]).not.toEqual([table, hash]);
      db.exec("ROLLBACK");
    }
  } finally {
    db.close();
  }
});
