/**
 * Runs every benchmark of this folder and prints one table. `npm run bench`, or with `-- --smoke` as briefly as
 * possible and without goals; names of modules choose some (`npm run bench -- http stream`). Exits 1 when a goal is
 * missed or something does not work. With `-- --compare`, see compare/compare.ts.
 */
import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { compare } from "./compare/compare.ts";
import { meets, table } from "./lib/print.ts";
import type { Result, Run } from "./lib/result.ts";

if (process.argv.includes("--compare")) process.exit(await compare(process.argv.slice(2)));

const smoke = process.argv.includes("--smoke");
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const modules = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -".ts".length))
  .filter((name) => chosen.length === 0 || chosen.includes(name));

const unknown = chosen.filter((name) => !modules.includes(name));
if (unknown.length > 0) throw new Error(`there is no benchmark called ${unknown.join(", ")}`);

const results: Result[] = [];
for (const name of modules) {
  const begin = performance.now();
  const { run, smokeless = false } = (await import(`./${name}.ts`)) as {
    readonly run: Run;
    readonly smokeless?: boolean;
  };
  if (smoke && smokeless) continue;
  try {
    results.push(await run({ smoke }));
  } catch (error) {
    console.error(error);
    results.push({ name, figures: [], ok: false });
  }
  console.error(`${name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}

console.log(`\nNode ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}\n`);
console.log(table(results, !smoke));
const missed = results.flatMap(({ figures }) => figures.filter((figure) => !meets(figure)));
const broken = results.filter(({ ok }) => !ok);
// Nothing that a benchmark has left running keeps this from ending.
process.exit(broken.length === 0 && (smoke || missed.length === 0) ? 0 : 1);
