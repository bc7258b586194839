/**
 * Runs every benchmark of this folder and prints one table. `npm run bench`, or with `-- --smoke` as briefly as
 * possible and without goals; names of modules choose some (`npm run bench -- http stream`). Exits 1 when a goal is
 * missed or something does not work. With `-- --compare`, see compare/compare.ts.
 */
import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { compare } from "./compare/compare.ts";
import { meets, table } from "./lib/print.ts";
import type { Result, Run } from "./lib/result.ts";

const modulesOf = (): readonly string[] =>
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && file !== "run.ts")
    .map((file) => file.slice(0, -".ts".length));

if (process.argv.includes("--help")) {
  console.log(`npm run bench -- [--smoke] [NAME…]            all benchmarks, or these: ${modulesOf().join(", ")}
npm run bench -- --compare [--quick] [COMMIT]  what a message costs against another commit
npm run bench -- bystander [--program DIR]… [--case NAME]…
                                               also the builds of other checkouts, in turn; only these cases`);
  process.exit(0);
}
if (process.argv.includes("--compare")) process.exit(await compare(process.argv.slice(2)));

const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: "boolean", default: false },
    program: { type: "string", multiple: true, default: [] },
    case: { type: "string", multiple: true, default: [] },
  },
});
const { smoke, program: programs, case: cases } = values;
const modules = modulesOf().filter((name) => chosen.length === 0 || chosen.includes(name));

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
    results.push(await run({ smoke, programs, cases }));
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
