import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import type { NatsCluster } from "../../../test/servers/nats/server.ts";
import { eventually } from "../../../test/support/wait.ts";
import { guard } from "../../../test/support/watchdog.ts";
import type { LogError } from "../errors.ts";
import { LOG_ACCOUNT } from "../fence.ts";
import { scratchFolder } from "../sqlite/scratch.suite.ts";
import { connectNats } from "./connect.ts";
import { caughtUp, entriesOf, node, raises, ROOM, said, servers, stateOf } from "./nodes.suite.ts";
import type { NatsLog } from "./open.ts";
import type { SnapshotTimes } from "./snapshot-keeper.ts";
import { type Snapshot, Snapshots } from "./snapshots.ts";
import { type CommitStream, openStream } from "./stream.ts";

/** A snapshot for every ten commits. */
const OFTEN: SnapshotTimes = { places: 10, bytes: 1e12, ageMs: 1e12, lookMs: 50, claimMs: 0 };

async function fill(log: NatsLog, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const note = { is: "said" as const, refs: [randomUUID()], author: "a", name: "ann", excerpt: "x" };
    await log.append({ account: "a", entries: [{ ...said(`${index}`, randomUUID()), note }] });
  }
}

/** What the servers have, as another node sees it. */
async function watch(
  cluster: NatsCluster,
  shard: string,
): Promise<{ readonly stream: CommitStream; readonly snapshots: Snapshots }> {
  const nc = await connectNats({ servers: cluster.servers, node: "test", auth: null, tls: null });
  const stream = await openStream(nc, shard, cluster.nodes.length);
  return { stream, snapshots: await Snapshots.open(stream, cluster.nodes.length) };
}

async function made(snapshots: Snapshots, after: number): Promise<readonly Snapshot[]> {
  return await eventually(
    () => snapshots.list(),
    ([newest]) => (newest?.applied ?? 0) > after,
    () => `a snapshot behind ${after}`,
  );
}

/** Two snapshots, and the stream purged up to the older one; then entries behind them. */
async function withTwo(cluster: NatsCluster, shard: string): Promise<NatsLog> {
  const log = await node(cluster, "n1", { shard, snapshots: OFTEN });
  const { stream, snapshots } = await watch(cluster, shard);
  for (let round = 0; round < 2; round += 1) {
    const before = (await snapshots.list())[0]?.applied ?? 0;
    await fill(log, 15);
    await made(snapshots, before);
  }
  const older = (await snapshots.list())[1]?.resume ?? 0;
  await eventually(
    () => stream.jsm.streams.info(stream.name),
    ({ state }) => state.first_seq >= older,
    () => `the stream to begin at ${older}`,
  );
  await fill(log, 3);
  await stream.nc.close();
  return log;
}

