import { parseArgs } from "node:util";
import { growthOf, type Moment } from "./growth.ts";
import { runHttp, type Weighed } from "./http-run.ts";
import { report, runTarget } from "./runner.ts";
import type { Surface } from "./surface.ts";
import { SURFACES } from "./surfaces.ts";
import { TARGETS } from "./targets/all.ts";
import { watch } from "./watch.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    at: { type: "string" },
    seconds: { type: "string" },
  },
});

/** No sound input takes a tenth of it. */
const SLOW_MS = 3_000;

/**
 * MiB of the heap for 10 000 inputs, in the second half of a run of which that has so many: 500 bytes for each, where
 * one that is not let go of takes thousands.
 */
const GROWTH_MAX = 5;
const JUDGED_FROM = 5_000;

const seed = Number(values.seed);
const count = Number(values.count);
const seconds = values.seconds === undefined ? {} : { seconds: Number(values.seconds) };
const known = [...TARGETS.map(({ name }) => name), ...SURFACES.keys()];
const wanted = positionals.length === 0 ? known : positionals;
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`there is no target ${unknown}; there are ${known.join(", ")}`);

let failed = 0;
for (const name of wanted) {
  const surface = SURFACES.get(name);
  failed += surface === undefined ? await inProcess(name) : await asked(name, surface);
}
process.exitCode = failed > 0 ? 1 : 0;

async function inProcess(name: string): Promise<number> {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined) return 0;
  const plan = values.at === undefined ? { seed, count, ...seconds } : { seed, count: 1, from: Number(values.at) };
  const stop = watch(name, seed);
  const moments: Moment[] = [];
  const begin = plan.from ?? 0;
  const onTurn = (turn: number): void => {
    stop.turn(turn);
    if ((turn - begin) % Math.ceil(count / 10) === 0) moments.push({ given: turn - begin, heap: heapMiB() });
  };
  const ran = await runTarget(target, { ...plan, slowMs: SLOW_MS, onTurn });
  stop.end();
  moments.push({ given: ran.inputs, heap: heapMiB() });
  const growth = growthOf(moments, 10_000, JUDGED_FROM);
  const heaps = moments.map(({ heap }) => heap.toFixed(1)).join(" ");
  say(`${name}: ${ran.inputs} inputs, ${ran.failures.length} failures, slowest ${Math.round(ran.slowestMs)} ms\n`);
  say(`  heap in MiB ${heaps}${growth === null ? "" : `; ${growth.toFixed(2)} for each 10 000 inputs at the end`}\n`);
  say(report(target, seed, ran));
  const grows = growth !== null && growth > GROWTH_MAX;
  if (grows) say(`${name} --seed ${seed}: the heap grows\n`);
  return ran.failures.length + (grows ? 1 : 0);
}

/** The whole program. */
async function asked(name: string, surface: Surface): Promise<number> {
  const onProgress = ({ given, heap, external, resident, descriptors }: Weighed): void =>
    say(
      `${name}: ${given} requests so far; heap ${heap.toFixed(1)}, outside of it ${external.toFixed(1)}, resident ${resident.toFixed(0)} MiB; ${descriptors} descriptors\n`,
    );
  const ran = await runHttp({ surface, seed, requests: count, ...seconds, onProgress });
  const statuses = [...ran.answers]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([status, times]) => `${status}: ${times}`);
  say(
    `${name}: ${ran.requests} requests, ${ran.failures.length} failures, ${ran.taken} posts taken, each heard once unless said otherwise\n`,
  );
  say(`  answers ${statuses.join(", ")}\n`);
  for (const failure of ran.failures) say(`${failure}\n`);
  return ran.failures.length;
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function say(words: string): void {
  process.stdout.write(words);
}
