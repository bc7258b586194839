import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Durations, type Percentiles } from "./stats.ts";

/** A folder on the disk that is measured, gone after `use`. TMPDIR chooses the disk. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What one small write and its fsync take on this disk, in ms. */
export function measureFsync(folder: string): Percentiles {
  const durations = new Durations();
  const page = Buffer.alloc(4096, "x");
  const file = openSync(join(folder, "fsync-probe"), "w");
  for (let turn = 0; turn < 500; turn += 1) {
    const begin = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    durations.record(performance.now() - begin);
  }
  closeSync(file);
  return durations.percentiles();
}
