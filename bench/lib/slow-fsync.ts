import { spawnSync } from "node:child_process";
import { join } from "node:path";

/**
 * Environment under which a program's every fsync takes `ms` longer. Builds the shim into `folder` with `cc`.
 * Throws where that cannot be done, saying what is missing.
 */
export function slowFsync(folder: string, ms: number): Readonly<Record<string, string>> {
  const source = join(import.meta.dirname, "../slow-fsync/slow-fsync.c");
  const library = join(folder, "slow-fsync.so");
  const { error, status, stderr } = spawnSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], {
    encoding: "utf8",
  });
  if (error !== undefined) {
    const how = "install one (Debian and Ubuntu: apt-get install gcc libc6-dev)";
    throw new Error(`the slow disk needs a C compiler, and cc does not start (${error.message}): ${how}`);
  }
  if (status !== 0)
    throw new Error(`cc could not build the slow disk (Linux with glibc or musl is needed):\n${stderr}`);
  return { LD_PRELOAD: library, SLOW_FSYNC_MS: String(ms) };
}
