import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { type NatsCluster, startNats } from "../../../test/servers/nats/server.ts";
import { type Proxy, startProxy } from "../../../test/servers/proxy.ts";
import { connectNats } from "../../log/nats/connect.ts";
import { Tunnels } from "./tunnels.ts";

/** One process of a node: its tunnels, over a connection to the servers that can be cut and stalled. */
export interface TunnelNode {
  readonly run: string;
  readonly tunnels: Tunnels;
  readonly proxy: Proxy;
}

export async function oneServer(): Promise<NatsCluster> {
  const cluster = await startNats(1);
  onTestFinished(() => cluster.stop());
  return cluster;
}

export async function tunnelNode(cluster: NatsCluster, { shard = "0", connections = 1000 } = {}): Promise<TunnelNode> {
  const proxy = await startProxy(cluster.nodes[0]?.port ?? 0);
  onTestFinished(() => proxy.stop());
  const run = randomUUID();
  const servers = [`127.0.0.1:${proxy.port}`];
  const nc = await connectNats({ servers, auth: null, tls: null, node: run, onlyNamed: true });
  onTestFinished(() => nc.close());
  const tunnels = new Tunnels({ nc, shard, run, connections });
  await nc.flush();
  onTestFinished(() => tunnels.close());
  return { run, tunnels, proxy };
}
