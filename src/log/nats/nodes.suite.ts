import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterAll, onTestFinished } from "vitest";
import { type NatsCluster, startNats } from "../../../test/servers/nats/server.ts";
import { eventually } from "../../../test/support/wait.ts";
import { LOG_ACCOUNT } from "../fence.ts";
import type { Log, StoredEntry } from "../log.ts";
import { type NatsLog, type NatsLogOptions, openNatsLog } from "./open.ts";

const SETTINGS = {
  durability: "process",
  retentionDays: 7,
  retentionBytes: 1024 ** 3,
  messageIdDays: 30,
  warn: () => undefined,
} as const;
export const ROOM = "net.libera/#rialto";

const shared = new Map<number, Promise<NatsCluster>>();
afterAll(async () => {
  for (const started of shared.values()) await (await started).stop();
});

/** Servers that all tests of the file share: each test has a shard of its own, and leaves the servers as they are. */
export async function servers(count: number): Promise<NatsCluster> {
  const started = shared.get(count) ?? startNats(count);
  shared.set(count, started);
  return await started;
}

/** Servers for one test, which may stop them or wants `more` in their configuration. */
export async function ownServers(count: number, more = ""): Promise<NatsCluster> {
  const cluster = await startNats(count, more);
  onTestFinished(() => cluster.stop());
  return cluster;
}

/** A node on a shard of its own, or on that of others. */
export async function node(
  cluster: Pick<NatsCluster, "servers" | "nodes">,
  name: string,
  { shard = randomUUID(), ...more }: Partial<NatsLogOptions> = {},
): Promise<NatsLog> {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-log-"));
  const at = { servers: cluster.servers, auth: null, tls: null, replicas: cluster.nodes.length };
  const log = await openNatsLog({ ...at, node: name, shard, dataPath, ...SETTINGS, ...more });
  onTestFinished(async () => {
    await log.close();
    rmSync(dataPath, { recursive: true, force: true });
  });
  return log;
}

/** Whether the node holds the account in this epoch now. */
export async function raises(log: NatsLog, epoch: number, account = "a"): Promise<boolean> {
  return (await log.fence.raise([{ account, epoch, ...log.fence.own }])).length === 1;
}

export async function entriesOf(log: Log): Promise<readonly StoredEntry[]> {
  const all: StoredEntry[] = [];
  for (let after = 0; ;) {
    const entries = await log.read({ subjects: [ROOM], after, limit: 1000 });
    if (entries.length === 0) return all;
    all.push(...entries);
    after = entries.at(-1)?.seq ?? after;
  }
}

export async function caughtUp(behind: Log, ahead: Log): Promise<void> {
  await eventually(
    () => Promise.resolve(behind.head),
    (head) => head === ahead.head,
    () => `the head ${ahead.head}`,
  );
}

/** Waits until this node knows that another one holds the log: `caughtUp` does not, because a claim is no entry. */
export async function knowsHolder(log: NatsLog, holder: NatsLog): Promise<void> {
  await eventually(
    () => Promise.resolve(log.fence.current(LOG_ACCOUNT).run),
    (run) => run === holder.fence.own.run,
    () => `the node to know that ${holder.fence.own.node} holds the log`,
  );
}

export const said = (payload: string, key: string | null = null) => ({ subject: ROOM, key, label: "", payload });

/** All that the nodes have to have the same, as rows of its tables; where each stands in the stream is left out. */
export async function stateOf(log: NatsLog): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-state-"));
  try {
    const file = join(folder, "copy.sqlite");
    await log.archive.backup(file);
    const db = new BetterSqlite3(file, { readonly: true });
    const tables = [
      "name",
      "entry",
      "mark",
      "once",
      "high",
      "receipt",
      "said",
      "remote",
      "reaction",
      "stream_node",
      "stream_epoch",
    ];
    const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()] as const);
    db.close();
    return Object.fromEntries(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
