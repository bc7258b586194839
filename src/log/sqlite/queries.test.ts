import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import * as fc from "../../../test/support/property.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { IdTables } from "./ids.ts";
import { Names } from "./names.ts";
import { Queries } from "./queries.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import { SubjectIndex } from "./subject-index.ts";
import { Writer } from "./writer.ts";

const NOISE = "noise";
const QUIET = ["q0", "q1", "q2", "q3", "q4"];
const ROWS = 6000;

/** Who says row `seq`: mostly noise, with quiet subjects strewn in so thinly that scanning for them does not pay. */
const subjectAt = (seq: number): string => (seq % 97 === 0 ? (QUIET[(seq * 31) % 5] ?? NOISE) : NOISE);
const all = Array.from({ length: ROWS }, (_, index) => index + 1);

let folder: string;
let db: Database;
let index: SubjectIndex;
let queries: Queries;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-log-"));
  db = openDatabase({
    dataPath: folder,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1e9,
    messageIdDays: 30,
    test: {},
  });
  const names = new Names(db);
  const subjects = [NOISE, ...QUIET];
  new Writer(db, names, new IdTables(db, names)).commit(
    {
      is: "commit",
      id: 1,
      at: 1,
      held: null,
      counts: [ROWS],
      subjects,
      subjectOf: all.map((seq) => subjects.indexOf(subjectAt(seq))),
      labels: all.map((seq) => (seq % 2 === 0 ? "join" : "")),
      payloads: all.map(String),
      notes: null,
      extras: [],
    },
    null,
  );
  index = new SubjectIndex(db);
  queries = new Queries(db, names, index);
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

/** One after the other: everything in memory; some of it on its way into the table; everything in the table. */
const states: readonly (readonly [string, () => void])[] = [
  ["in memory", () => undefined],
  ["on its way", () => void index.move().next()],
  ["in the table", () => index.moveAll()],
];

function drain<T>(work: CooperativeSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const query = fc.record({
  subjects: fc.uniqueArray(fc.constantFrom(...QUIET, "unknown"), { minLength: 1 }),
  after: fc.nat(ROWS),
  limit: fc.integer({ min: 0, max: 30 }),
});

describe.each(states)("with the index %s", (_, bring) => {
  beforeAll(bring);

  test("reads find among much noise what a look at every row finds", () => {
    fc.assert(
      fc.property(query, ({ subjects, after, limit }) => {
        const expected = all.filter((seq) => seq > after && subjects.includes(subjectAt(seq))).slice(0, limit);
        const rows = drain(queries.read({ is: "read", id: 1, subjects, after, limit, bytes: 1e9 }, ROWS));
        expect(rows.seqs).toEqual(expected);
        expect(rows.subjectOf.map((index) => subjects[index])).toEqual(expected.map(subjectAt));
        expect(rows.payloads).toEqual(expected.map(String));
      }),
    );
  });

  test("newest finds and counts what a look at every row finds", () => {
    fc.assert(
      fc.property(query, ({ subjects, after, limit }) => {
        const matching = all.filter((seq) => seq > after && subjects.includes(subjectAt(seq)));
        const expected = limit === 0 ? [] : matching.slice(-limit);
        const rows = drain(queries.newest({ is: "newest", id: 1, subjects, after, limit }, ROWS));
        expect(rows.seqs).toEqual(expected);
        expect(rows.subjectOf.map((index) => subjects[index])).toEqual(expected.map(subjectAt));
        expect(rows.labels).toEqual(expected.map((seq) => (seq % 2 === 0 ? "join" : "")));
        expect(rows.skipped).toBe(matching.length - expected.length);
      }),
    );
  });
});

test("what is committed meanwhile is not part of the answer", () => {
  const request = { is: "newest", id: 1, subjects: [NOISE], after: 0, limit: 1 } as const;
  expect(drain(queries.newest(request, 50)).seqs).toEqual([50]);
  const read = { is: "read", id: 1, subjects: [NOISE], after: 0, limit: 1000, bytes: 1e9 } as const;
  expect(drain(queries.read(read, 50)).seqs.at(-1)).toBe(50);
});

test("when all that was found went before it could be loaded, the next are given: none would mean the end", () => {
  const work = queries.read({ is: "read", id: 1, subjects: [NOISE], after: 0, limit: 2, bytes: 1e9 }, ROWS);
  expect(work.next().done).toBe(false);
  db.exec("BEGIN; DELETE FROM entry WHERE seq <= 2");
  try {
    expect(drain(work).seqs).toEqual([3, 4]);
  } finally {
    db.exec("ROLLBACK");
  }
});

test("a long read is cut into many slices", () => {
  let slices = 0;
  for (const _ of queries.newest({ is: "newest", id: 1, subjects: [NOISE], after: 0, limit: ROWS }, ROWS)) slices++;
  expect(slices).toBeGreaterThan(1);
});
