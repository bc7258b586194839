import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with those above it, and returns whether there was something to make. Throws what the file system
 * says. Node's own recursive way never ends where the folder above exists and takes none, as /proc.
 */
export function makeFolder(path: string, mode: number): boolean {
  if (isFolder(path)) return false;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
  return true;
}

/**
 * Why no user can make a folder at `path`: a file is in the way, or the file system takes no folders. Null: nothing is
 * known against it.
 */
export function obstacleTo(path: string): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return dirname(path) === path ? null : obstacleTo(dirname(path));
    if (!found.isDirectory()) return `${path} is a file, not a folder`;
    return KERNEL_FILE_SYSTEMS.has(statfsSync(path).type) ? `${path} cannot hold folders` : null;
  } catch {
    // This user may not look there.
    return null;
  }
}

/** /proc and /sys, by the magic numbers of Linux. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9f_a0, 0x62_65_65_72]);

/** The same, and the names of the new folders survive a power cut. */
export function makeDurableFolder(path: string, mode: number): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  makeFolder(path, mode);
  for (const folder of missing) syncFolder(dirname(folder));
}

/** The names in a folder survive a power cut from now on. Windows has no such call, and no need of it. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
