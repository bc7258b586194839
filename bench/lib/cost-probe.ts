/**
 * Loaded into the program with `--import`: counts what its main thread spends while a parent looks on.
 * "begin" starts a new count and is answered too; "end" answers it as `Spent` over IPC.
 */
import { GCProfiler, getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

export interface Spent {
  readonly cpuUs: number;
  /** Allocated on the heap, whether it is still in use or not. */
  readonly bytes: number;
}

const used = (): number => getHeapStatistics().used_heap_size;

function count(): () => Spent {
  const profiler = new GCProfiler();
  profiler.start();
  const heap = used();
  const cpu = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(cpu);
    const grown = used() - heap;
    const freed = profiler
      .stop()
      .statistics.map(
        ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
      );
    return { cpuUs: user + system, bytes: freed.reduce((sum, bytes) => sum + bytes, grown) };
  };
}

if (isMainThread && process.send !== undefined) {
  let end = count();
  process.on("message", (command) => {
    if (command === "begin") end = count();
    process.send?.(command === "begin" ? { cpuUs: 0, bytes: 0 } : end());
  });
  process.channel?.unref();
}
