import { parseArgs } from "node:util";
import { runHttp } from "./http-run.ts";
import { report, runTarget } from "./runner.ts";
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

const seed = Number(values.seed);
const count = Number(values.count);
const seconds = values.seconds === undefined ? {} : { seconds: Number(values.seconds) };
const known = [...TARGETS.map(({ name }) => name), "http"];
const wanted = positionals.length === 0 ? known : positionals;
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`there is no target ${unknown}; there are ${known.join(", ")}`);

let failed = 0;
for (const name of wanted) failed += name === "http" ? await http() : await inProcess(name);
process.exitCode = failed > 0 ? 1 : 0;

async function inProcess(name: string): Promise<number> {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined) return 0;
  const plan = values.at === undefined ? { seed, count, ...seconds } : { seed, count: 1, from: Number(values.at) };
  const stop = watch(name, seed);
  const ran = await runTarget(target, { ...plan, onTurn: stop.turn });
  stop.end();
  const heap = heapMiB();
  say(
    `${name}: ${ran.inputs} inputs, ${ran.failures.length} failures, slowest ${Math.round(ran.slowestMs)} ms, heap ${heap} MiB\n`,
  );
  say(report(target, seed, ran));
  return ran.failures.length;
}

async function http(): Promise<number> {
  const onProgress = (requests: number): void => say(`http: ${requests} requests so far\n`);
  const ran = await runHttp({ seed, requests: count, ...seconds, onProgress });
  const statuses = [...ran.answers]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([status, times]) => `${status}: ${times}`);
  say(
    `http: ${ran.requests} requests, ${ran.failures.length} failures, ${ran.taken} posts taken, each heard once unless said otherwise\n`,
  );
  say(`  answers ${statuses.join(", ")}\n  memory in MiB ${ran.memory.join(" ")}\n`);
  for (const failure of ran.failures) say(`${failure}\n`);
  return ran.failures.length;
}

function heapMiB(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20);
}

function say(words: string): void {
  process.stdout.write(words);
}
