import type { NatsConnection } from "@nats-io/transport-node";
import { LogError } from "../errors.ts";
import type { WorkerConnection } from "../sqlite/connection.ts";
import type { SqliteLogOptions } from "../sqlite/open.ts";
import { SqliteLog } from "../sqlite/sqlite-log.ts";
import { openReplica, setAside } from "./begin.ts";
import { connectNats, type NatsServers } from "./connect.ts";
import type { Fence } from "../fence.ts";
import type { StreamFaults } from "./faults.ts";
import { NatsCarrier } from "./nats-carrier.ts";
import { SNAPSHOT_TIMES, SnapshotKeeper, type SnapshotTimes } from "./snapshot-keeper.ts";
import { SharedFiles } from "./shared-files.ts";
import { Snapshots } from "./snapshots.ts";
import { type CommitStream, copiesOn, lastPlace, openStream, SHARD } from "./stream.ts";

/** Pause between two looks at where the stream ends, in ms. */
const LOOK_MS = 5000;
const MEBIBYTE = 1024 * 1024;

export interface NatsLogOptions extends NatsServers, SqliteLogOptions {
  /** Which stream; that of all accounts if nothing is said. */
  readonly shard?: string;
  /** Told of what an operator should see to, and what the log goes on in spite of. */
  readonly warn: (error: LogError) => void;
  /** On so many servers each commit is kept, when the stream is made; absent: on three of a cluster. */
  readonly replicas?: number;
  /** Only for tests: the time of a commit, given that of the server. */
  readonly stamp?: (serverMs: number) => number;
  /** Only for tests: after so long it is told that nobody knows whether something is stored. */
  readonly doubtMs?: number;
  /** Only for tests: after so many messages of the stream the nodes compare their states, and wait so long for all. */
  readonly compare?: { readonly every: number; readonly judgeMs: number };
  /** Only for tests: when snapshots are due. */
  readonly snapshots?: SnapshotTimes;
}

/** The log of one node: the stream brings the commits of all, and each applies them to a file of its own. */
export class NatsLog extends SqliteLog {
  readonly connection: NatsConnection;
  readonly fence: Fence;
  /** On so many servers each commit is kept. */
  readonly replicas: number;
  readonly #carrier: NatsCarrier;
  readonly #keeper: SnapshotKeeper;
  /** Opens what the nodes have of files, of which so many bytes are kept. Rejects with a LogError. */
  readonly files: (bytesMax: number) => Promise<SharedFiles>;

  constructor(
    connection: WorkerConnection,
    options: ConstructorParameters<typeof SqliteLog>[1],
    nats: {
      readonly nc: NatsConnection;
      readonly carrier: NatsCarrier;
      readonly replicas: number;
      readonly snapshots: Omit<ConstructorParameters<typeof SnapshotKeeper>[0], "copy" | "isBusy" | "clock">;
    },
  ) {
    super(connection, options, nats.carrier);
    this.connection = nats.nc;
    this.#carrier = nats.carrier;
    this.fence = nats.carrier.fence;
    this.replicas = nats.replicas;
    const { carrier, replicas } = nats;
    const sweeps = (): boolean => carrier.sweeps;
    this.files = (bytesMax) => SharedFiles.open(nats.snapshots.stream, { replicas, bytesMax, sweeps });
    void this.failed.then(({ code }) => {
      if (code === "diverged") setAside(nats.snapshots.dataPath);
    });
    this.#keeper = new SnapshotKeeper({
      ...nats.snapshots,
      copy: (file) => this.archive.backup(file),
      isBusy: () => nats.carrier.sweeps,
      clock: options.clock,
    });
  }

  /** For some time, nothing of what the stream has could be applied here. */
  get isStuck(): boolean {
    return this.#carrier.isStuck;
  }

  get streamFaults(): StreamFaults {
    return this.#carrier.faults;
  }

  /** While this holds, an append that was not published is refused at once. */
  refuseWhile(isCutOff: () => boolean): void {
    this.#carrier.refuseWhile(isCutOff);
  }

  override close(): Promise<void> {
    this.#keeper.stop();
    return super.close();
  }
}

/**
 * Resolves when everything that the stream had was applied here. Rejects with a LogError: `unreachable`, `stream` when
 * the stream no longer has what this node is missing, or what `openSqliteLog` rejects with.
 */
export async function openNatsLog(options: NatsLogOptions): Promise<NatsLog> {
  const { dataPath, durability, retentionDays, retentionBytes, messageIdDays, search = null, test = {} } = options;
  if (!/^[\w.-]{1,64}$/.test(options.node)) {
    throw new LogError("format", `"${options.node}" is no name for a node: letters, digits, ".", "_" and "-" are.`);
  }
  const nc = await connectNats(options);
  try {
    const { replicas = copiesOn(nc), snapshots: times = SNAPSHOT_TIMES } = options;
    const stream = await openStream(nc, options.shard ?? SHARD, replicas);
    const snapshots = await Snapshots.open(stream, replicas);
    const settings = { dataPath, durability, retentionDays, retentionBytes, messageIdDays, search, test };
    const { compare } = options;
    const stated = { stream: stream.identity, ...(compare && { compareEvery: compare.every }) };
    const { node, warn, stamp = (ms: number) => ms, doubtMs } = options;
    const worker = await openReplica({ ...settings, ...stated }, { node, stream, snapshots, warn });
    const state = worker.stream ?? { applied: 0, resume: 0, held: [], commits: [] };
    const limits = { ...(doubtMs !== undefined && { doubtMs }), ...(compare && { judgeMs: compare.judgeMs }) };
    const isShortened = async (): Promise<boolean> => stream.isOld || (await snapshots.list()).length > 0;
    const carrier = new NatsCarrier({ stream, node, state, stamp, warn, isShortened, ...limits });
    const log = new NatsLog(
      worker,
      {
        tailBytes: options.tailBytes ?? 8 * MEBIBYTE,
        pendingBytes: options.pendingBytes ?? 64 * MEBIBYTE,
        clock: options.clock ?? Date.now,
        observer: options.observer ?? null,
        isSound: options.isSound ?? (() => true),
      },
      { nc, carrier, replicas, snapshots: { snapshots, stream, node, dataPath, warn, times } },
    );
    const outcome = await Promise.race([caughtUp(carrier, stream), log.failed]);
    if (!(outcome instanceof LogError)) return log;
    await log.close();
    throw outcome;
  } catch (error) {
    await nc.close();
    throw error;
  }
}

/**
 * Resolves when everything that the stream had was applied here. Asks again after a while, because the last message may
 * be deleted before it is read, and then it never comes.
 */
async function caughtUp(carrier: NatsCarrier, stream: CommitStream): Promise<void> {
  for (let last = Infinity, isThere = false; !isThere;) {
    last = Math.min(last, await lastPlace(stream));
    const again = new Promise<false>((resolve) => setTimeout(resolve, LOOK_MS, false).unref());
    isThere = await Promise.race([carrier.reached(last).then(() => true), again]);
  }
}
