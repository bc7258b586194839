/**
 * `npm run bench -- --compare COMMIT`: builds that commit and this checkout, has both relay the same messages in
 * turns, and prints what ours spends against what it spent: counts of one thread, which a busy machine hardly changes.
 * `--quick`: a POST only, in less than a minute. Without COMMIT: the last release, see `usualBase`. Exits 1 when a
 * POST has become dearer than LIMITS.
 */
import { meets, table } from "../lib/print.ts";
import type { Figure } from "../lib/result.ts";
import { median } from "../lib/stats.ts";
import { withScratch } from "../lib/disk.ts";
import { buildCommit, buildOurs, commitOf, titleOf, usualBase } from "./base.ts";
import { costs, type Effort, idleMemory, type Pair, type Programs, ROWS, type Row } from "./measure.ts";

/** What a POST may cost against the base. */
const LIMITS = { cpu: 1.2, bytes: 1.1 } as const;

const QUICK = { starts: 3, rounds: 15, messages: 400 } as const;
const WHOLE = { starts: 7, rounds: 40, messages: 400 } as const;
const MEMORY_STARTS = 5;

/** Resolves with the exit code. */
export async function compare(args: readonly string[]): Promise<number> {
  const named = args.find((argument) => !argument.startsWith("-"));
  const commit = named === undefined ? usualBase() : commitOf(named);
  if (commit === null) {
    console.log("This is the only commit that git knows here: there is nothing to compare with.");
    return 0;
  }
  const quick = args.includes("--quick");
  return withScratch(async (folder) => {
    const programs = [buildOurs(), buildCommit(commit, folder)] as const;
    const figures = [...(await postFigures(programs, ROWS.post, quick ? QUICK : WHOLE))];
    if (!quick) {
      for (const row of [ROWS.stream, ROWS.gateways]) figures.push(...(await postFigures(programs, row, QUICK)));
      figures.push(...(await memoryFigures(programs)));
    }
    console.log(table([{ name: `this checkout against ${titleOf(commit)}`, figures, ok: true }], true));
    return figures.every(meets) ? 0 : 1;
  });
}

async function postFigures(programs: Programs, row: Row, effort: Effort): Promise<readonly Figure[]> {
  const pairs = await costs(programs, row, effort);
  const limits = row === ROWS.post ? LIMITS : null;
  return [
    { ...ratio(`CPU of ${row.name}`, pairs, "cpuUs"), ...(limits && { goal: { op: "<=", value: limits.cpu } }) },
    { what: "  in this checkout", value: median(pairs.map(([ours]) => ours.cpuUs)), unit: "µs" },
    {
      ...ratio(`bytes allocated for ${row.name}`, pairs, "bytes"),
      ...(limits && { goal: { op: "<=", value: limits.bytes } }),
    },
    { what: "  in this checkout", value: median(pairs.map(([ours]) => ours.bytes)), unit: "bytes" },
  ];
}

const ratio = (what: string, pairs: readonly Pair[], of: "cpuUs" | "bytes"): Figure => ({
  what,
  value: median(pairs.map(([ours, theirs]) => ours[of] / theirs[of])),
  unit: "x",
});

async function memoryFigures(programs: Programs): Promise<readonly Figure[]> {
  const pairs = await idleMemory(programs, MEMORY_STARTS);
  return [
    { what: "idle memory", value: median(pairs.map(([ours, theirs]) => ours / theirs)), unit: "x" },
    { what: "  in this checkout", value: median(pairs.map(([ours]) => ours)), unit: "MiB" },
  ];
}
