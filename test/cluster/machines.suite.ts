import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ClusterView, StatusView } from "../../src/admin/views.ts";
import { ask, NotRunning } from "../../src/cli/client.ts";
import { socketPath } from "../../src/http/admin/socket.ts";
import { type Program, startProgram } from "../support/program.ts";

/** The built program as one of several machines, with a data folder of its own, until the test is over. */
export interface Machine {
  readonly program: Program;
  readonly folder: string;
  readonly dataPath: string;
  /** Its configuration. */
  readonly file: string;
}

/** What `rialto cluster status --json` prints; null: the machine does not answer yet. Starts no process for it. */
export async function clusterOf({ dataPath }: Pick<Machine, "dataPath">): Promise<ClusterView | null> {
  try {
    const { status, body } = await ask(socketPath(dataPath), { method: "GET", path: "/api/v1/status" });
    return status === 200 ? ((JSON.parse(body) as StatusView).cluster ?? null) : null;
  } catch (error) {
    if (error instanceof NotRunning) return null;
    throw error;
  }
}

/** `configuration`: TOML, without what only this machine has. */
export function startMachine(node: string, configuration: string, env: Readonly<Record<string, string>> = {}): Machine {
  const folder = mkdtempSync(path.join(os.tmpdir(), `rialto-${node}-`));
  const dataPath = path.join(folder, "data");
  const file = path.join(folder, "rialto.toml");
  writeFileSync(file, configuration);
  const own = { RIALTO_GENERAL_NODE: node, RIALTO_GENERAL_DATAPATH: dataPath };
  const program = startProgram(folder, ["-conf", file], { ...env, ...own });
  onTestFinished(async () => {
    program.child.kill("SIGCONT");
    program.child.kill("SIGKILL");
    await program.exited();
    rmSync(folder, { recursive: true, force: true });
  });
  return { program, folder, dataPath, file };
}
