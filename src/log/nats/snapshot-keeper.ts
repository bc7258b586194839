import { existsSync, rmSync, statfsSync, statSync } from "node:fs";
import { LogError } from "../errors.ts";
import { logFile } from "../sqlite/database.ts";
import { DISK_FLOOR } from "../sqlite/floor.ts";
import type { Snapshots } from "./snapshots.ts";
import { type CommitStream, serverTime } from "./stream.ts";

/** When a snapshot is due, and how often that is asked. */
export interface SnapshotTimes {
  /** So many places of the stream after the newest, or … */
  readonly places: number;
  /** … so many bytes of it, or … */
  readonly bytes: number;
  /** … so long, when there is anything new. */
  readonly ageMs: number;
  readonly lookMs: number;
  /** So long nobody else begins one, also when that one fails. */
  readonly claimMs: number;
}

export const SNAPSHOT_TIMES: SnapshotTimes = {
  places: 100_000,
  bytes: 256 * 1024 * 1024,
  ageMs: 6 * 60 * 60 * 1000,
  lookMs: 60_000,
  claimMs: 10 * 60 * 1000,
};

/** A node that has more to do lets others make it: for it each is so many times as far apart. */
const BUSY = 1.25;
/** What stays free on the disk beside the copy: messages go on being stored while it is made, in bytes. */
const SPARE = 4 * DISK_FLOOR;

/** Where a copy of the log lies until it is on the servers, or has come from them. */
export const snapshotFile = (dataPath: string): string => `${logFile(dataPath)}.snapshot`;

interface KeeperOptions {
  readonly snapshots: Snapshots;
  readonly stream: CommitStream;
  readonly node: string;
  readonly dataPath: string;
  /** Copies the open log to a file. */
  readonly copy: (file: string) => Promise<void>;
  /** Accounts run on this node. */
  readonly isBusy: () => boolean;
  readonly clock: () => number;
  readonly warn: (error: LogError) => void;
  readonly times: SnapshotTimes;
}

/** Sees to it that one of the nodes makes a snapshot from time to time, and that the stream is not too long. */
export class SnapshotKeeper {
  readonly #options: KeeperOptions;
  readonly #timer: NodeJS.Timeout;
  #isWorking = false;
  #isStopped = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), options.times.lookMs).unref();
  }

  /** Lets go of what is under way: the copy ends with the log, and what was not finished on the servers is tidied. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #tick(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // Servers that cannot be reached are told of where something waits for them.
    await this.#look().catch(() => undefined);
    this.#isWorking = false;
  }

  async #look(): Promise<void> {
    const { snapshots, node, times, warn } = this.#options;
    if (!(await this.#isDue()) || !(await snapshots.claim(node, times.claimMs))) return;
    try {
      await this.#make();
    } catch (error) {
      if (!this.#isStopped) warn(failed(node, error));
    }
  }

  async #isDue(): Promise<boolean> {
    const { snapshots, stream, times, isBusy } = this.#options;
    const [newest] = await snapshots.list();
    const info = await stream.jsm.streams.info(stream.name);
    const { state, created } = info;
    const places = state.last_seq - (newest?.applied ?? 0);
    if (places <= 0) return false;
    const age = serverTime(info) - (newest?.at ?? Date.parse(created));
    const bytes = state.messages === 0 ? 0 : (state.bytes * places) / state.messages;
    const far = Math.max(places / times.places, bytes / times.bytes, age / times.ageMs);
    return far >= (isBusy() ? BUSY : 1);
  }

  async #make(): Promise<void> {
    const { snapshots, node, dataPath, copy, clock } = this.#options;
    const file = snapshotFile(dataPath);
    const bytes = [logFile(dataPath), `${logFile(dataPath)}-wal`].map((each) =>
      existsSync(each) ? statSync(each).size : 0,
    );
    assertRoom(dataPath, bytes[0] ?? 0, bytes[1] ?? 0);
    try {
      await copy(file);
      if (this.#isStopped) return;
      await snapshots.put(file, { node, at: clock() });
      await snapshots.purge();
    } finally {
      rmSync(file, { force: true });
    }
  }
}

/** Throws a LogError `disk_full` when a copy of so many bytes would leave too little. */
export function assertRoom(dataPath: string, ...bytes: readonly number[]): void {
  const { bavail, bsize } = statfsSync(dataPath);
  const needed = bytes.reduce((sum, each) => sum + each, SPARE);
  if (bavail * bsize >= needed) return;
  const [free, wanted] = [bavail * bsize, needed].map((count) => Math.round(count / 1024 ** 2));
  throw new LogError("disk_full", `${wanted} MiB have to be free for it in ${dataPath}, and ${free} MiB are`);
}

function failed(node: string, error: unknown): LogError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LogError(
    error instanceof LogError ? error.code : "io",
    `No snapshot of the log could be made on this node (${node}): ${reason}. Another attempt follows; until one succeeds, the servers keep more of the stream.`,
  );
}
