import { randomUUID } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import type { Payload } from "@nats-io/transport-node";
import { expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Log } from "../log.ts";
import { UnknownOutcome } from "../unknown-outcome.ts";
import { idText, parseId } from "./codec.ts";
import { scratchFolder } from "../sqlite/scratch.suite.ts";
import { caughtUp, entriesOf, node, ownServers, raises, ROOM, said, servers, stateOf } from "./nodes.suite.ts";

needs(["nats-server"], () => {
  test("what two nodes append at once is the same on both, and on one that comes later", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const logs = [await node(cluster, "n1", { shard }), await node(cluster, "n2", { shard })] as const;
    const heard: number[][] = [[], []];
    for (const [index, log] of logs.entries())
      log.tail((entries) => heard[index]?.push(...entries.map(({ seq }) => seq)));
    const append = async (log: Log, by: number): Promise<void> => {
      for (let index = 0; index < 100; index += 1) {
        const note = { is: "said" as const, refs: [`m${index}`], author: `a${by}`, name: "ann", excerpt: "x" };
        await log.append({
          account: "net.libera",
          entries: [{ ...said(`${by} ${index}`, `k${index}`), note }, said(`${by} also ${index}`)],
          marks: [{ name: "last", value: `${by} ${index}` }],
          once: { key: `o${index}`, fingerprint: "f", answer: `${by}` },
        });
      }
    };
    await Promise.all(logs.map((log, by) => append(log, by)));
    const [one, two] = logs;
    await caughtUp(one, two);
    await caughtUp(two, one);
    const late = await node(cluster, "n3", { shard });
    const entries = await entriesOf(one);
    expect(entries).toHaveLength(200);
    for (const log of [two, late]) {
      expect(await entriesOf(log)).toEqual(entries);
      expect(await log.marks("")).toEqual(await one.marks(""));
      expect(await log.ids.find(ROOM, ["m7"])).toEqual(await one.ids.find(ROOM, ["m7"]));
    }
    expect(heard[0]).toEqual(entries.map(({ seq }) => seq));
    expect(heard[1]).toEqual(heard[0]);
  });

  test("of what two nodes append, only that of who holds the account is stored, each account by itself", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await node(cluster, "n1", { shard });
    const two = await node(cluster, "n2", { shard });
    const append = (log: Log, account: string, payload: string) => log.append({ account, entries: [said(payload)] });
    const void_ = { code: "fenced", message: expect.stringContaining("n2 holds a") as unknown };
    expect([await raises(one, 1), await raises(one, 1, "b")]).toEqual([true, true]);
    await append(one, "a", "1");
    expect(await raises(two, 1)).toBe(false);
    const changes: unknown[] = [];
    one.fence.changed((claim) => changes.push(claim));
    expect(await raises(two, 2)).toBe(true);
    const together = await Promise.allSettled(["a", "b", "c", ""].map((account) => append(one, account, account)));
    expect(together.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    await expect(append(one, "a", "2")).rejects.toMatchObject(void_);
    await append(two, "a", "3");
    await caughtUp(one, two);
    expect((await entriesOf(one)).map(({ payload }) => payload)).toEqual(["1", "b", "c", "", "3"]);
    expect(changes).toEqual([{ account: "a", epoch: 2, ...two.fence.own }]);
    expect(await stateOf(two)).toEqual(await stateOf(one));
    // Handed over, and to a process that has ended.
    await one.fence.raise([
      { account: "b", epoch: 2, ...two.fence.own },
      { account: "c", epoch: 1, node: "n2", run: "ended" },
    ]);
    await eventually(
      () => Promise.resolve(two.fence.held.size),
      (held) => held === 3,
      () => "the claims to be applied",
    );
    await append(two, "b", "4");
    for (const log of [one, two]) await expect(append(log, "c", "5")).rejects.toMatchObject({ code: "fenced" });
  });

  test("a node that was restarted holds nothing until it raises epochs of its own", async () => {
    const cluster = await servers(1);
    const at = { shard: randomUUID(), dataPath: scratchFolder() };
    const first = await node(cluster, "n1", at);
    expect(await raises(first, 1)).toBe(true);
    await first.append({ account: "a", entries: [said("1")] });
    await first.close();
    const second = await node(cluster, "n1", at);
    expect(second.fence.current("a")).toEqual({ epoch: 1, ...first.fence.own });
    await expect(second.append({ account: "a", entries: [said("2")] })).rejects.toMatchObject({ code: "fenced" });
    expect(await raises(second, 2)).toBe(true);
    await second.append({ account: "a", entries: [said("3")] });
    expect((await entriesOf(second)).map(({ payload }) => payload)).toEqual(["1", "3"]);
  });

  test("what is larger than a message comes whole, and between its parts other nodes append", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await node(cluster, "n1", { shard });
    const two = await node(cluster, "n2", { shard });
    const large = Array.from({ length: 100_000 }, () => randomUUID()).join("");
    const small = async (): Promise<void> => {
      for (let index = 0; index < 50; index += 1) await two.append({ account: "b", entries: [said(`small ${index}`)] });
    };
    await Promise.all([one.append({ account: "a", entries: [said(large)] }), small()]);
    await caughtUp(one, two);
    await caughtUp(two, one);
    const entries = await entriesOf(two);
    expect(entries.filter(({ payload }) => payload === large)).toHaveLength(1);
    expect(entries).toHaveLength(51);
    expect(await entriesOf(one)).toEqual(entries);
  });

  test("a commit of which a part is missing is stored nowhere, and its append is refused", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await node(cluster, "n1", { shard });
    const two = await node(cluster, "n2", { shard });
    // Before its last part the stream has a commit of another process of that name: what came so far is given up.
    const request = one.connection.request.bind(one.connection);
    const other = jetstream(two.connection);
    const bodies: Payload[] = [];
    vi.spyOn(one.connection, "request").mockImplementation(async (subject, body, options) => {
      const id = parseId(options?.headers?.get("Nats-Msg-Id") ?? "");
      if (id !== null && id.parts > 1 && id.part === id.parts) {
        const msgID = idText({ ...id, run: "other", number: 1, part: 1, parts: 1 });
        await other.publish(subject, bodies[0], { msgID });
      }
      if (id !== null && body !== undefined) bodies.push(body);
      return await request(subject, body, options);
    });
    await one.append({ account: "a", entries: [said("small", "k")] });
    const large = Array.from({ length: 100_000 }, () => randomUUID()).join("");
    await expect(one.append({ account: "a", entries: [said(large)] })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("parts of a commit. Nothing was stored") as unknown,
    });
    await one.append({ account: "a", entries: [said("after")] });
    await caughtUp(two, one);
    for (const log of [one, two]) {
      expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(["small", "after"]);
    }
  });

  test("20 writers lose and double nothing when the servers' leader is killed", async () => {
    const cluster = await ownServers(3);
    const log = await node(cluster, "n1");
    const info = await (await import("@nats-io/jetstream")).jetstreamManager(log.connection);
    const done: string[] = [];
    let killed = 0;
    const writer = async (by: number): Promise<void> => {
      for (let index = 0; index < 60; index += 1) {
        await log.append({ account: `a${by}`, entries: [said(`${by} ${index}`)] });
        done.push(`${by} ${index}`);
        if (done.length < 300 || killed > 0) continue;
        killed += 1;
        const [stream] = await info.streams.list().next();
        const leader = cluster.nodes[Number(stream?.cluster?.leader?.slice(1) ?? 0)];
        leader?.signal("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, by) => writer(by)));
    expect(killed).toBe(1);
    const payloads = (await entriesOf(log)).map(({ payload }) => payload);
    expect(payloads).toHaveLength(1200);
    expect(new Set(payloads)).toEqual(new Set(done));
    for (let by = 0; by < 20; by += 1) {
      const own = payloads.filter((payload) => payload.startsWith(`${by} `));
      expect(own).toEqual(Array.from({ length: 60 }, (_, index) => `${by} ${index}`));
    }
  });

  test("a publish whose answer is lost is published again, and stored once", async () => {
    const cluster = await servers(1);
    const proxy = await startProxy(cluster.nodes[0]?.port ?? 0);
    onTestFinished(() => proxy.stop());
    const log = await node({ nodes: cluster.nodes, servers: [`127.0.0.1:${proxy.port}`] }, "n1", { onlyNamed: true });
    const expected: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const append = log.append({ account: "a", entries: [said(`${index}`)] });
      expected.push(`${index}`);
      // At the moment of the publish, or just after it: what was on its way is lost, one way or the other.
      setImmediate(() => setImmediate(() => proxy.reset()));
      await append;
    }
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(expected);
  });

  test("what a server that stops may have is not known for a while, is stored once, and what comes behind it waits", async () => {
    const cluster = await ownServers(1);
    const log = await node(cluster, "n1", { doubtMs: 1000 });
    await log.append({ account: "a", entries: [said("before")] });
    await cluster.nodes[0]?.halt();
    const doubtful: unknown = await log
      .append({ account: "a", entries: [said("doubtful")] })
      .catch((error: unknown) => error);
    const behind = log.append({ account: "a", entries: [said("behind")] });
    cluster.nodes[0]?.signal("SIGCONT");
    expect(doubtful).toMatchObject({ code: "unknown" });
    expect(doubtful instanceof UnknownOutcome && (await doubtful.settled)).toMatchObject({ is: "stored" });
    await behind;
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(["before", "doubtful", "behind"]);
  });

  test("without a server an append that was never published is refused, and is not stored later", async () => {
    const cluster = await servers(1);
    const proxy = await startProxy(cluster.nodes[0]?.port ?? 0);
    onTestFinished(() => proxy.stop());
    const log = await node({ nodes: cluster.nodes, servers: [`127.0.0.1:${proxy.port}`] }, "n1", { onlyNamed: true });
    await log.append({ account: "a", entries: [said("before")] });
    proxy.shut();
    proxy.cut();
    for await (const { type } of log.connection.status()) if (type === "disconnect") break;
    await expect(log.append({ account: "a", entries: [said("meanwhile")] })).rejects.toMatchObject({
      code: "unreachable",
    });
    proxy.open();
    await log.append({ account: "a", entries: [said("after")] });
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(["before", "after"]);
  });
});
