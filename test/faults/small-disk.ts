import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, statfs, unlink, writeFile } from "node:fs/promises";
import { appendFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { within } from "../support/wait.ts";

const SIZE_MIB = 64;
const MEBIBYTE = 1024 * 1024;

/** A file system of its own in memory, small enough to be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills it until no more than so many MiB are left; 0: not a byte. */
  readonly fillTo: (mebibytes: number) => Promise<void>;
  readonly free: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Whoever holds its standard input holds the mount: it goes when this process goes, however that happens. */
const HOLD = `mount -t tmpfs -o size=${SIZE_MIB}m,mode=700 rialto-faults "$0" && echo mounted && cat >/dev/null; umount -l "$0"`;

/** Rejects where this process may not mount: that needs root. */
export async function mountSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-small-disk-"));
  const holder = spawn("/bin/sh", ["-c", HOLD, folder], { stdio: ["pipe", "pipe", "pipe"] });
  const said: string[] = [];
  const mounted = Promise.withResolvers<boolean>();
  holder.stdout.on("data", () => mounted.resolve(true));
  holder.stderr.on("data", (part: Buffer) => said.push(part.toString()));
  const ended = once(holder, "close").then(() => mounted.resolve(false));
  if (!(await within(mounted.promise, () => "a tmpfs"))) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`a disk that can be filled needs root and the right to mount a tmpfs: ${said.join("")}`);
  }
  const ballast = path.join(folder, "ballast");
  return {
    folder,
    fillTo: async (mebibytes) => {
      const { bavail, bsize } = await statfs(folder);
      const bytes = bavail * bsize - mebibytes * MEBIBYTE;
      if (mebibytes > 0) await writeFile(ballast, Buffer.alloc(Math.max(0, bytes)), { flag: "a" });
      else fillUp(ballast);
    },
    free: async () => await unlink(ballast),
    stop: async () => {
      holder.stdin.end();
      await within(ended, () => "the end of the tmpfs");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Until not even one more page is taken. */
function fillUp(file: string): void {
  for (const bytes of [MEBIBYTE, 4096]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}
