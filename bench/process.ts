/** The program by itself: how soon it answers, what it weighs when idle. */
import { setTimeout as delay } from "node:timers/promises";
import { withScratch } from "./lib/disk.ts";
import { runAlone } from "./lib/print.ts";
import { residentKiB, withRialto } from "./lib/proc.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

export async function run({ smoke }: RunOptions): Promise<Result> {
  const starts: number[] = [];
  const resident: number[] = [];
  for (let turn = 0; turn < (smoke ? 1 : 7); turn += 1) {
    await withScratch((folder) =>
      withRialto({ folder }, async ({ pid, startMs }) => {
        starts.push(startMs);
        await delay(smoke ? 100 : 2000);
        resident.push(residentKiB(pid) / 1024);
      }),
    );
  }
  return {
    name: "start and idle",
    figures: [
      {
        what: "from start to the first healthy answer",
        value: median(starts),
        unit: "ms",
        goal: { op: "<=", value: 400 },
      },
      { what: "idle memory", value: median(resident), unit: "MiB", goal: { op: "<=", value: 120 } },
    ],
    ok: true,
  };
}

if (import.meta.main) await runAlone(run);
