/** How late the event loop is while the disk takes 100 ms to confirm a write. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { withScratch } from "./lib/disk.ts";
import { startLoad } from "./lib/load.ts";
import type { LoopReport } from "./lib/loop-probe.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, withRialto } from "./lib/proc.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { slowFsync } from "./lib/slow-fsync.ts";

const FSYNC_MS = 100;
const probe = join(import.meta.dirname, "lib/loop-probe.ts");

export function run({ smoke }: RunOptions): Promise<Result> {
  return withScratch((folder) =>
    withRialto({ folder, execArgv: ["--import", probe], env: slowFsync(folder, FSYNC_MS) }, async (rialto) => {
      const load = startLoad();
      try {
        const body = messageBody(GATEWAY, 200);
        rialto.process.send("start");
        const posted = await load.ask({ port: rialto.poster, body, connections: 32, seconds: smoke ? 0.6 : 15 });
        const loop = await report(rialto.process);
        return {
          name: `a disk with ${FSYNC_MS} ms per fsync`,
          figures: [
            { what: "event-loop delay, p99", value: loop.p99, unit: "ms", goal: { op: "<=", value: 10 } },
            { what: "event-loop delay, longest", value: loop.max, unit: "ms" },
            { what: "POST at 32 connections, p50", value: posted.latency.p50, unit: "ms" },
            { what: "durable POSTs", value: posted.accepted / posted.seconds, unit: "/s" },
          ],
          // A POST that is faster than the disk can be was answered before it was durable, or the disk was not slow.
          ok: posted.refused === 0 && posted.latency.p50 >= FSYNC_MS,
        };
      } finally {
        await load.stop();
      }
    }),
  );
}

async function report(child: ChildProcess): Promise<LoopReport> {
  const answer = once(child, "message");
  child.send("report");
  const [loop] = (await answer) as [LoopReport];
  return loop;
}

if (import.meta.main) await runAlone(run);
