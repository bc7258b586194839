import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import type { NatsCluster } from "../../../test/servers/nats/server.ts";
import { batchOf } from "../suite/kit.suite.ts";
import { exportLog } from "../sqlite/move.ts";
import { openAt, scratchFolder } from "../sqlite/scratch.suite.ts";
import { catchUp } from "./catch-up.ts";
import { connectNats } from "./connect.ts";
import { importIntoStream, type ImportOptions, type Imported } from "./import.ts";
import { caughtUp, entriesOf, node, raises, said, servers, stateOf } from "./nodes.suite.ts";
import { type CommitStream, findStream, openStream } from "./stream.ts";

const OPTIONS = { isSound: () => true, progress: () => undefined };

/** An exported log of one machine; `texts`: what was said in it. */
async function exported(texts: readonly string[]): Promise<string> {
  const dataPath = scratchFolder();
  const log = await openAt(dataPath);
  for (const text of texts) {
    const note = { is: "said" as const, refs: [`ref ${text}`], author: "a", name: "ann", excerpt: text };
    await log.append({
      ...batchOf({ ...said(text, `key ${text}`), note }),
      marks: [{ name: "position", value: text }],
      once: { key: `once ${text}`, fingerprint: "f", answer: `answer ${text}` },
    });
  }
  await log.close();
  const to = join(scratchFolder(), "moved");
  await exportLog(dataPath, to, OPTIONS);
  return to;
}

function importAt(
  { servers: at }: Pick<NatsCluster, "servers">,
  file: string,
  more: Partial<ImportOptions> & Pick<ImportOptions, "shard">,
): Promise<Imported> {
  const nats = { servers: at, auth: null, tls: null, node: "importer" };
  return importIntoStream({ ...nats, dataPath: scratchFolder(), nowMs: Date.now(), file, ...OPTIONS, ...more });
}

async function streamOf(cluster: NatsCluster, shard: string): Promise<CommitStream> {
  const nc = await connectNats({ servers: cluster.servers, node: "test", auth: null, tls: null });
  return await openStream(nc, shard, 1);
}

const TEXTS = ["one", "two", "three"];

