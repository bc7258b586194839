import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../../test/contract/recording-host.ts";
import { Intents } from "./intents.ts";
import { People } from "./people.ts";
import { prepareTables } from "./schema.ts";
import { ChatStore, StoreClosed } from "./store.ts";

test("a full disk ends the store, and leaves nobody without an answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-chat-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const reasons: string[] = [];
  const store = new ChatStore(folder, new RecordingHost().clock, (why) => reasons.push(why));
  const full = (): never => {
    throw new BetterSqlite3.SqliteError("database or disk is full", "SQLITE_FULL");
  };
  // The first is on its way to the disk alone; the others share what comes then.
  const outcomes = await Promise.allSettled(
    [() => 1, () => 2, full, () => 3].map(async (task) => await store.write(task)),
  );
  expect(outcomes.map((one) => one.status === "fulfilled" || one.reason instanceof StoreClosed)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  expect(reasons).toEqual(["it cannot be written: database or disk is full"]);
});

test("a file of the first format is taken on, with its guests; one of a later format is refused", () => {
  const db = new BetterSqlite3(":memory:");
  prepareTables(db);
  db.exec("DROP TABLE intents; DROP TABLE cases; DROP TABLE topics; DROP INDEX guests_tickets;");
  for (const column of ["ticket", "salt", "changed", "muted_by", "muted_until"])
    db.exec(`ALTER TABLE guests DROP COLUMN ${column}`);
  db.exec(
    "INSERT INTO guests (id, room, name, skeleton, digest, invite, net, joined, seen, held) VALUES ('g', 'lobby', 'ann', 'ann', x'00', '', '', 1, 1, 0)",
  );
  db.pragma("user_version = 1");
  prepareTables(db);
  prepareTables(db);
  expect(new People(db).find("g")).toMatchObject({ name: "ann", changedMs: 0 });
  expect(new Intents(db).all("lobby")).toEqual([]);
  db.pragma("user_version = 6");
  expect(() => prepareTables(db)).toThrow("it was written by a later version of Rialto (format 6)");
});
