import { existsSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../../lib/make-folder.ts";
import { LogError } from "../errors.ts";
import { WorkerConnection } from "../sqlite/connection.ts";
import { logFile } from "../sqlite/database.ts";
import type { WorkerOptions } from "../sqlite/protocol.ts";
import { assertRoom, snapshotFile } from "./snapshot-keeper.ts";
import type { Snapshots } from "./snapshots.ts";
import type { CommitStream } from "./stream.ts";

/**
 * Opens the log of this node where the stream goes on from: as it is, or, when it is new or the stream no longer has
 * what it is missing, from the newest snapshot that is whole. What it had then is in the snapshot as well: all of it
 * came by the stream. Rejects as `WorkerConnection.open` does.
 */
export async function openReplica(
  settings: WorkerOptions,
  {
    node,
    stream,
    snapshots,
    warn,
  }: {
    readonly node: string;
    readonly stream: CommitStream;
    readonly snapshots: Snapshots;
    readonly warn: (error: LogError) => void;
  },
): Promise<WorkerConnection> {
  const { dataPath } = settings;
  const file = snapshotFile(dataPath);
  // It makes sure that no other process uses the folder, and that a log in it is of this stream.
  const worker = await WorkerConnection.open(settings);
  for (const left of [file, `${file}.part`]) rmSync(left, { force: true });
  const { applied = 0, resume = 0 } = worker.stream ?? {};
  const isMissing = stream.first > Math.max(1, resume) && stream.last >= Math.max(1, resume);
  if (applied > 0 && !isMissing) return worker;
  // One that was wrong once may have made snapshots that are.
  const isDoubtful = existsSync(divergedFile(dataPath));
  const usable = (await snapshots.list()).filter(
    (snapshot) =>
      snapshot.applied > applied &&
      (snapshot.resume >= stream.first || stream.last < snapshot.resume) &&
      !(isDoubtful && snapshot.node === node),
  );
  if (usable.length === 0) return worker;
  await worker.close();
  for (const snapshot of usable) {
    try {
      assertRoom(dataPath, snapshot.bytes);
      await snapshots.fetch(snapshot, file);
      // What the log that was here left unfinished is not of this one.
      for (const side of ["-wal", "-shm"]) rmSync(logFile(dataPath) + side, { force: true });
      renameSync(file, logFile(dataPath));
      syncFolder(dataPath);
      break;
    } catch (error) {
      warn(unusable(snapshot.object.name, error));
    } finally {
      rmSync(file, { force: true });
    }
  }
  return await WorkerConnection.open(settings);
}

/** Where the log lies that was not that of the others, for who wants to know why. */
const divergedFile = (dataPath: string): string => `${logFile(dataPath)}.diverged`;

/**
 * Puts the log of a node that is about to end out of the way, because it is not that of the others: the next start
 * begins with what they have.
 */
export function setAside(dataPath: string): void {
  for (const side of ["-wal", ""]) {
    if (existsSync(logFile(dataPath) + side)) renameSync(logFile(dataPath) + side, divergedFile(dataPath) + side);
  }
}

function unusable(name: string, error: unknown): LogError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LogError("io", `The snapshot ${name} of the log on the servers is of no use: ${reason}.`);
}