needs(["nats-server"], () => {
  test.each([1, 3])(
    "all nodes begin with what was imported, and go on above it in the same way, with %i servers",
    async (count) => {
      const cluster = await servers(count);
      const shard = randomUUID();
      const file = await exported(TEXTS);
      const dataPath = scratchFolder();
      // As a kill leaves it.
      writeFileSync(join(dataPath, "log.sqlite.half-12345678"), "half");
      const imported = await importAt(cluster, file, { shard, dataPath });
      expect(imported).toMatchObject({ entries: 3, head: 3, stream: `RIALTO_${shard}`, isRepeated: false });
      expect(readdirSync(dataPath)).toEqual([]);
      const one = await node(cluster, "n1", { shard, dataPath });
      const two = await node(cluster, "n2", { shard });
      const before = await entriesOf(one);
      expect(before.map(({ payload }) => payload)).toEqual(TEXTS);
      expect(await one.marks("")).toEqual(new Map([["position", "three"]]));
      expect(await one.ids.find(before[1]?.subject ?? "", ["ref two"])).toMatchObject({ seq: 2 });
      const repeated = batchOf(said("two", "key two"));
      const again = { ...repeated, once: { key: "once two", fingerprint: "f", answer: "another" } };
      expect(await two.append(again)).toEqual({ is: "repeated", answer: "answer two" });
      expect(await two.append(repeated)).toMatchObject({ is: "stored", seqs: [null] });
      for (const [log, text] of [[one, "four"] as const, [two, "five"] as const]) {
        await log.append(batchOf(...Array.from({ length: 700 }, (_, at) => said(`${text} ${at}`))));
      }
      await caughtUp(one, two);
      const seqs = (await entriesOf(two)).map(({ seq }) => seq);
      expect(seqs).toHaveLength(1403);
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      const three = await node(cluster, "n3", { shard });
      expect(await stateOf(two)).toEqual(await stateOf(one));
      expect(await stateOf(three)).toEqual(await stateOf(one));
      expect(await entriesOf(three)).toEqual(await entriesOf(one));
    },
  );

  test("nodes compare that they began with the same", async () => {
    const cluster = await servers(1);
    const [shard, other] = [randomUUID(), randomUUID()];
    const states: unknown[] = [];
    for (const [at, texts] of [[shard, TEXTS] as const, [other, ["one", "2", "three"]] as const]) {
      await importAt(cluster, await exported(texts), { shard: at });
      const log = await node(cluster, "n1", { shard: at });
      states.push((await stateOf(log))["stream_node"]);
    }
    expect(states[0]).not.toEqual(states[1]);
  });

  test("of two imports of two files one counts, and the other is told; of the same file both may", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const [mine, yours] = await Promise.all([exported(["mine"]), exported(["yours"])]);
    const ends = await Promise.allSettled(
      [mine, yours, mine, yours].map((file, at) => importAt(cluster, file, { shard, node: `n${at}` })),
    );
    const stored = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.sha256] : []));
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    expect(stored).toHaveLength(2);
    expect(new Set(stored).size).toBe(1);
    const message = expect.stringMatching(
      /begins with another file: its SHA-256 is [0-9a-f]{64}, .+nats stream rm/s,
    ) as string;
    expect(refused).toEqual([0, 1].map(() => expect.objectContaining({ code: "stream", message }) as unknown));
    const logs = [await node(cluster, "n1", { shard }), await node(cluster, "n2", { shard })];
    const [one, two] = await Promise.all(logs.map(async (log) => (await entriesOf(log)).map(({ payload }) => payload)));
    expect(one).toEqual(two);
    expect([["mine"], ["yours"]]).toContainEqual(one);
  });

  test("no node starts with an import that was interrupted, and the same file finishes it", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const file = await exported(TEXTS);
    const early = await node(cluster, "n0", { shard });
    await importAt(cluster, file, { shard });
    // As a kill leaves it: the stream says which file it begins with, and the log is not stored.
    const { nc, jsm, name } = await streamOf(cluster, shard);
    await jsm.streams.purge(`OBJ_${name}`);
    await nc.close();
    const unfinished = {
      code: "unreachable",
      message: expect.stringContaining("repeat it with the same file") as string,
    };
    // One that was there before the import has nothing of it, and must not go on.
    expect(await early.failed).toMatchObject(unfinished);
    await expect(node(cluster, "n1", { shard })).rejects.toMatchObject(unfinished);
    await expect(importAt(cluster, await exported(["other"]), { shard })).rejects.toMatchObject({ code: "stream" });
    expect(await importAt(cluster, file, { shard })).toMatchObject({ entries: 3, isRepeated: false });
    expect(await importAt(cluster, file, { shard })).toMatchObject({ entries: 3, isRepeated: true });
    const log = await node(cluster, "n1", { shard });
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(TEXTS);
  });

  test("a stream that has a log, servers that are away and a folder with a log are refused, with what to do", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const file = await exported(TEXTS);
    const log = await node(cluster, "n1", { shard });
    await log.append(batchOf(said("there")));
    await expect(importAt(cluster, file, { shard })).rejects.toMatchObject({
      code: "stream",
      message: expect.stringMatching(
        /have a log already, in the stream RIALTO_.+ needs a new one\. .+stop all nodes/s,
      ) as string,
    });
    expect(await entriesOf(log)).toHaveLength(1);
    const dataPath = scratchFolder();
    writeFileSync(join(dataPath, "log.sqlite"), "mine");
    await expect(importAt(cluster, file, { shard: randomUUID(), dataPath })).rejects.toMatchObject({
      code: "unwritable",
    });
    expect(readFileSync(join(dataPath, "log.sqlite"), "utf8")).toBe("mine");
    const none = randomUUID();
    await expect(importAt(cluster, `${file}.none`, { shard: none })).rejects.toMatchObject({ code: "unwritable" });
    writeFileSync(`${file}.text`, "hello ".repeat(1000));
    await expect(importAt(cluster, `${file}.text`, { shard: none })).rejects.toMatchObject({ code: "format" });
    const nc = await connectNats({ servers: cluster.servers, node: "test", auth: null, tls: null });
    expect(await findStream(nc, none)).toBeNull();
    await nc.close();
  });

  test("a node that is stopped reads what the servers have before it is exported, and says when they have nothing", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const dataPath = scratchFolder();
    const away = await node(cluster, "n1", { shard, dataPath });
    await raises(away, 1);
    await away.close();
    const ahead = await node(cluster, "n2", { shard });
    await ahead.append(batchOf(said("meanwhile")));
    await ahead.close();
    const { nc, jsm, name, identity } = await streamOf(cluster, shard);
    const settings = { durability: "process", retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 } as const;
    const nats = { servers: cluster.servers, auth: null, tls: null, node: "n1", warn: () => undefined };
    const options = { ...settings, ...nats, dataPath, shard };
    const beat = JSON.stringify({ node: "n2" });
    const beating = setInterval(() => nc.publish(`r.hb.${shard}.n2`, beat), 100);
    await expect(catchUp(options, identity)).rejects.toMatchObject({
      code: "locked",
      message: expect.stringContaining("The node n2 runs, and may go on") as string,
    });
    clearInterval(beating);
    expect(await catchUp(options, identity)).toBe(true);
    const to = join(scratchFolder(), "moved");
    const { entries, from } = await exportLog(dataPath, to, OPTIONS);
    expect({ entries, stream: from.stream }).toEqual({ entries: 1, stream: identity });
    // Deleted by mistake: what the node has begins a new one.
    for (const each of [name, `OBJ_${name}`]) await jsm.streams.delete(each);
    expect(await catchUp(options, identity)).toBe(false);
    rmSync(dataPath, { recursive: true });
    await importAt(cluster, to, { shard });
    const log = await node(cluster, "n3", { shard });
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(["meanwhile"]);
    const [before] = await entriesOf(log);
    await log.append(batchOf(said("after")));
    expect((await entriesOf(log))[1]?.seq).toBeGreaterThan(before?.seq ?? 0);
    await nc.close();
  });
});
