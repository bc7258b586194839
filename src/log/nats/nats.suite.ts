import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll } from "vitest";
import { type NatsCluster, type NatsProgram, startNats } from "../../../test/servers/nats/server.ts";
import { type OpenedLog, openedOf, type OpenLog, type SuiteOptions } from "../suite/kit.suite.ts";
import { connectNats } from "./connect.ts";
import { openNatsLog } from "./open.ts";

const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 } as const;
const ANYBODY = { auth: null, tls: null };

/** A suite of all logs, on this number of servers. */
export function describeOnServers(
  describeLog: (name: string, open: OpenLog) => void,
  count: number,
  program: NatsProgram,
): void {
  let cluster: NatsCluster;
  let nc: NatsConnection;
  beforeAll(async () => {
    cluster = await startNats(count, "", { program });
    nc = await connectNats({ ...ANYBODY, servers: cluster.servers, node: "suite" });
  });
  afterAll(async () => {
    await nc.close();
    await cluster.stop();
  });
  /** Three servers are busy with each stream that they have, also when nobody uses it. */
  const forget = async (shard: string): Promise<void> => {
    const { streams } = await jetstreamManager(nc);
    await Promise.all([`RIALTO_${shard}`, `OBJ_RIALTO_${shard}`].map((name) => streams.delete(name)));
  };

  describeLog("the log in a stream", async (options: SuiteOptions): Promise<OpenedLog> => {
    const dataPath = mkdtempSync(join(tmpdir(), "rialto-log-"));
    const shard = randomUUID();
    const { clock } = options;
    const open = async (): Promise<OpenedLog> => {
      const log = await openNatsLog({
        ...ANYBODY,
        servers: cluster.servers,
        node: "n1",
        warn: () => undefined,
        shard,
        replicas: count,
        dataPath,
        ...SETTINGS,
        ...options,
        ...(clock !== undefined && { stamp: () => clock() }),
      });
      return openedOf(log, {
        open,
        forget: async () => {
          await forget(shard);
          rmSync(dataPath, { recursive: true, force: true });
        },
      });
    };
    return open();
  });
}
