import type { Figure, Result, Run } from "./result.ts";

/** Whether a figure keeps its promise; true without one. A figure that could not be measured (NaN) keeps none. */
export function meets({ value, goal }: Figure): boolean {
  if (goal === undefined) return true;
  return goal.op === "<=" ? value <= goal.value : value >= goal.value;
}

/** Results as one table for people; `goals`: with what was promised, and whether it is kept. */
export function table(results: readonly Result[], goals: boolean): string {
  const rows = results.flatMap(({ name, figures, ok }) => [
    [ok ? name : `${name}: did not work`, "", "", ""],
    ...figures.map((figure) => [
      `  ${figure.what}`,
      `${round(figure.value)} ${figure.unit}`,
      goals ? goalOf(figure) : "",
      goals ? verdict(figure) : "",
    ]),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([what = "", value = "", goal = "", met = ""]) =>
      `${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${goal.padEnd(widths[2] ?? 0)}  ${met}`.trimEnd(),
    )
    .join("\n");
}

function goalOf({ goal }: Figure): string {
  return goal === undefined ? "" : `${goal.op} ${round(goal.value)}`;
}

function verdict(figure: Figure): string {
  if (figure.goal === undefined) return "";
  return meets(figure) ? "met" : "MISSED";
}

/** Three digits that mean something, no more; thousands whole. */
function round(value: number): string {
  if (!Number.isFinite(value)) return "not measured";
  if (Math.abs(value) >= 100)
    return Math.round(value)
      .toString()
      .replaceAll(/\B(?=(?:\d{3})+$)/g, " ");
  return Number(value.toPrecision(3)).toString();
}

/** What `node bench/<one>.ts [--smoke]` does: runs one benchmark and prints its table. */
export async function runAlone(run: Run): Promise<void> {
  const smoke = process.argv.includes("--smoke");
  const result = await run({ smoke });
  console.log(table([result], !smoke));
  process.exitCode = result.ok && (smoke || result.figures.every(meets)) ? 0 : 1;
}
