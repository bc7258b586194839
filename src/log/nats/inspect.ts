import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { parseRemote } from "../../lib/address.ts";
import { describe } from "../../lib/describe.ts";
import { isObject, readJson } from "../../lib/shapes.ts";
import { LogError } from "../errors.ts";
import { type NatsServers, refusalOf, tryConnection } from "./connect.ts";
import { isMissing, SHARD, streamName } from "./stream.ts";

/** Where a server is watched, unless its configuration says otherwise. */
const MONITOR_PORT = 8222;
/** So long a server may take to answer there, and to say what it has, in ms. */
const MONITOR_MS = 1000;
const ANSWER_MS = 5000;
/** Most bytes of its answer. */
const MONITOR_BYTES = 1024 * 1024;

/** What a server says where it is watched. */
interface MonitorSeen {
  /** How often it writes to the disk, in ms; 0: before it acknowledges; null: it does not say. */
  readonly syncMs: number | null;
  /** What it may still store, in bytes; null: it does not say. */
  readonly freeBytes: number | null;
  /** How far its clock is ahead of that of this machine, in ms. */
  readonly aheadMs: number;
}

/** One of the servers in `Log`, as it is seen from here. `monitor`: null where nobody answers. */
export type ServerSeen =
  | {
      readonly server: string;
      readonly is: "seen";
      readonly version: string;
      readonly id: string;
      readonly name: string;
      /** Null: it is none of a cluster. */
      readonly cluster: string | null;
      /** It accepts connections without a password, token, key or certificate. */
      readonly isOpen: boolean;
      /** Servers of its cluster that it names to clients. */
      readonly named: number;
      readonly monitor: MonitorSeen | null;
    }
  | {
      readonly server: string;
      readonly is: "unreached" | "credentials" | "certificate";
      readonly reason: string;
    };

/** The stream that carries the log. */
export type StreamSeen =
  | { readonly is: "missing" }
  /** Why they do not say. */
  | { readonly is: "unknown" | "disabled"; readonly reason: string }
  | {
      readonly is: "there";
      readonly replicas: number;
      /** There is a leader, so commits are taken. */
      readonly isLed: boolean;
      /** Names of servers that do not have all of it. */
      readonly behind: readonly string[];
      /** How far the clock of its leader is ahead, in ms; null: it is too old to say. */
      readonly aheadMs: number | null;
    };

export interface LogSeen {
  readonly servers: readonly ServerSeen[];
  /** Null: no server was reached. */
  readonly stream: StreamSeen | null;
  readonly name: string;
  /** What the account on the servers may still store, in bytes; null: as much as they can. */
  readonly freeBytes: number | null;
}

/** Looks at the servers of a log, each by itself. Changes nothing on them, and never rejects. */
export async function inspectServers(
  options: Omit<NatsServers, "onlyNamed" | "node">,
  { shard = SHARD, monitorPort = MONITOR_PORT }: { readonly shard?: string; readonly monitorPort?: number } = {},
): Promise<LogSeen> {
  const connections: NatsConnection[] = [];
  const servers = options.servers.map(async (server): Promise<ServerSeen> => {
    try {
      const nc = await tryConnection({ ...options, servers: [server], node: "check", onlyNamed: true });
      connections.push(nc);
      const { info } = nc;
      if (info === undefined) return { server, is: "unreached", reason: "it does not say what it is" };
      const [monitor, isOpen] = await Promise.all([
        monitorOf(server, monitorPort, info.server_id),
        isOpenToAll(server, options),
      ]);
      const { version, server_id: id, server_name: name, cluster = null, connect_urls: urls = [] } = info;
      return { server, is: "seen", version, id, name, cluster, named: urls.length, isOpen, monitor };
    } catch (error) {
      // The same for all of them.
      const isFile = error instanceof LogError;
      return { server, is: isFile ? "credentials" : (refusalOf(error) ?? "unreached"), reason: describe(error) };
    }
  });
  const seen = await Promise.all(servers);
  const name = streamName(shard);
  // One with JetStream, if there is one: it knows of the others.
  const nc = connections.find(({ info }) => info?.jetstream === true) ?? connections[0];
  const about = nc === undefined ? { stream: null, freeBytes: null } : await streamOf(nc, name);
  await Promise.all(connections.map((each) => each.close()));
  return { servers: seen, name, ...about };
}

