/**
 * What a node does for what the others store: it applies all of it. Entries a second that one takes which does nothing
 * else, and the bytes of an entry in the stream and in the file of each node.
 */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { connectNats } from "../src/log/nats/connect.ts";
import { openNatsLog } from "../src/log/nats/open.ts";
import { findStream } from "../src/log/nats/stream.ts";
import type { Log } from "../src/log/log.ts";
import { logFile } from "../src/log/sqlite/database.ts";
import { type NatsCluster, startNats } from "../test/servers/nats/server.ts";
import { withScratch } from "./lib/disk.ts";
import { runAlone } from "./lib/print.ts";
import type { Result, RunOptions } from "./lib/result.ts";

/** Each with one append under way. */
const APPENDERS = 2000;
const POLICY = { retentionDays: 7, retentionBytes: 64 * 1024 ** 3, messageIdDays: 30 } as const;

export async function run({ smoke }: RunOptions): Promise<Result> {
  const entries = smoke ? 2000 : 20_000;
  const cluster = await startNats(1);
  try {
    const shard = randomUUID();
    const { stored, fileBytes } = await withScratch((folder) => fill(cluster, { shard, folder, entries }));
    const streamBytes = await bytesOf(cluster, shard);
    const { seconds, cpuMs } = await withScratch((folder) => follow(cluster, { shard, folder, entries: stored }));
    return {
      name: "what a node does for the others",
      figures: [
        {
          what: `entries that a node applies which was away, ${stored} of 300 bytes`,
          value: stored / seconds,
          unit: "/s",
        },
        { what: "  processor time of an entry", value: (cpuMs * 1000) / stored, unit: "µs" },
        { what: "  bytes of an entry in the stream", value: streamBytes / stored, unit: "bytes" },
        { what: "  bytes of an entry in the file of each node", value: fileBytes / stored, unit: "bytes" },
      ],
      ok: stored === entries,
    };
  } finally {
    await cluster.stop();
  }
}

/** As long as usual, and with as much to it as words have: commits are packed. */
function payload(number: number): string {
  const words = Array.from({ length: 20 }, (_, at) =>
    Math.imul(number + 1, 2654435761 + at)
      .toString(36)
      .slice(-4),
  );
  return JSON.stringify({
    text: words.join(" "),
    username: `user${number % 500}`,
    id: `${number}`,
    rest: "x".repeat(140),
  });
}

interface Where {
  readonly shard: string;
  readonly folder: string;
  readonly entries: number;
}

/** One node appends all of them; gives how many were stored, and the bytes of its file. */
async function fill(
  cluster: NatsCluster,
  { shard, folder, entries }: Where,
): Promise<{ readonly stored: number; readonly fileBytes: number }> {
  const log = await open(cluster, { node: "busy", shard, folder });
  let [left, stored] = [entries, 0];
  const appender = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const entry = { subject: `api.bench/room${left % 1000}`, key: null, label: "", payload: payload(left) };
      const { is } = await log.append({ account: "api.bench", entries: [entry] });
      if (is === "stored") stored += 1;
    }
  };
  await Promise.all(Array.from({ length: APPENDERS }, appender));
  await log.close();
  return { stored, fileBytes: statSync(logFile(folder)).size };
}

async function bytesOf({ servers }: NatsCluster, shard: string): Promise<number> {
  const nc = await connectNats({ servers, auth: null, tls: null, node: "bench" });
  try {
    const stream = await findStream(nc, shard);
    if (stream === null) throw new Error("there is no stream");
    return (await stream.jsm.streams.info(stream.name)).state.bytes;
  } finally {
    await nc.close();
  }
}

/** Another node, with nothing on its disk, until it has all of them. */
async function follow(
  cluster: NatsCluster,
  { shard, folder, entries }: Where,
): Promise<{ readonly seconds: number; readonly cpuMs: number }> {
  const before = process.cpuUsage();
  const begin = performance.now();
  const log = await open(cluster, { node: "behind", shard, folder });
  while (log.head < entries) await delay(5);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(before);
  await log.close();
  return { seconds, cpuMs: (user + system) / 1000 };
}

function open(
  { servers }: NatsCluster,
  { node, shard, folder }: { readonly node: string; readonly shard: string; readonly folder: string },
): Promise<Log> {
  return openNatsLog({
    servers,
    auth: null,
    tls: null,
    node,
    shard,
    replicas: 1,
    warn: (error) => console.error(error.message),
    dataPath: folder,
    durability: "process",
    ...POLICY,
  });
}

if (import.meta.main) await runAlone(run);
