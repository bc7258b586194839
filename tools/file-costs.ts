import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { afterAll } from "vitest";

/** What a test file cost. */
export interface FileCosts {
  /** Processes that the file started. Those of `spawnSync`, and those that its processes start, do not count. */
  readonly starts: number;
  /** Processor time of the file and of the processes that it started; 0 without procfs. */
  readonly cpuSeconds: number;
}

declare module "vitest" {
  interface TaskMeta {
    costs?: FileCosts;
  }
}

/** Ticks of proc(5) in a second, which are the same on every Linux. */
const TICKS = 100;
/** In files that share a process: the processor time that belongs to the files before. */
const shared = globalThis as { cpuSecondsBefore?: number };

/** Processor time so far of this process and of its children that have ended. */
function cpuSeconds(): number {
  let stat: string;
  try {
    stat = readFileSync("/proc/self/stat", "utf8");
  } catch {
    return 0;
  }
  // utime, stime, cutime and cstime. The name before them, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

let starts = 0;
const count = (): void => void (starts += 1);
subscribe("child_process", count);
// It runs after all other hooks, because it is the first one.
// oxlint-disable-next-line no-empty-pattern -- vitest insists on a pattern, and this hook needs no fixture
afterAll(({}, { meta }) => {
  unsubscribe("child_process", count);
  const total = cpuSeconds();
  meta.costs = { starts, cpuSeconds: total - (shared.cpuSecondsBefore ?? 0) };
  shared.cpuSecondsBefore = total;
});
