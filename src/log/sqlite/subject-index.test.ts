import { join } from "node:path";
import type { Database } from "better-sqlite3";
import * as fc from "../../../test/support/property.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { damagePage } from "./damage.suite.ts";
import { openDatabase } from "./database.ts";
import { IdTables } from "./ids.ts";
import { Names } from "./names.ts";
import type { CommitRequest } from "./protocol.ts";
import { Retention } from "./retention.ts";
import { scratchFolder } from "./scratch.suite.ts";
import type { CooperativeSteps } from "./cooperative-steps.ts";
import { SubjectIndex } from "./subject-index.ts";
import { checkLog } from "./upkeep.ts";
import { Writer } from "./writer.ts";

const SETTINGS = { durability: "power", retentionDays: 7, retentionBytes: 1e9, messageIdDays: 30 } as const;
const ROOMS = ["a/0", "a/1", "a/2", "a/3"] as const;
/** So small that it takes several slices of few rows. */
const BATCH_ROWS = 20;

/** What the log's thread does with the index, step by step. */
class Log {
  readonly dataPath: string;
  db: Database;
  index: SubjectIndex;
  /** The subject of each entry, from seq 1. */
  readonly said: number[] = [];
  /** Up to here retention has taken all. */
  gone = 0;
  move: CooperativeSteps<undefined> | null = null;
  #writer: Writer;
  #names: Names;

  constructor(dataPath: string) {
    this.dataPath = dataPath;
    this.db = openDatabase({ dataPath, ...SETTINGS, test: {} });
    this.#names = new Names(this.db);
    this.#writer = new Writer(this.db, this.#names, new IdTables(this.db, this.#names));
    this.index = new SubjectIndex(this.db, BATCH_ROWS);
  }

  /** As after a kill: what is in memory is lost. */
  restart(): void {
    this.move = null;
    this.db.close();
    this.db = openDatabase({ dataPath: this.dataPath, ...SETTINGS, test: {} });
    this.#names = new Names(this.db);
    this.#writer = new Writer(this.db, this.#names, new IdTables(this.db, this.#names));
    this.index = new SubjectIndex(this.db, BATCH_ROWS);
  }

  append(rooms: readonly number[], at = 1): void {
    const request: CommitRequest = {
      is: "commit",
      id: 1,
      at,
      held: null,
      counts: [rooms.length],
      subjects: ROOMS,
      subjectOf: rooms,
      labels: null,
      payloads: rooms.map(() => "x"),
      notes: null,
      extras: [],
    };
    this.index.add(request, this.#writer.commit(request, null), this.#names);
    this.said.push(...rooms);
  }

  /** One slice; true when a batch is done. */
  step(): boolean {
    this.move ??= this.index.move();
    if (this.move.next().done !== true) return false;
    this.move = null;
    return true;
  }

  take(count: number): void {
    this.gone = Math.min(this.said.length, this.gone + count);
    this.db.transaction(() => {
      this.db.prepare("UPDATE high SET seq = ?").run(this.said.length);
      this.index.deleteUpTo(this.gone);
      this.db.prepare("DELETE FROM entry WHERE seq <= ?").run(this.gone);
    })();
    this.index.forgetUpTo(this.gone);
  }

  /** Entries of a room with after < seq <= until. */
  of(room: number, after: number, until: number): readonly number[] {
    return this.said.flatMap((subject, at) => {
      const seq = at + 1;
      return subject === room && seq > Math.max(after, this.gone) && seq <= until ? [seq] : [];
    });
  }

  get head(): number {
    return this.said.length;
  }

  id(room: number): number {
    return this.#names.find(ROOMS[room] ?? "") ?? 0;
  }
}

function open(): Log {
  const log = new Log(scratchFolder());
  onTestFinished(() => {
    log.db.close();
  });
  return log;
}

/** What the index says of every room is what a look at every entry says. */
function compare(log: Log, after: number, until: number, limit: number): void {
  for (const room of ROOMS.keys()) {
    const expected = log.of(room, after, until);
    const id = log.id(room);
    expect(log.index.oldest(id, after, until, limit)).toEqual(expected.slice(0, limit));
    const newest = limit === 0 ? [] : expected.slice(-limit).reverse();
    expect(log.index.newest(id, after, until, limit)).toEqual(newest);
    const settled = Math.min(until, log.index.mark);
    const [count, lowest] = log.index.countInTable(id, after, settled, 1000);
    expect(count + log.index.countInMemory(id, after, until)).toBe(expected.length);
    const settledSeqs = expected.filter((seq) => seq <= settled);
    expect([count, lowest]).toEqual([settledSeqs.length, settledSeqs[0] ?? null]);
  }
}

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("append" as const), rooms: fc.array(fc.nat(3)) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("step" as const), times: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("moveAll" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("take" as const), count: fc.nat(20) }) },
);

