import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ClusterView } from "../../../src/admin/views.ts";
import { connectNats } from "../../../src/log/nats/connect.ts";
import { type NatsCluster, startNats } from "../../servers/nats/server.ts";
import { startProxy } from "../../servers/proxy.ts";
import { freePorts } from "../../support/ports.ts";
import { eventually } from "../../support/wait.ts";
import { configuration, Kept, openTown, type Town } from "../harness.ts";
import { mountSmallDisk } from "../small-disk.ts";
import { Machine } from "./machine.ts";

const MACHINES = 3;
const SERVERS = 3;
const STREAM = "RIALTO_0";
/** For all to be run, and by whoever is to run it. */
const SETTLE_MS = 120_000;
/** Accounts are moved one a second, to machines that have lived for ten. */
const MOVED_MS = 13_000;

/** Three machines of Rialto, three servers of NATS with a wire to each from each of them, and a town. */
export class Cluster {
  readonly machines: readonly Machine[];
  readonly nats: NatsCluster;
  readonly town: Town;
  readonly #kept: Kept;

  constructor(parts: Pick<Cluster, "machines" | "nats" | "town">, kept: Kept) {
    this.machines = parts.machines;
    this.nats = parts.nats;
    this.town = parts.town;
    this.#kept = kept;
  }

  /** The machines as one of them sees them. Rejects when none answers. */
  async view(): Promise<ClusterView> {
    for (const machine of this.machines) {
      const view = machine.lives ? await machine.view() : null;
      if (view?.hasVoice === true) return view;
    }
    throw new Error("no machine says who runs what");
  }

  /** Which accounts a machine runs. */
  async heldBy({ name }: Machine): Promise<readonly string[]> {
    const { accounts } = await this.view();
    return accounts.filter(({ node }) => node === name).map(({ account }) => account);
  }

  /** How often each account has changed hands. */
  async epochs(): Promise<ReadonlyMap<string, number>> {
    const { accounts } = await this.view();
    return new Map(accounts.map(({ account, epoch }) => [account, epoch]));
  }

  /** The machine that runs most. */
  async busiest(): Promise<Machine> {
    const { nodes } = await this.view();
    const [most] = [...nodes].sort((a, b) => b.accounts - a.accounts);
    return this.#machine(most?.name ?? "");
  }

  /** Resolves when all machines live, each account is run, and none of them is about to be moved. */
  async settled(): Promise<void> {
    const seen: { text: string; sinceMs: number } = { text: "", sinceMs: 0 };
    await eventually(
      async () => {
        const view = await this.view().catch(() => null);
        const names = new Set(view?.nodes.map(({ name }) => name));
        const isWhole = view !== null && names.size === MACHINES;
        const isRun = view?.accounts.every(({ node }) => node !== null && names.has(node)) === true;
        const text = isWhole && isRun ? JSON.stringify(view.accounts) : "";
        if (text !== seen.text) Object.assign(seen, { text, sinceMs: performance.now() });
        await new Promise((resolve) => setTimeout(resolve, 200));
        return text !== "" && performance.now() - seen.sinceMs > MOVED_MS;
      },
      Boolean,
      () => `all accounts to be run by three machines: ${seen.text}`,
      SETTLE_MS,
    );
  }

  /** Index of the server that leads the stream. */
  async leader(): Promise<number> {
    const nc = await connectNats({ servers: this.nats.servers, node: "faults", auth: null, tls: null });
    try {
      const { jetstreamManager } = await import("@nats-io/jetstream");
      const jsm = await jetstreamManager(nc);
      const { cluster } = await jsm.streams.info(STREAM);
      const at = Number(cluster?.leader?.slice(1));
      if (!(at >= 0 && at < SERVERS)) throw new Error(`no server leads ${STREAM}: ${JSON.stringify(cluster)}`);
      return at;
    } finally {
      await nc.close();
    }
  }

  /** What ended although nobody had ended it. */
  get crashes(): readonly string[] {
    return this.machines.flatMap(({ crashes }) => crashes);
  }

  async end(): Promise<void> {
    await this.#kept.end();
  }

  #machine(name: string): Machine {
    const found = this.machines.find((machine) => machine.name === name);
    if (found === undefined) throw new Error(`no machine is called "${name}"`);
    return found;
  }
}

/** Resolves when all of it runs. */
export async function openCluster(): Promise<Cluster> {
  const kept = new Kept();
  try {
    const town = await openTown(kept);
    const nats = await kept.keep(startNats(SERVERS), async (one) => await one.stop());
    const file = path.join(town.folder, "rialto.toml");
    writeFileSync(file, configuration(town.proxies, `Log = "nats://127.0.0.1:1"`));
    const ports = await freePorts(2 * MACHINES);
    const machines: Machine[] = [];
    for (let index = 0; index < MACHINES; index += 1) {
      const wires = [];
      for (const { port } of nats.nodes) {
        wires.push(await kept.keep(startProxy(port), async (proxy) => await proxy.stop()));
      }
      const own = { writer: ports[2 * index] ?? 0, reader: ports[2 * index + 1] ?? 0 };
      const disk = await kept.keep(mountSmallDisk(), async (one) => await one.stop());
      const options = { name: `n${index + 1}`, disk, file, wires, ports: own };
      const machine = await kept.keep(Promise.resolve(new Machine(options)), async (one) => {
        one.signal("SIGCONT");
        await one.kill();
      });
      await machine.start();
      machines.push(machine);
    }
    return new Cluster({ machines, nats, town }, kept);
  } catch (error) {
    await kept.end();
    throw error;
  }
}
