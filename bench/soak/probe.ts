/** Loaded into the program with `--import`: answers every message over IPC with what it weighs once garbage is collected (needs `--expose-gc`). */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export interface Weight {
  /** MiB after a full collection: the main thread's heap, and what it holds outside of it. */
  readonly heap: number;
  readonly external: number;
  /** Lateness of a 10 ms timer since the last answer, in ms. */
  readonly loopP99: number;
  readonly loopMax: number;
}

const RESOLUTION = 10;
const MEBIBYTE = 1024 * 1024;

if (isMainThread && process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION);
  process.on("message", () => {
    // What the collection itself takes is not the program's.
    const loop = { loopP99: late(histogram.percentile(99)), loopMax: late(histogram.max) };
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed / MEBIBYTE, external: external / MEBIBYTE, ...loop } satisfies Weight);
    setImmediate(() => histogram.reset());
  });
  process.channel?.unref();
}