/** Whether a connection without credentials is accepted: tried, because a server may also have a user for those. */
async function isOpenToAll(server: string, { auth, tls }: Pick<NatsServers, "auth" | "tls">): Promise<boolean> {
  if (auth === null) return true;
  try {
    const nc = await tryConnection({ servers: [server], auth: null, tls, node: "check", onlyNamed: true });
    await nc.close();
    return true;
  } catch {
    return false;
  }
}

async function streamOf(nc: NatsConnection, name: string): Promise<Pick<LogSeen, "stream" | "freeBytes">> {
  const { jetstreamManager } = await import("@nats-io/jetstream");
  try {
    const jsm = await jetstreamManager(nc, { timeout: ANSWER_MS, checkAPI: false });
    const { limits, storage, tiers } = await jsm.getAccountInfo();
    // With tiers the limit depends on how often a stream is kept, and those of the account itself say nothing.
    const isLimited = tiers === undefined && limits.max_storage >= 0;
    const freeBytes = isLimited ? limits.max_storage - storage : null;
    return { freeBytes, stream: await infoOf(jsm, name) };
  } catch (error) {
    const isOff =
      error instanceof Error && (error.name === "JetStreamNotEnabled" || /not enabled/u.test(error.message));
    return { stream: { is: isOff ? "disabled" : "unknown", reason: describe(error) }, freeBytes: null };
  }
}

async function infoOf(jsm: JetStreamManager, name: string): Promise<StreamSeen> {
  try {
    const [info, atMs] = await timed(() => jsm.streams.info(name));
    const { cluster, config, ts } = info;
    return {
      is: "there",
      replicas: config.num_replicas,
      isLed: config.num_replicas === 1 || (cluster?.leader ?? "") !== "",
      behind: (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline).map(({ name: of }) => of),
      aheadMs: ts === undefined ? null : Date.parse(ts) - atMs,
    };
  } catch (error) {
    if (isMissing(error)) return { is: "missing" };
    throw error;
  }
}

/** Null: nobody answers there, or it is another server. */
async function monitorOf(server: string, port: number, id: string): Promise<MonitorSeen | null> {
  const address = parseRemote(server);
  if ("error" in address) return null;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  try {
    const [text, atMs] = await timed(async () => {
      const answer = await fetch(`http://${host}:${port}/varz`, { signal: AbortSignal.timeout(MONITOR_MS) });
      return await textOf(answer);
    });
    const said = readJson(text);
    return isObject(said) && said["server_id"] === id ? monitorIn(said, atMs) : null;
  } catch {
    return null;
  }
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MONITOR_BYTES) throw new Error("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function monitorIn(said: Readonly<Record<string, unknown>>, atMs: number): MonitorSeen | null {
  const { now, jetstream } = said;
  const part = (name: string): Readonly<Record<string, unknown>> => {
    const value = isObject(jetstream) ? jetstream[name] : null;
    return isObject(value) ? value : {};
  };
  const { sync_interval: nanos, sync_always: always, max_storage: most } = part("config");
  const { storage } = part("stats");
  if (typeof now !== "string") return null;
  return {
    syncMs: always === true ? 0 : typeof nanos === "number" ? nanos / 1_000_000 : null,
    freeBytes: typeof most === "number" && typeof storage === "number" ? most - storage : null,
    aheadMs: Date.parse(now) - atMs,
  };
}

/** With the time of this machine in the middle of the question, Unix ms. */
async function timed<T>(ask: () => Promise<T>): Promise<readonly [T, number]> {
  const begin = Date.now();
  const answer = await ask();
  return [answer, (begin + Date.now()) / 2];
}
