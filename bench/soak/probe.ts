/**
 * Loaded into the program with `--import`: answers every message over IPC with what it weighs once garbage is collected
 * (needs `--expose-gc`).
 */
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export interface Weight {
  /** MiB after a full collection: the main thread's heap, and what it holds outside of it. */
  readonly heap: number;
  readonly external: number;
  /** Lateness of a 10 ms timer since the last answer, in ms. */
  readonly loopP99: number;
  readonly loopMax: number;
  /**
   * What collecting garbage took of the main thread since the last answer, in ms; collections that were asked for do
   * not count.
   */
  readonly gcMs: number;
}

const RESOLUTION = 10;
const MEBIBYTE = 1024 * 1024;

if (isMainThread && process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION);
  let gcMs = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!isForced(entry)) gcMs += entry.duration;
  }).observe({ entryTypes: ["gc"] });
  process.on("message", () => {
    // What the collection itself takes is not the program's.
    const loop = { loopP99: late(histogram.percentile(99)), loopMax: late(histogram.max), gcMs };
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ heap: heapUsed / MEBIBYTE, external: external / MEBIBYTE, ...loop } satisfies Weight);
    gcMs = 0;
    setImmediate(() => histogram.reset());
  });
  process.channel?.unref();
}

/** `entry`: of a collection. */
function isForced(entry: object): boolean {
  const { flags } = (entry as { readonly detail: { readonly flags: number } }).detail;
  return (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
}
