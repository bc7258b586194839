import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "./wait.ts";

/** Resolves when all threads of a process that was sent SIGSTOP stand still. */
export async function halted(pid: number): Promise<void> {
  await eventually(
    () => Promise.resolve(statesOf(pid)),
    (states) => states.every((state) => state === "T"),
    () => `all threads of the process ${pid} to stand still`,
  );
}

/** How each thread of a process is, in the letters of proc(5). */
function statesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/task`;
  // The name before it, in parentheses, may hold anything.
  return readdirSync(folder).map((task) => /\) (\S)/u.exec(readFileSync(`${folder}/${task}/stat`, "utf8"))?.[1] ?? "");
}
