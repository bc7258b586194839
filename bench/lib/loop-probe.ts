/**
 * Loaded into the program with `--import`: measures how late its event loop is while a parent looks on.
 * "start" begins a new measurement; "report" answers it as `LoopReport` over IPC.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** Lateness of a 1 ms timer, in ms. */
export interface LoopReport {
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION = 1;

if (isMainThread && process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  process.on("message", (command) => {
    if (command === "start") {
      histogram.reset();
      histogram.enable();
      return;
    }
    histogram.disable();
    // The histogram holds the whole time between two ticks, the wanted one included.
    const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION);
    process.send?.({ p99: late(histogram.percentile(99)), max: late(histogram.max) } satisfies LoopReport);
  });
  process.channel?.unref();
}
