import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Program, startProgram } from "../support/program.ts";

/** The built program as one of several machines, with a data folder of its own, until the test is over. */
export interface Machine {
  readonly program: Program;
  readonly folder: string;
  readonly dataPath: string;
  /** Its configuration. */
  readonly file: string;
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
