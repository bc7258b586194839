import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test/servers/installed.ts";
import { eventually } from "../../test/support/wait.ts";
import { Beats } from "../log/nats/beats.ts";
import { node as openNode, said, servers } from "../log/nats/nodes.suite.ts";
import type { NatsLog } from "../log/nats/open.ts";
import { ClusterMember } from "./member.ts";

/** A node that wants to run the account, and what it has of it. */
async function aMember(log: NatsLog, shard: string, account: string) {
  const runs = new Set<string>();
  const member = new ClusterMember({
    fence: log.fence,
    wire: await Beats.open(log.connection, shard, 1),
    runner: {
      run: (of) => runs.add(of),
      stop: (of) => runs.delete(of),
      quiesce: (of) => Promise.resolve(void runs.delete(of)),
    },
    isStuck: () => log.isStuck,
    caughtUp: () => Promise.resolve(true),
    monoMs: () => performance.now(),
    nowMs: Date.now,
    wish: { accounts: [account], stays: [account], config: "c" },
    onTwin: () => undefined,
  });
  onTestFinished(() => member.close());
  return { member, runs };
}

needs(["nats-server"], () => {
  test("what a node runs that has no room is taken over, and it is still heard", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const short = await openNode(cluster, "n1", { shard, test: { maxPages: 100 } });
    const other = await openNode(cluster, "n2", { shard });
    const first = await aMember(short, shard, "a");
    await runs(first, "the first node");
    const second = await aMember(other, shard, "a");
    for (let index = 0; index < 20; index += 1) {
      await other.append({ account: "b", entries: [said("x".repeat(50_000), `k${index}`)] });
    }
    await runs(second, "the other node");
    expect([...first.runs]).toEqual([]);
    expect(first.member.hasVoice).toBe(false);
    const heard = Promise.withResolvers<unknown>();
    const forget = (await Beats.open(other.connection, shard, 1)).listen((word) => {
      if (word.includes(`"n1"`)) heard.resolve(JSON.parse(word));
    });
    expect(await heard.promise).toMatchObject({ node: "n1", hasVoice: false });
    forget();
  });
});

async function runs({ runs: has }: { readonly runs: ReadonlySet<string> }, who: string): Promise<void> {
  await eventually(
    () => Promise.resolve(has.size),
    (size) => size === 1,
    () => `${who} to run it`,
  );
}
