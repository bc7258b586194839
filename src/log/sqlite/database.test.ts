import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { scratchFolder } from "./scratch.suite.ts";

test.each([
  { durability: "power", synchronous: 2 },
  { durability: "process", synchronous: 1 },
] as const)(
  "durability $durability is synchronous = $synchronous, in WAL, exclusive",
  ({ durability, synchronous }) => {
    const db = openDatabase({
      dataPath: scratchFolder(),
      durability,
      retentionDays: 7,
      retentionBytes: 1e9,
      messageIdDays: 30,
      test: {},
    });
    try {
      expect(db.pragma("synchronous", { simple: true })).toBe(synchronous);
      expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
      expect(db.pragma("locking_mode", { simple: true })).toBe("exclusive");
      expect(db.pragma("auto_vacuum", { simple: true })).toBe(2);
    } finally {
      db.close();
    }
  },
);
