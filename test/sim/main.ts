import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type ClusterEnded, runClusterSeed } from "./cluster/story.ts";
import { Counts, type CountsData } from "./counts.ts";
import { shrink } from "./shrink.ts";
import { type Ended, runSeed } from "./story.ts";

/**
 * `npm run sim -- --seeds N --from S`: runs seeds S to S + N - 1, prints what was done and what broke, and ends with 1
 * when anything did. `--shown N`: so many failing seeds are told with their shortest story. `--cluster`: stories of
 * several nodes that share accounts.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    shown: { type: "string", default: "3" },
    chunk: { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
  },
});

/** Seeds of one process: what a life of the program leaves behind in the engine's memory goes with it. */
const CHUNK = 250;

/** What a chunk tells when it is done: what its stories did, and those that broke. */
interface ChunkResult<C, F> {
  readonly counts: C;
  readonly failed: readonly F[];
  readonly cpuMs: number;
}

type OneMachine = ChunkResult<CountsData, Ended>;
type Machines = ChunkResult<ReadonlyMap<string, number>, ClusterEnded>;

async function runChunk(from: number, seeds: number): Promise<Omit<OneMachine, "cpuMs">> {
  const counts = new Counts();
  const failed: Ended[] = [];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const ended = await runSeed(seed);
    counts.take(ended.counts);
    if (ended.violations.length > 0) failed.push(ended);
  }
  return { counts: counts.data, failed };
}

function runClusterChunk(from: number, seeds: number): Omit<Machines, "cpuMs"> {
  const counts = new Map<string, number>();
  const failed: ClusterEnded[] = [];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const ended = runClusterSeed(seed);
    addAll(counts, ended.counts);
    if (ended.violations.length > 0) failed.push(ended);
  }
  return { counts, failed };
}

async function inChild<R>(from: number, seeds: number): Promise<R> {
  const args = ["--chunk", "--from", String(from), "--seeds", String(seeds), ...(values.cluster ? ["--cluster"] : [])];
  const child = fork(import.meta.filename, args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  return await new Promise((resolve, reject) => {
    let result: R | null = null;
    child.on("message", (message) => {
      result = message as R;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (result !== null) resolve(result);
      else reject(new Error(`the seeds from ${from} on ended with ${signal ?? code}, and no result`));
    });
  });
}

interface Plan {
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
}

/** All seeds, some processes at a time; gives those that broke, in their order. */
async function inChunks<R extends ChunkResult<unknown, { readonly seed: number }>>(
  { from, seeds, jobs }: Plan,
  take: (counts: R["counts"]) => void,
): Promise<R["failed"]> {
  const starts = Array.from({ length: Math.ceil(seeds / CHUNK) }, (_, at) => from + at * CHUNK);
  const failed: R["failed"][number][] = [];
  let [done, cpuMs] = [0, 0];
  const work = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const size = Math.min(CHUNK, from + seeds - start);
      const result = await inChild<R>(start, size);
      take(result.counts);
      failed.push(...result.failed);
      done += size;
      cpuMs += result.cpuMs;
      console.log(`${done} of ${seeds} seeds, ${failed.length} failed, ${(cpuMs / done).toFixed(1)} ms of CPU each`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return failed.sort((a, b) => a.seed - b.seed);
}

async function main(): Promise<number> {
  const [from, seeds, jobs, shown] = [values.from, values.seeds, values.jobs, values.shown].map(Number);
  if (from === undefined || seeds === undefined || jobs === undefined || shown === undefined) return 2;
  if (![from, seeds, jobs].every((number) => Number.isSafeInteger(number) && number > 0)) {
    console.error("--seeds, --from and --jobs are whole numbers above 0");
    return 2;
  }
  const begunMs = Date.now();
  const plan = { from, seeds, jobs };
  const failed = values.cluster ? await clusterSeeds(plan, shown) : await oneMachineSeeds(plan, shown);
  if (failed.length > shown) console.log(`\nall that failed: ${failed.map(({ seed }) => seed).join(" ")}`);
  console.log(
    `${seeds} seeds from ${from}: ${failed.length} failed, in ${Math.round((Date.now() - begunMs) / 1000)} s`,
  );
  return failed.length > 0 ? 1 : 0;
}

async function oneMachineSeeds(plan: Plan, shown: number): Promise<readonly Ended[]> {
  const counts = new Counts();
  const failed = await inChunks<OneMachine>(plan, (more) => counts.take(more));
  table("faults", counts.faults);
  table("invariants checked", counts.checks);
  table("ends of messages", counts.ends);
  for (const each of failed.slice(0, shown)) tell(await shrink(each));
  return failed;
}

async function clusterSeeds(plan: Plan, shown: number): Promise<readonly ClusterEnded[]> {
  const counts = new Map<string, number>();
  const failed = await inChunks<Machines>(plan, (more) => addAll(counts, more));
  table("what was done", counts);
  for (const { seed, what, violations, faults } of failed.slice(0, shown)) {
    console.log(`\nseed ${seed} breaks (${what}):`);
    for (const violation of violations.slice(0, 3)) console.log(`  ${violation.invariant}: ${violation.what}`);
    for (const fault of faults) console.log(`  at ${fault}`);
  }
  return failed;
}

function addAll(counts: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, times] of more) counts.set(name, (counts.get(name) ?? 0) + times);
}

function tell({ seed, steps, violations }: Ended): void {
  console.log(`\nseed ${seed} breaks:`);
  for (const { invariant, what } of violations.slice(0, 3)) console.log(`  ${invariant}: ${what}`);
  console.log("the shortest story found:");
  for (const step of steps) console.log(`  ${JSON.stringify(step)}`);
}

function table(title: string, rows: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`);
  for (const [name, times] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`  ${name.padEnd(34)} ${String(times).padStart(10)}`);
  }
}

if (values.chunk) {
  const [from, seeds] = [Number(values.from), Number(values.seeds)];
  const result = values.cluster ? runClusterChunk(from, seeds) : await runChunk(from, seeds);
  const { user, system } = process.cpuUsage();
  process.send?.({ ...result, cpuMs: (user + system) / 1000 }, () => process.exit(0));
} else {
  process.exitCode = await main();
}
