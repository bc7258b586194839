import { randomUUID } from "node:crypto";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import type { LogError } from "../errors.ts";
import { LOG_ACCOUNT } from "../fence.ts";
import type { Batch } from "../log.ts";
import { scratchFolder } from "../sqlite/scratch.suite.ts";
import type { NatsLogOptions } from "./open.ts";
import { caughtUp, entriesOf, knowsHolder, node, raises, ROOM, said, servers, stateOf } from "./nodes.suite.ts";

const DAY = 24 * 60 * 60 * 1000;

/** With something of everything that retention deletes; every third is about the one before. */
function batch(by: number, index: number, last: number): Batch {
  const note = { is: "said" as const, refs: [`m${by}.${index}`], author: `a${by}`, name: "ann", excerpt: "x" };
  const about = { is: "reacted" as const, of: last, who: "bob", name: "bob", emoji: "+", on: true };
  return {
    account: "net.libera",
    entries: [{ ...said(`${by} ${index}`, `k${index}`), note: index % 3 === 2 ? about : note }],
    receipts: last === 0 ? [] : [{ lane: "g/net.b/#x", seq: last, state: "sent", detail: "{}" }],
    once: { key: `${by}.${index}`, fingerprint: "f", answer: `${by}` },
  };
}

needs(["nats-server"], () => {
  test("what retention deletes is the same on all nodes, whatever their clocks, and decided by the one that holds the log", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    let age = 0;
    const times = { retentionDays: 1, messageIdDays: 3, tailBytes: 0, stamp: (ms: number) => ms - age };
    const holder = await node(cluster, "n1", { shard, ...times, clock: Date.now });
    const ahead = await node(cluster, "n2", { shard, ...times, clock: () => Date.now() + 1000 * DAY });
    for (const days of [5, 2, 0]) {
      age = days * DAY;
      const logs = [holder, ahead];
      const append = async (by: number): Promise<void> => {
        for (let index = 0, last = 0; index < 30; index += 1) {
          const done = await logs[by]?.append(batch(by, 100 * days + index, last));
          last = (done?.is === "stored" ? done.seqs[0] : null) ?? last;
        }
      };
      await Promise.all([append(0), append(1)]);
      await caughtUp(ahead, holder);
      await caughtUp(holder, ahead);
    }
    expect(await raises(holder, 1, LOG_ACCOUNT)).toBe(true);
    await knowsHolder(ahead, holder);
    await ahead.sweep();
    expect(await entriesOf(ahead)).toHaveLength(90);
    const first = (await entriesOf(holder))[40]?.seq ?? 0;
    holder.hold({ after: () => first - 1, ageMs: 10 * DAY });
    await holder.sweep();
    expect((await entriesOf(holder))[0]?.seq).toBe(first);
    holder.hold({ after: () => holder.head, ageMs: 10 * DAY });
    await holder.sweep();
    await holder.append({ account: "a", entries: [said("last")] });
    await caughtUp(ahead, holder);
    const state = await stateOf(holder);
    expect(await stateOf(ahead)).toEqual(state);
    const counts = Object.entries(state).map(([table, rows]) => [table, rows.length]);
    expect(Object.fromEntries(counts)).toMatchObject({ entry: 31, once: 60 });
    expect(await ahead.ids.find(ROOM, ["m0.500", "m1.500"])).toBeNull();
  });

  test("a node whose log is no longer that of the others stops, and the others go on", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const compare = { every: 20, judgeMs: 500 };
    const dataPath = scratchFolder();
    const one = await node(cluster, "n1", { shard, compare });
    const two = await node(cluster, "n2", { shard, compare });
    const three = await node(cluster, "n3", { shard, compare, dataPath });
    expect(await raises(one, 1, LOG_ACCOUNT)).toBe(true);
    const failed: string[] = [];
    for (const log of [one, two, three]) void log.failed.then(({ code }) => failed.push(code));
    const append = async (from: number): Promise<void> => {
      for (let index = from; index < from + 50; index += 1) await one.append(batch(0, index, 0));
      for (const log of [two, three]) await caughtUp(log, one);
    };
    await append(0);
    expect(await stateOf(two)).toEqual(await stateOf(one));
    await three.close();
    const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
    db.exec("UPDATE entry SET payload = 'other' WHERE seq = (SELECT max(seq) FROM entry)");
    db.close();
    const damaged = await node(cluster, "n3", { shard, compare, dataPath });
    for (let index = 50; index < 100; index += 1) await one.append(batch(0, index, 0));
    expect(await damaged.failed).toMatchObject({
      code: "diverged",
      message: expect.stringContaining("(n3)") as unknown,
    });
    await one.append({ account: "a", entries: [said("last")] });
    await caughtUp(two, one);
    expect(failed).toEqual([]);
  });

  test("two nodes that are not the same go on, and say so, as long as nobody holds the log", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const compare = { every: 20, judgeMs: 100 };
    const dataPath = scratchFolder();
    const [warned, alsoWarned] = [Promise.withResolvers<LogError>(), Promise.withResolvers<LogError>()];
    const one = await node(cluster, "n1", { shard, compare, warn: warned.resolve });
    const two = await node(cluster, "n2", { shard, compare, dataPath });
    await one.append(batch(0, 0, 0));
    await caughtUp(two, one);
    await two.close();
    const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
    db.exec("UPDATE entry SET payload = 'other'");
    db.close();
    const damaged = await node(cluster, "n2", { shard, compare, dataPath, warn: alsoWarned.resolve });
    const append = async (from: number): Promise<void> => {
      for (let index = from; index < from + 30; index += 1) await one.append(batch(0, index, 0));
    };
    await append(1);
    for (const [name, told] of [["n1", warned] as const, ["n2", alsoWarned] as const]) {
      const message = expect.stringContaining(`(${name})`) as unknown;
      expect(await told.promise).toMatchObject({ code: "diverged", message });
    }
    expect(await raises(one, 1, LOG_ACCOUNT)).toBe(true);
    await append(31);
    expect(await damaged.failed).toMatchObject({ code: "diverged" });
    await one.append({ account: "a", entries: [said("last")] });
  });

  test("a node that has no room for what the others store says so, and has all of it once there is room", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await node(cluster, "n1", { shard });
    const short = async (name: string, test: Required<NatsLogOptions>["test"]) => {
      const dataPath = scratchFolder();
      const told: LogError[] = [];
      const { promise: warned, resolve } = Promise.withResolvers<LogError>();
      const warn = (error: LogError): void => {
        told.push(error);
        resolve(error);
      };
      return { name, dataPath, told, warned, log: await node(cluster, name, { shard, dataPath, warn, test }) };
    };
    const nodes = [await short("floor", { floorBytes: 1e15 }), await short("full", { maxPages: 100 })];
    for (let index = 0; index < 20; index += 1) {
      const large = { ...said("x".repeat(50_000), `k${index}`) };
      await one.append({ account: "a", entries: [large], marks: [{ name: "last", value: `${index}` }] });
    }
    for (const { name, dataPath, told, warned, log } of nodes) {
      const error = await warned;
      expect(error.code).toBe("disk_full");
      for (const part of [dataPath, "Free some space", `(${name}) is behind`]) expect(error.message).toContain(part);
      await log.close();
      expect(told).toHaveLength(1);
      const roomy = await node(cluster, name, { shard, dataPath });
      expect(await stateOf(roomy)).toEqual(await stateOf(one));
    }
  });

  test("a node that is short of disk keeps what is no message as the others do", async () => {
    const cluster = await servers(1);
    const shard = randomUUID();
    const one = await node(cluster, "n1", { shard });
    const short = await node(cluster, "n2", { shard, test: { floorBytes: 1e15 } });
    const once = { key: "k", fingerprint: "f" };
    const first = await one.append({ account: "a", entries: [], once: { ...once, answer: "dropped" } });
    expect(first).toEqual({ is: "stored", seqs: [] });
    const again = await short.append({ account: "a", entries: [], once: { ...once, answer: "other" } });
    expect(again).toEqual({ is: "repeated", answer: "dropped" });
    expect(await stateOf(short)).toEqual(await stateOf(one));
  });
});
