import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Machine } from "./loop.ts";

/**
 * The parts of Node that the log asks behind our back, taken over for one simulation at a time: turns of the event
 * loop, timers that no `Clock` gave, the stopwatch, the free space of the disk. Without one, everything is as Node has
 * it.
 */
let machine: Machine | null = null;
let freeBytes = Infinity;

const real = {
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  statfs: fs.statfsSync,
  now: performance.now.bind(performance),
};

/** The function it gives puts all back. One at a time. */
export function takeOver(next: Machine): () => void {
  if (machine !== null) throw new Error("a simulation runs already");
  machine = next;
  freeBytes = Infinity;
  globalThis.setImmediate = ((task: (...args: unknown[]) => void, ...args: unknown[]) => {
    next.soon(() => task(...args));
    return undefined;
  }) as unknown as typeof setImmediate;
  globalThis.setTimeout = ((task: () => void, ms = 0) => next.after(ms, task)) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((cancel: (() => void) | undefined) => cancel?.()) as unknown as typeof clearTimeout;
  performance.now = () => next.monotonicMs;
  fs.statfsSync = ((...args: Parameters<typeof real.statfs>) => {
    const found = real.statfs(...args);
    return Number.isFinite(freeBytes) ? { bavail: freeBytes, bsize: 1 } : found;
  }) as typeof fs.statfsSync;
  syncBuiltinESMExports();
  return () => {
    machine = null;
    globalThis.setImmediate = real.setImmediate;
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    performance.now = real.now;
    fs.statfsSync = real.statfs;
    syncBuiltinESMExports();
  };
}

/** From now on; Infinity: as it is. */
export function setFreeBytes(bytes: number): void {
  freeBytes = bytes;
}

/** A turn of the real event loop. */
export async function realTurn(): Promise<void> {
  await new Promise<void>((resolve) => void real.setImmediate(resolve));
}
