import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Spent } from "./cost-probe.ts";

const PROBE = pathToFileURL(join(import.meta.dirname, "cost-probe.ts")).href;

/**
 * For the Node of a program whose cost is counted: the probe, and few collections, so that little has to be added from
 * their reports.
 */
export const COST_FLAGS: readonly string[] = [
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--import",
  PROBE,
];

/** What a program started with COST_FLAGS spent while `work` handled so many messages, for each of them. */
export async function spent(program: ChildProcess, messages: number, work: () => Promise<void>): Promise<Spent> {
  await ask(program, "begin");
  await work();
  const { cpuUs, bytes } = await ask(program, "end");
  return { cpuUs: cpuUs / messages, bytes: bytes / messages };
}

async function ask(program: ChildProcess, command: "begin" | "end"): Promise<Spent> {
  const answer = once(program, "message");
  program.send(command);
  const [told] = (await answer) as [Spent];
  return told;
}
