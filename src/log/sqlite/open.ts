import type { LogSearch, LogObserver } from "../search.ts";
import type { Log } from "../log.ts";
import type { WordMode } from "../words.ts";
import { WorkerConnection } from "./connection.ts";
import type { TestLimits } from "./protocol.ts";
import { SqliteLog } from "./sqlite-log.ts";

const MEBIBYTE = 1024 * 1024;

export interface SqliteLogOptions {
  /** Absolute path of the data folder; made when it is missing. */
  readonly dataPath: string;
  /** `power`: every commit is on the disk before it resolves. `process`: it survives the program, not the power. */
  readonly durability: "power" | "process";
  readonly retentionDays: number;
  /** Of disk, for the whole file. */
  readonly retentionBytes: number;
  /** How long it is known which remote messages are one. */
  readonly messageIdDays: number;
  /** Keeps an index of words; null or absent: keeps none, and removes one that is there. */
  readonly search?: WordMode | null;
  /** How much of the newest entries stays in memory. */
  readonly tailBytes?: number;
  /** How much may wait for the disk before appends are refused. */
  readonly pendingBytes?: number;
  /** Unix ms. */
  readonly clock?: () => number;
  readonly observer?: LogObserver;
  /** Whether a payload that was stored is one: readers pass over the others. */
  readonly isSound?: (payload: string) => boolean;
  readonly test?: TestLimits;
}

/**
 * The log in one SQLite file, `log.sqlite` in the data folder, held by a worker thread and by this process alone.
 * Rejects with a LogError: `locked`, `unwritable`, `format`, `disk_full` or `io`.
 */
export async function openSqliteLog(
  options: SqliteLogOptions,
): Promise<Log & { readonly archive: LogSearch; sweep(): Promise<void> }> {
  const { dataPath, durability, retentionDays, retentionBytes, messageIdDays, search = null, test = {} } = options;
  const settings = { dataPath, durability, retentionDays, retentionBytes, messageIdDays, search, test };
  const connection = await WorkerConnection.open(settings);
  return new SqliteLog(connection, {
    tailBytes: options.tailBytes ?? 8 * MEBIBYTE,
    pendingBytes: options.pendingBytes ?? 64 * MEBIBYTE,
    clock: options.clock ?? Date.now,
    observer: options.observer ?? null,
    isSound: options.isSound ?? (() => true),
  });
}
