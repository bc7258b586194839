import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { type NatsCluster, startNats } from "../../../test/servers/nats/server.ts";
import { describeLog } from "../log.suite.ts";
import type { OpenedLog, SuiteOptions } from "../suite/kit.suite.ts";
import { openNatsLog } from "./open.ts";

const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 } as const;

needs(["nats-server"], () => {
  describe.each([1, 3])("on servers, so many: %i", (count) => {
    let cluster: NatsCluster;
    beforeAll(async () => {
      cluster = await startNats(count);
    });
    afterAll(() => cluster.stop());

    describeLog("the log in a stream", async (options: SuiteOptions): Promise<OpenedLog> => {
      const dataPath = mkdtempSync(join(tmpdir(), "rialto-log-"));
      const shard = randomUUID();
      const { clock } = options;
      const open = async (): Promise<OpenedLog> => {
        const log = await openNatsLog({
          servers: cluster.servers,
          auth: null,
          tls: null,
          node: "n1",
          warn: () => undefined,
          shard,
          replicas: count,
          dataPath,
          ...SETTINGS,
          ...options,
          ...(clock !== undefined && { stamp: () => clock() }),
        });
        return {
          log,
          archive: log.archive,
          sweep: () => log.sweep(),
          reopen: async () => {
            await log.close();
            return open();
          },
          remove: async () => {
            await log.close();
            rmSync(dataPath, { recursive: true, force: true });
          },
        };
      };
      return open();
    });
  });
});
