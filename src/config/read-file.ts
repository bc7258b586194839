import { userInfo } from "node:os";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** What a file holds, or why it cannot be read, to follow "it ". */
export type FileRead =
  | { readonly bytes: Buffer }
  /** `remedy`: null where the path itself may be wrong. */
  | { readonly error: string; readonly missing: boolean; readonly remedy: string | null };

/** Reads a whole file of at most `limit` bytes. Never waits for a writer and never reads what has no end. */
export function readBounded(path: string, limit: number): FileRead {
  let handle: number | null = null;
  try {
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- not every system has it
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(handle);
    if (stats.isDirectory()) return { error: "is a folder, not a file", missing: false, remedy: null };
    if (stats.isFIFO()) return { error: "is a pipe, not a file", missing: false, remedy: null };
    if (!stats.isFile()) return { error: "is a device or a socket, not a file", missing: false, remedy: null };
    const bytes = Buffer.allocUnsafe(Math.min(limit, Math.max(stats.size, LEAST)) + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(handle, bytes, length, bytes.length - length, null);
      if (read === 0) return { bytes: bytes.subarray(0, length) };
      length += read;
    }
    return { error: `is too large; the limit is ${limit} bytes`, missing: false, remedy: null };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return { error: `cannot be read (${code})`, missing: code === "ENOENT", remedy: remedyFor(code) };
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** What to do about a file that the system does not let us read; null: nothing is known. */
export function remedyFor(code: string): string | null {
  if (code !== "EACCES" && code !== "EPERM") return null;
  return `let the user ${userName()} read it (chgrp, chmod 640), and enter its folder`;
}

/** Of the user that the program runs as; in a container it may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.() ?? "");
  }
}

/** Files that say a size of 0 may hold something all the same, as under /proc. */
const LEAST = 64 * 1024;
