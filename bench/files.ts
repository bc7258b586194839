/** A large file through the media store, in and out: how much memory that takes, and how fast it is. */
import { startChild } from "./lib/child.ts";
import { withScratch } from "./lib/disk.ts";
import type { FilesAnswer, FilesCommand } from "./lib/files.child.ts";
import { runAlone } from "./lib/print.ts";
import type { Result, RunOptions } from "./lib/result.ts";

const MEBIBYTE = 1024 * 1024;

export function run({ smoke }: RunOptions): Promise<Result> {
  return withScratch(async (folder) => {
    const size = smoke ? 8 : 200;
    const child = startChild<FilesCommand, FilesAnswer>("files");
    try {
      const { more, inMs, outMs, read } = await child.ask({ folder, bytes: size * MEBIBYTE });
      return {
        name: `a file of ${size} MiB through the media store`,
        figures: [
          { what: "memory above idle", value: more, unit: "MiB", goal: { op: "<=", value: 40 } },
          { what: "in: taken, hashed, on the disk", value: (size * 1000) / inMs, unit: "MiB/s" },
          { what: "out", value: (size * 1000) / outMs, unit: "MiB/s" },
        ],
        ok: read === size * MEBIBYTE,
      };
    } finally {
      await child.stop();
    }
  });
}

if (import.meta.main) await runAlone(run);
