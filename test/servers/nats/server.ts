import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { halted } from "../../support/halted.ts";
import { freePorts } from "../../support/ports.ts";
import { eventually } from "../../support/wait.ts";
import { Child } from "../child.ts";
import { pathOf, type Program } from "../installed.ts";

export type NatsProgram = Extract<Program, `nats-server${string}`>;

/** One of the servers that carry a log. */
interface NatsNode {
  readonly port: number;
  /** Where it is watched, over HTTP. */
  readonly monitorPort: number;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** SIGSTOP; resolves when all its threads stand still, which a busy machine takes a moment for. */
  readonly halt: () => Promise<void>;
  /** Starts it again with its data, when it has ended; with other lines in its configuration, if they are given. */
  readonly start: (more?: string) => Promise<void>;
}

export interface NatsCluster {
  readonly nodes: readonly NatsNode[];
  /** `host:port`, each. */
  readonly servers: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * Starts so many servers, a cluster if they are several, and resolves when each says that it is healthy. `more`: lines
 * for the configuration of each; `program`: of which version they are; `sync`: how often they write to the disk, if not
 * as usual.
 */
export async function startNats(
  count: number,
  more = "",
  { program = "nats-server", sync }: { readonly program?: NatsProgram; readonly sync?: string } = {},
): Promise<NatsCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), "rialto-nats-"));
  const ports = await freePorts(3 * count);
  const routes = ports.slice(2 * count).map((port) => `nats://127.0.0.1:${port}`);
  const children: Child[] = [];
  const nodes = Array.from({ length: count }, (_, index): NatsNode => {
    const [port = 0, http = 0, route = 0] = [0, 1, 2].map((kind) => ports[kind * count + index]);
    const file = path.join(folder, `n${index}.conf`);
    const cluster = `cluster { name: C, listen: "127.0.0.1:${route}", no_advertise: true, routes: [${routes.join(", ")}] }`;
    const configuration = `server_name: n${index}
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${http}"
jetstream { store_dir: "${folder}/js${index}", max_mem: 256MB, max_file: 2GB${sync === undefined ? "" : `, sync_interval: ${sync}`} }
${count > 1 ? cluster : ""}
`;
    const start = async (lines = more): Promise<void> => {
      await children[index]?.exited;
      writeFileSync(file, configuration + lines);
      const child = new Child({ command: [pathOf(program), "-c", file] });
      children[index] = child;
      await eventually(
        async () => child.over || (await isHealthy(http)),
        (is) => is,
        () => `the server to be healthy; it printed:\n${child.output}`,
      );
      if (child.over) throw new Error(`nats-server has ended: ${child.output}`);
    };
    const signal = (name: NodeJS.Signals): void => children[index]?.signal(name);
    const halt = async (): Promise<void> => {
      signal("SIGSTOP");
      await halted(children[index]?.pid ?? 0);
    };
    return { port, monitorPort: http, start, signal, halt };
  });
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, servers: nodes.map(({ port }) => `127.0.0.1:${port}`), stop };
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  } catch {
    return false;
  }
}