test("whatever is in memory, on its way or in the table, after kills and retention: the same as a look at every entry", () => {
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 25 }),
      fc.array(fc.tuple(fc.nat(100), fc.nat(100), fc.nat(12)), { minLength: 1, maxLength: 4 }),
      (actions, asked) => {
        const log = new Log(scratchFolder());
        try {
          for (const each of actions) {
            if (each.do === "append") log.append(each.rooms);
            else if (each.do === "moveAll") log.index.moveAll();
            else if (each.do === "restart") log.restart();
            else if (each.do === "take") log.take(each.count);
            else for (let count = 0; count < each.times; count += 1) log.step();
            for (const [after, back, limit] of asked) compare(log, after, Math.max(0, log.head - (back % 10)), limit);
            compare(log, 0, log.head, 1000);
          }
        } finally {
          log.db.close();
        }
        expect(checkLog({ dataPath: log.dataPath, isSound: () => true, progress: () => undefined }).findings).toEqual(
          [],
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("is due with a batch, full with two, and neither once it has moved", () => {
  const log = open();
  const some = Array.from({ length: BATCH_ROWS - 1 }, (_, at) => at % 4);
  log.append(some);
  expect([log.index.isDue, log.index.isFull]).toEqual([false, false]);
  log.append([0]);
  expect([log.index.isDue, log.index.isFull]).toEqual([true, false]);
  expect(log.step()).toBe(false);
  // One at a time.
  expect(log.index.isDue).toBe(false);
  log.append([...some, 1]);
  expect(log.index.isFull).toBe(true);
  expect(log.index.mark).toBe(0);
  log.index.moveAll();
  expect(log.index.mark).toBe(2 * BATCH_ROWS);
  expect(log.step()).toBe(true);
  expect([log.index.isDue, log.index.isFull]).toEqual([false, false]);
  const rows = log.db.prepare("SELECT count(*) FROM subject_index").pluck().get();
  expect(rows).toBe(2 * BATCH_ROWS);
});

test("a table that takes nothing loses nothing, and is filled once it takes again", () => {
  const log = open();
  log.append(Array.from({ length: 50 }, (_, at) => at % 4));
  log.step();
  log.db.exec("CREATE TRIGGER full BEFORE INSERT ON subject_index BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect(() => {
    for (let count = 0; count < 100; count += 1) log.step();
  }).toThrow("full");
  log.move = null;
  expect(() => log.index.moveAll()).toThrow("full");
  expect(() => log.index.makeRoom()).toThrow("full");
  log.append([1, 2]);
  compare(log, 0, log.head, 1000);
  log.db.exec("DROP TRIGGER full");
  while (!log.step());
  while (!log.step());
  expect(log.index.mark).toBe(52);
  compare(log, 0, log.head, 1000);
});

test("a move does not wait for the disk, and commits still do", () => {
  const log = open();
  log.append([0, 1, 2]);
  const modes: unknown[] = [];
  const transaction = log.db.transaction.bind(log.db);
  vi.spyOn(log.db, "transaction").mockImplementation((work) => {
    modes.push(log.db.pragma("synchronous", { simple: true }));
    return transaction(work);
  });
  log.index.moveAll();
  expect(modes).toEqual([1, 1]);
  expect(log.db.pragma("synchronous", { simple: true })).toBe(2);
});

test("entries that the table lacks and that cannot be read are told, and the mark stays before them", () => {
  const log = open();
  log.append(Array.from({ length: 2000 }, (_, at) => at % 4));
  log.db.pragma("wal_checkpoint(TRUNCATE)");
  const leaf = log.db.prepare("SELECT pageno FROM dbstat WHERE path = '/003/' AND name = 'entry'").pluck().get();
  log.db.close();
  damagePage(join(log.dataPath, "log.sqlite"), Number(leaf));
  log.restart();
  const first = log.id(0);
  expect(() => log.index.oldest(first, 0, log.head, 1000)).toThrow(/is damaged: the entries no\. \d+ to \d+ cannot be/);
  expect(() => log.index.newest(first, 500, log.head, 1000)).toThrow("rialto log repair");
  expect(log.index.newest(first, 1900, log.head, 1)).toEqual([1997]);
  expect(log.index.oldest(first, 0, 9, 1000)).toEqual([1, 5, 9]);
  expect(() => log.index.moveAll()).toThrow(expect.objectContaining({ code: "damaged" }));
  expect(log.index.mark).toBe(0);

  // Commits go on: what they bring stays in memory.
  expect([log.index.isDue, log.index.isFull]).toEqual([true, true]);
  log.index.makeRoom();
  expect([log.index.isDue, log.index.isFull]).toEqual([false, false]);
  log.append([0]);
  expect(log.index.newest(first, 1990, log.head, 9)).toEqual([2001, 1997, 1993]);
});

test("retention takes entries out of the table and of memory", () => {
  const log = open();
  const day = 24 * 60 * 60 * 1000;
  log.append([0, 1, 2, 3], 1);
  log.index.moveAll();
  log.append([0, 1], 2);
  log.append([2, 3], 30 * day);
  const retention = new Retention(log.db, log.index, SETTINGS);
  for (const _ of retention.sweep(30 * day, { head: () => log.head, held: () => null }));
  log.gone = 6;
  compare(log, 0, log.head, 1000);
  expect(log.db.prepare("SELECT count(*) FROM subject_index").pluck().get()).toBe(0);
});