needs(["nats-server"], () => {
  test.each([1, 3])(
    "a new node begins with a snapshot and has the same as the others, with %i servers",
    async (count) => {
      const cluster = await servers(count);
      const shard = randomUUID();
      const one = await withTwo(cluster, shard);
      const warnings: LogError[] = [];
      const two = await node(cluster, "n2", { shard, warn: (error) => warnings.push(error) });
      expect(await entriesOf(two)).toHaveLength(33);
      await two.append({ account: "a", entries: [said("of the new one")] });
      await caughtUp(one, two);
      expect(await stateOf(two)).toEqual(await stateOf(one));
      expect(warnings).toEqual([]);
      const { snapshots } = await watch(cluster, shard);
      expect((await snapshots.list()).length).toBeLessThanOrEqual(2);
    },
  );

  test("a node that was away until the stream no longer has what it is missing goes on from a snapshot", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const dataPath = scratchFolder();
    const away = await node(cluster, "n2", { shard, dataPath });
    await fill(away, 2);
    await away.close();
    const one = await withTwo(cluster, shard);
    // As a kill leaves them.
    for (const left of ["snapshot", "snapshot.part"]) writeFileSync(join(dataPath, `log.sqlite.${left}`), "half");
    const back = await node(cluster, "n2", { shard, dataPath });
    await caughtUp(back, one);
    expect(await stateOf(back)).toEqual(await stateOf(one));
    expect(await entriesOf(back)).toHaveLength(35);
    for (const left of ["snapshot", "snapshot.part"]) {
      expect(existsSync(join(dataPath, `log.sqlite.${left}`))).toBe(false);
    }
  });

  test("of a snapshot that is damaged nothing is taken, and the one before it is used", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await withTwo(cluster, shard);
    await one.close();
    const { stream, snapshots } = await watch(cluster, shard);
    const [newest, older] = await snapshots.list();
    const { nuid, name } = newest?.object ?? { nuid: "", name: "" };
    // Another byte, in as many parts as before.
    const bucket = `OBJ_${stream.name}`;
    const subject = `$O.${stream.name}.C.${nuid}`;
    const chunk = await stream.jsm.streams.getMessage(bucket, { last_by_subj: subject });
    const bytes = Buffer.from(chunk?.data ?? "");
    bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
    await stream.jsm.streams.deleteMessage(bucket, chunk?.seq ?? 0);
    await stream.js.publish(subject, bytes);
    const warnings: string[] = [];
    const two = await node(cluster, "n2", { shard, warn: ({ message }) => warnings.push(message) });
    expect(warnings).toEqual([expect.stringContaining(name)]);
    expect(await entriesOf(two)).toHaveLength(33);
    await two.close();
    // Now with a part missing, and the older one too: the node says what to do.
    for (const { object } of [newest, older].flatMap((each) => each ?? [])) {
      await stream.jsm.streams.purge(bucket, { filter: `$O.${stream.name}.C.${object.nuid}` });
    }
    await expect(node(cluster, "n3", { shard })).rejects.toMatchObject({
      code: "stream",
      message: expect.stringContaining("copy its log.sqlite") as unknown,
    });
  });

  test("a kill while a snapshot is being stored leaves none, and the next one takes away what is left of it", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const script = `
      const [open, objects, server, shard, dataPath] = process.argv.slice(1);
      const { Objects } = await import(objects);
      const { openNatsLog } = await import(open);
      const put = Objects.prototype.put;
      // Half of it, and then nothing more.
      Objects.prototype.put = function (what, source) {
        const half = async function* () {
          for await (const part of source) {
            yield Buffer.concat([part, Buffer.alloc(400_000)]);
            setTimeout(() => process.stdout.write("half"), 100);
            await new Promise(() => {});
          }
        };
        return put.call(this, what, half());
      };
      const times = ${JSON.stringify(OFTEN)};
      const log = await openNatsLog({ servers: [server], auth: null, tls: null, node: "n9", shard, dataPath,
        durability: "process", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30, warn: () => {}, snapshots: times });
      for (let index = 0; index < 30; index++) {
        await log.append({ account: "a", entries: [{ subject: "${ROOM}", key: null, label: "", payload: "x" + index }] });
      }
    `;
    const paths = ["open.ts", "objects.ts"].map((name) => new URL(name, import.meta.url).href);
    const dataPath = scratchFolder();
    const args = [...paths, cluster.servers[0] ?? "", shard, dataPath];
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    guard(child);
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const { stream, snapshots } = await watch(cluster, shard);
    expect(await snapshots.list()).toEqual([]);
    const chunks = async (): Promise<number> => {
      const filter = { subjects_filter: `$O.${stream.name}.C.>` };
      return Object.keys((await stream.jsm.streams.info(`OBJ_${stream.name}`, filter)).state.subjects ?? {}).length;
    };
    expect(await chunks()).toBe(1);
    expect(statSync(join(dataPath, "log.sqlite.snapshot")).size).toBeGreaterThan(0);
    const log = await node(cluster, "n9", { shard, dataPath, snapshots: OFTEN });
    await made(snapshots, 0);
    expect(await entriesOf(log)).toHaveLength(30);
    await log.close();
    expect(existsSync(join(dataPath, "log.sqlite.snapshot"))).toBe(false);
    expect(await chunks()).toBe(1);
  });

  test("a node that was not like the others begins with a snapshot of theirs, and not with its own", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const compare = { every: 20, judgeMs: 300 };
    const dataPath = scratchFolder();
    // With a folder for files, a log that is empty is not taken for a new one elsewhere.
    mkdirSync(join(dataPath, "files"));
    const one = await node(cluster, "n1", { shard, compare });
    const two = await node(cluster, "n2", { shard, compare });
    const three = await node(cluster, "n3", { shard, compare, dataPath });
    expect(await raises(one, 1, LOG_ACCOUNT)).toBe(true);
    await fill(one, 5);
    await caughtUp(three, one);
    await three.close();
    const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
    db.exec("UPDATE entry SET payload = 'other'");
    db.close();
    const { snapshots, stream } = await watch(cluster, shard);
    const wrong = await node(cluster, "n3", { shard, compare, dataPath });
    const put = async (log: NatsLog, name: string): Promise<void> => {
      const file = join(scratchFolder(), "copy");
      await log.archive.backup(file);
      await snapshots.put(file, { node: name, at: Date.now() });
    };
    await put(one, "n1");
    await fill(one, 5);
    await caughtUp(wrong, one);
    await put(wrong, "n3");
    await snapshots.purge();
    await fill(one, 20);
    expect(await wrong.failed).toMatchObject({ code: "diverged" });
    await wrong.close();
    expect((await stream.jsm.streams.info(stream.name)).state.first_seq).toBeGreaterThan(5);
    const again = await node(cluster, "n3", { shard, compare, dataPath });
    await caughtUp(again, one);
    // What it says of its own state is a place of the stream as well, and comes to each in its time.
    await expect.poll(async () => isDeepStrictEqual(await stateOf(again), await stateOf(one))).toBe(true);
    expect(existsSync(join(dataPath, "log.sqlite.diverged"))).toBe(true);
    await caughtUp(two, one);
    await expect.poll(async () => isDeepStrictEqual(await stateOf(two), await stateOf(one))).toBe(true);
  });

  test("of several nodes one makes the snapshot", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const { snapshots } = await watch(cluster, shard);
    const claims = await Promise.all(["n1", "n2", "n3"].map((name) => snapshots.claim(name, 60_000)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await snapshots.claim("n4", 60_000)).toBe(false);
    expect(await snapshots.claim("n4", 0)).toBe(true);
  });

  test("what is stored is an object as NATS describes it", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    await withTwo(cluster, shard);
    const { stream, snapshots } = await watch(cluster, shard);
    const [{ object: newest } = { object: null }] = await snapshots.list();
    const name = newest?.name ?? "";
    const subject = `$O.RIALTO_${shard}.M.${Buffer.from(name).toString("base64url").padEnd(24, "=")}`;
    const meta = await stream.jsm.streams.getMessage(`OBJ_RIALTO_${shard}`, { last_by_subj: subject });
    expect(meta?.json()).toMatchObject({
      bucket: `RIALTO_${shard}`,
      name,
      chunks: newest?.chunks,
      digest: expect.stringMatching(/^SHA-256=[\w-]{43}=$/u) as unknown,
      options: { max_chunk_size: 131_072 },
    });
    expect(meta?.header.get("Nats-Rollup")).toBe("sub");
  });
});
