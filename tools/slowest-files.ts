import { writeFileSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import type { FileCosts } from "./file-costs.ts";

const SHOWN = 10;

interface Measured extends FileCosts {
  readonly file: string;
  readonly seconds: number;
}

/**
 * Says at the end of a run which files took longest, and what all of them cost. `DURATIONS` names a file that gets
 * these numbers of every test file, as lines of JSON in the order of their names.
 */
export class SlowestFiles implements Reporter {
  #vitest: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(measure);
    const say = (line: string): void => this.#vitest?.logger.log(line);
    say("Slowest files:");
    for (const one of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)) say(`  ${lineOf(one)}`);
    const sum = (of: (one: Measured) => number): number => files.reduce((all, one) => all + of(one), 0);
    const all = { seconds: sum(({ seconds }) => seconds), cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds) };
    say(`All files:\n  ${lineOf({ ...all, starts: sum(({ starts }) => starts), file: `${files.length} files` })}`);
    const table = process.env["DURATIONS"];
    if (table === undefined) return;
    const rows = files.toSorted((a, b) => (a.file < b.file ? -1 : 1)).map((one) => `${JSON.stringify(one)}\n`);
    writeFileSync(table, rows.join(""));
  }
}

function measure(module: TestModule): Measured {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
  const ms = duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
  const { starts, cpuSeconds } = module.meta().costs ?? { starts: 0, cpuSeconds: 0 };
  return { file: module.relativeModuleId, seconds: rounded(ms / 1000), cpuSeconds: rounded(cpuSeconds), starts };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

function lineOf({ file, seconds, cpuSeconds, starts }: Measured): string {
  const number = (value: number): string => value.toFixed(1).padStart(7);
  return `${number(seconds)} s,${number(cpuSeconds)} s of processor time,${String(starts).padStart(5)} process starts: ${file}`;
}
