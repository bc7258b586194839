import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Counts, type CountsData } from "./counts.ts";
import { runClusterSeed } from "./cluster/story.ts";
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

/** What a chunk tells when it is done. */
interface ChunkResult {
  readonly counts: CountsData;
  readonly failed: readonly Ended[];
  readonly cpuMs: number;
}

async function runChunk(from: number, seeds: number): Promise<ChunkResult> {
  const counts = new Counts();
  const failed: Ended[] = [];
  const before = process.cpuUsage();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const ended = await runSeed(seed);
    counts.take(ended.counts);
    if (ended.violations.length > 0) failed.push(ended);
  }
  const { user, system } = process.cpuUsage(before);
  return { counts: counts.data, failed, cpuMs: (user + system) / 1000 };
}

async function inChild(from: number, seeds: number): Promise<ChunkResult> {
  const args = ["--chunk", "--from", String(from), "--seeds", String(seeds)];
  const child = fork(import.meta.filename, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return await new Promise((resolve, reject) => {
    let result: ChunkResult | null = null;
    child.on("message", (message) => {
      result = message as ChunkResult;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (result !== null) resolve(result);
      else reject(new Error(`the seeds from ${from} on ended with ${signal ?? code}, and no result`));
    });
  });
}

async function main(): Promise<number> {
  const [from, seeds, jobs, shown] = [values.from, values.seeds, values.jobs, values.shown].map(Number);
  if (from === undefined || seeds === undefined || jobs === undefined || shown === undefined) return 2;
  if (![from, seeds, jobs].every((number) => Number.isSafeInteger(number) && number > 0)) {
    console.error("--seeds, --from and --jobs are whole numbers above 0");
    return 2;
  }
  if (values.cluster) return clusterSeeds(from, seeds, shown);
  const starts = Array.from({ length: Math.ceil(seeds / CHUNK) }, (_, at) => from + at * CHUNK);
  const counts = new Counts();
  const failed: Ended[] = [];
  let [done, cpuMs] = [0, 0];
  const begunMs = Date.now();
  const work = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const size = Math.min(CHUNK, from + seeds - start);
      const result = await inChild(start, size);
      counts.take(result.counts);
      failed.push(...result.failed);
      done += size;
      cpuMs += result.cpuMs;
      console.log(`${done} of ${seeds} seeds, ${failed.length} failed, ${(cpuMs / done).toFixed(1)} ms of CPU each`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  table("faults", counts.faults);
  table("invariants checked", counts.checks);
  table("ends of messages", counts.ends);
  for (const each of failed.slice(0, shown)) tell(await shrink(each));
  if (failed.length > shown) console.log(`\nall that failed: ${failed.map(({ seed }) => seed).join(" ")}`);
  console.log(`${done} seeds from ${from}: ${failed.length} failed, in ${Math.round((Date.now() - begunMs) / 1000)} s`);
  return failed.length > 0 ? 1 : 0;
}

function clusterSeeds(from: number, seeds: number, shown: number): number {
  const counts = new Map<string, number>();
  const failed: number[] = [];
  const begunMs = Date.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const ended = runClusterSeed(seed);
    for (const [name, times] of ended.counts) counts.set(name, (counts.get(name) ?? 0) + times);
    if (seed % 250 === 0) console.log(`${seed - from + 1} of ${seeds} seeds, ${failed.length} failed`);
    if (ended.violations.length === 0) continue;
    failed.push(seed);
    if (failed.length > shown) continue;
    console.log(`\nseed ${seed} breaks (${ended.what}):`);
    for (const { invariant, what } of ended.violations.slice(0, 3)) console.log(`  ${invariant}: ${what}`);
    for (const fault of ended.faults) console.log(`  at ${fault}`);
  }
  table("what was done", counts);
  if (failed.length > shown) console.log(`\nall that failed: ${failed.join(" ")}`);
  const seconds = Math.round((Date.now() - begunMs) / 1000);
  console.log(`${seeds} seeds from ${from}: ${failed.length} failed, in ${seconds} s`);
  return failed.length > 0 ? 1 : 0;
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
  const result = await runChunk(Number(values.from), Number(values.seeds));
  process.send?.(result, () => process.exit(0));
} else {
  process.exitCode = await main();
}
