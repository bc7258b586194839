import BetterSqlite3 from "better-sqlite3";
import { describe, expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import type { Seq } from "../log.ts";
import { migrate } from "./migrations.ts";
import { Removed } from "./removed.ts";

const HOUR = 60 * 60 * 1000;

/** A log with entries of these seqs, and what retention notes when it removes some of them. */
function stage(rowsMax?: number) {
  const db = new BetterSqlite3(":memory:");
  migrate(db);
  const removed = new Removed(db, rowsMax);
  const insert = db.prepare("INSERT INTO entry (seq, subject, at, label, payload) VALUES (?, 1, ?, '', '')");
  const drop = db.prepare("DELETE FROM entry WHERE seq <= ?");
  return {
    db,
    removed,
    add: db.transaction((seqs: readonly Seq[], at: number) => {
      for (const seq of seqs) insert.run(seq, at);
    }),
    remove: db.transaction((upTo: Seq) => {
      removed.note(upTo);
      drop.run(upTo);
    }),
    rows: () => Number(db.prepare("SELECT count(*) FROM removed").pluck().get()),
  };
}

const span = (from: number, to: number): Seq[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("a count of removed entries", () => {
  test("is that of the numbers where these have no holes, in one row an hour", () => {
    const { removed, add, remove, rows } = stage();
    add(span(1, 100), 0);
    for (const upTo of [10, 11, 60]) remove(upTo);
    expect([removed.count(0, 60), removed.count(0, 20), removed.count(10, 60), removed.count(59, 100)]).toEqual([
      60, 20, 50, 1,
    ]);
    expect([removed.total, rows()]).toEqual([60, 1]);
  });

  test("leaves out the holes between the commits of several machines", () => {
    const { removed, add, remove } = stage();
    add([8192, 8193, 8194, 11264, 14336, 14337, 20000], 0);
    expect(removed.count(0, 8191)).toBe(0);
    remove(8193);
    expect([removed.count(0, 8193), removed.count(8192, 8193), removed.count(5000, 8193)]).toEqual([2, 1, 2]);
    remove(14337);
    expect([removed.count(0, 14337), removed.count(8193, 19999), removed.count(9000, 19999)]).toEqual([6, 4, 3]);
    expect([removed.count(8194, 11263), removed.count(11264, 14336), removed.count(14336, 14337)]).toEqual([0, 1, 1]);
  });

  test("is exact, whatever the seqs and the steps are, as long as no row has to go", () => {
    const gaps = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2000 })), { minLength: 1, maxLength: 40 });
    const steps = fc.array(fc.nat({ max: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(gaps, steps, fc.nat(), fc.nat(), (between, cuts, one, two) => {
        const { db, removed, add, remove } = stage();
        const seqs: Seq[] = [];
        for (const gap of between) seqs.push((seqs.at(-1) ?? 0) + gap);
        add(seqs, 0);
        let gone = 0;
        for (const cut of cuts) {
          gone = Math.max(gone, seqs[Math.min(cut, seqs.length - 1)] ?? 0);
          remove(gone);
        }
        const top = (seqs.at(-1) ?? 0) + 2;
        const [after = 0, upTo = 0] = [one % top, two % top].sort((a, b) => a - b);
        const wanted = seqs.filter((seq) => seq <= gone && seq > after && seq <= upTo).length;
        expect(removed.count(after, upTo)).toBe(wanted);
        db.close();
      }),
    );
  });

  test("is exact within the newer half of the rows, and at most a hundredth too high before them", () => {
    const { removed, add, remove, rows } = stage(1024);
    const seqs = Array.from({ length: 20_000 }, (_, index) => 1024 * (index + 1));
    add(seqs, 0);
    for (let index = 99; index < seqs.length; index += 100) remove(seqs[index] ?? 0);
    expect(rows()).toBeLessThanOrEqual(1024 + 100);
    expect(removed.total).toBe(20_000);
    for (const left of [1, 16, 100, 500, 1000, 4000, 15_000, 20_000]) {
      const counted = removed.count((seqs[seqs.length - left] ?? 1024) - 1, seqs.at(-1) ?? 0);
      expect(counted).toBeGreaterThanOrEqual(left);
      expect(counted).toBeLessThanOrEqual(left <= 500 ? left : left * 1.01);
    }
    expect(removed.count(0, seqs.at(-1) ?? 0)).toBe(20_000);
  });
});

test("a time finds the stretch of removed entries in which it lies", () => {
  const { removed, add, remove, rows } = stage();
  for (const hour of [0, 1, 2]) add(span(hour * 10 + 1, hour * 10 + 10), hour * HOUR + 5);
  remove(25);
  expect(rows()).toBe(3);
  expect([0, 5, 6, HOUR + 5, HOUR + 6, 2 * HOUR + 5, 2 * HOUR + 6].map((ms) => removed.since(ms))).toEqual([
    0,
    0,
    10,
    10,
    20,
    20,
    null,
  ]);
});
