import { randomUUID } from "node:crypto";
import { Beats } from "../log/nats/beats.ts";
import { openNatsLog } from "../log/nats/open.ts";
import { ClusterMember } from "./member.ts";

/** What the process of a node tells the test. */
export type Told =
  | { readonly is: "ready" | "left" }
  | { readonly is: "run" | "stop"; readonly account: string; readonly atMs: number }
  | { readonly is: "acked" | "refused"; readonly payload: string; readonly atMs: number };

/** One node as a process of its own, for a test that kills it: it appends for each account that it runs. */
async function main(): Promise<void> {
  const [node = "", shard = "", dataPath = "", servers = "", names = ""] = process.argv.slice(2);
  const settings = { durability: "process", retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 } as const;
  const at = { servers: servers.split(","), auth: null, tls: null, node, shard, dataPath, replicas: 3 };
  const log = await openNatsLog({ ...at, ...settings, warn: () => undefined });
  const tell = (told: Told): void => void process.send?.(told);
  const sessions = new Set<string>();
  const end = (account: string): void => {
    sessions.delete(account);
    tell({ is: "stop", account, atMs: Date.now() });
  };
  const member = new ClusterMember({
    fence: log.fence,
    wire: await Beats.open(log.connection, shard, 3),
    runner: {
      run: (account) => {
        sessions.add(account);
        tell({ is: "run", account, atMs: Date.now() });
      },
      stop: end,
      quiesce: (account) => Promise.resolve(end(account)),
    },
    isStuck: () => log.isStuck,
    monoMs: () => performance.now(),
    nowMs: Date.now,
    wish: { accounts: names.split(","), stays: [], config: "c" },
    onTwin: () => undefined,
    caughtUp: () => Promise.resolve(true),
  });
  setInterval(() => {
    for (const account of sessions) {
      const payload = `${account} ${node} ${randomUUID()}`;
      const entries = [{ subject: `${account}/#x`, key: null, label: "", payload }];
      log.append({ account, entries }).then(
        () => tell({ is: "acked", payload, atMs: Date.now() }),
        () => tell({ is: "refused", payload, atMs: Date.now() }),
      );
    }
  }, 100);
  process.on("message", () => {
    void member.leave().then(() => tell({ is: "left" }));
  });
  tell({ is: "ready" });
}

await main();
