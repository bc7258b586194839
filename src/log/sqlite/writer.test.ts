import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";
import { IdTables } from "./ids.ts";
import { Names } from "./names.ts";
import type { CommitRequest } from "./protocol.ts";
import { scratchFolder } from "./scratch.suite.ts";
import { Writer } from "./writer.ts";

function commitOf(...payloads: readonly string[]): CommitRequest {
  return {
    is: "commit",
    id: 1,
    at: 1,
    held: null,
    counts: [payloads.length],
    subjects: ["a/b"],
    subjectOf: payloads.map(() => 0),
    labels: null,
    payloads,
    notes: null,
    extras: [],
  };
}

test("an error in the middle leaves nothing behind, and the next commit is whole", () => {
  const dataPath = scratchFolder();
  const db = openDatabase({
    dataPath,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1e9,
    messageIdDays: 30,
    test: {},
  });
  onTestFinished(() => {
    db.close();
  });
  const names = new Names(db);
  const writer = new Writer(db, names, new IdTables(db, names));
  const broken = { not: "text" } as unknown as string;
  expect(() => writer.commit(commitOf("1", broken), null)).toThrow(RangeError);
  expect(db.inTransaction).toBe(false);
  expect(writer.head).toBe(0);
  expect(names.find("a/b")).toBeUndefined();
  expect(writer.commit(commitOf("2"), null)).toEqual({ first: 1, absent: [], verdicts: [], fate: "taken" });
  expect(db.prepare("SELECT seq, payload FROM entry").all()).toEqual([{ seq: 1, payload: "2" }]);
});
