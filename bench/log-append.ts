/**
 * How many messages the log takes per second through its interface, against SQLite driven directly on one thread with
 * the same table and 100 rows in a transaction, and from 10 000 rooms against one. `node bench/log-append.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../src/log/sqlite/database.ts";
import { openSqliteLog } from "../src/log/sqlite/open.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const PAYLOAD = "x".repeat(300);
/** Rooms in which the messages are said, in turn. */
const ROOMS = 10_000;
const APPENDERS = 1000;
const RAW_ROWS = 100;
const GOAL = 0.5;
const ROOMS_GOAL = 0.85;
const POLICY = { durability: "power", retentionDays: 7, retentionBytes: 64 * 1024 ** 3, messageIdDays: 30 } as const;

export async function run({ smoke }: RunOptions): Promise<Result> {
  const seconds = smoke ? 0.2 : 5;
  const rounds = smoke ? 1 : 3;
  const raws: number[] = [];
  const logs: number[] = [];
  const manyRooms: number[] = [];
  let whole = true;
  // In turn, so that what else the machine does weighs on both alike.
  for (let round = 0; round < rounds; round++) {
    raws.push(inFolder((folder) => rawRate(folder, seconds)));
    for (const [rooms, rates] of [[1, logs] as const, [ROOMS, manyRooms] as const]) {
      const { rate, complete } = await inFolder((folder) => logRate(folder, seconds, rooms));
      rates.push(rate);
      whole &&= complete;
    }
  }
  const raw = median(raws);
  const log = median(logs);
  return {
    name: "log-append",
    figures: [
      { what: `append, ${APPENDERS} at once`, value: Math.round(log), unit: "messages/s" },
      { what: `SQLite directly, ${RAW_ROWS} rows a commit`, value: Math.round(raw), unit: "messages/s" },
      {
        what: "append against SQLite directly",
        value: Number((log / raw).toFixed(2)),
        unit: "x",
        goal: { op: ">=", value: GOAL },
      },
      {
        what: `append from ${ROOMS} rooms against one`,
        value: Number((median(manyRooms) / log).toFixed(2)),
        unit: "x",
        goal: { op: ">=", value: ROOMS_GOAL },
      },
    ],
    ok: whole,
  };
}

/** Appends per second of so many callers, each with one append under way; `complete` when all of them got a seq. */
async function logRate(folder: string, seconds: number, rooms: number): Promise<{ rate: number; complete: boolean }> {
  const log = await openSqliteLog({ dataPath: folder, ...POLICY });
  const subjects = Array.from({ length: rooms }, (_, room) => `api.bench/gateway${room}`);
  let next = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  let count = 0;
  const appender = async (): Promise<void> => {
    while (performance.now() < until) {
      const subject = subjects[next++ % rooms] ?? "";
      const entries = [{ subject, key: null, label: "", payload: PAYLOAD }];
      const appended = await log.append({ account: "api.bench", entries });
      if (appended.is === "stored") count++;
    }
  };
  await Promise.all(Array.from({ length: APPENDERS }, appender));
  const rate = count / ((performance.now() - started) / 1000);
  const complete = log.head === count;
  await log.close();
  return { rate, complete };
}

/** Rows per second with nothing between SQLite and the loop. */
function rawRate(folder: string, seconds: number): number {
  const db = openDatabase({ dataPath: folder, ...POLICY, test: {} });
  const insert = db.prepare("INSERT INTO entry (seq, subject, at, label, payload) VALUES (?, ?, ?, ?, ?)");
  let seq = 0;
  const commit = db.transaction(() => {
    const at = Date.now();
    for (let row = 0; row < RAW_ROWS; row++) insert.run(++seq, 1, at, "", PAYLOAD);
  });
  const started = performance.now();
  while (performance.now() - started < seconds * 1000) commit();
  const rate = seq / ((performance.now() - started) / 1000);
  db.close();
  return rate;
}

/** Runs it with a scratch folder that is removed when it is done. */
function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "rialto-log-append-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  const result = work(folder);
  if (!(result instanceof Promise)) {
    clean();
    return result;
  }
  return result.finally(clean) as T;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await run({ smoke: process.argv.includes("--smoke") }), null, 2));
}
