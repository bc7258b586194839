import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Eviction } from "./eviction.ts";

interface Kept {
  /** The SHA-256 that its two levels have. */
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
  readonly usedAtMs: number;
}

interface SweepLimits {
  /** What was last used before this goes, Unix ms. */
  readonly beforeMs: number;
  readonly bytesMax: number;
  readonly countMax: number;
  /** Asked when the rest is over a limit: what has the lowest rank goes first. */
  readonly eviction: Pick<Eviction, "ranking">;
  /** Asked now and then: whether to leave off. */
  readonly stopped: () => boolean;
}

/** What a folder holds. */
export interface Holding {
  /** As it takes room on a disk. */
  readonly bytes: number;
  readonly count: number;
}

/** What a file takes at least, whatever it holds. */
const BLOCK_BYTES = 4096;
/** What is over a limit goes down to this share of it, or each further file would be a sweep of its own. */
const ROOM = 0.9;

const ENTRIES_MAX = 200_000;
export const CONTENTS_MAX = 200_000;

/** Removes what is too old of contents and of what is known of files; resolves to the contents that stay. */
export async function sweepStore(folder: string, limits: Omit<SweepLimits, "countMax">): Promise<Holding> {
  const holding = await sweep(join(folder, "content"), { ...limits, countMax: CONTENTS_MAX });
  const eviction = { ranking: () => Promise.resolve(() => 0) };
  await sweep(join(folder, "index"), { ...limits, bytesMax: Infinity, countMax: ENTRIES_MAX, eviction });
  return holding;
}

/** What a content of this length takes on a disk. */
export function roomOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/**
 * Removes what is too old from the two levels of a folder, then, when the rest is over a limit, what ranks lowest, and
 * of equal ranks the longest unused. Resolves to what stays. What cannot be read or removed stays, and the next sweep
 * sees it again.
 */
export async function sweep(folder: string, limits: SweepLimits): Promise<Holding> {
  const { beforeMs, stopped } = limits;
  const files = (await list(folder, stopped)).sort((a, b) => a.usedAtMs - b.usedAtMs);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  let count = files.length;
  const remove = async (file: Kept): Promise<void> => {
    if (!(await removed(file))) return;
    bytes -= file.bytes;
    count -= 1;
  };
  const firstKept = files.findIndex(({ usedAtMs }) => usedAtMs >= beforeMs);
  const kept = firstKept < 0 ? [] : files.splice(firstKept);
  for (const file of files) if (!stopped()) await remove(file);
  if (bytes <= limits.bytesMax && count <= limits.countMax) return { bytes, count };
  // The newest goes last. It may be nearly as large as all that is allowed.
  const newest = kept.pop();
  const bytesMax = Math.max(limits.bytesMax * ROOM, Math.min(limits.bytesMax, newest?.bytes ?? 0));
  const countMax = limits.countMax * ROOM;
  for (const file of [...(await ranked(kept, limits)), ...(newest === undefined ? [] : [newest])]) {
    if (stopped() || (bytes <= bytesMax && count <= countMax)) break;
    await remove(file);
  }
  return { bytes, count };
}

/** The first goes first. */
async function ranked(files: readonly Kept[], { eviction }: Pick<SweepLimits, "eviction">): Promise<readonly Kept[]> {
  const rank = await eviction.ranking();
  const all = files.map((file) => ({ file, rank: rank(file.sha256) }));
  return all.sort((a, b) => a.rank - b.rank || a.file.usedAtMs - b.file.usedAtMs).map(({ file }) => file);
}

async function list(folder: string, stopped: () => boolean): Promise<Kept[]> {
  const files: Kept[] = [];
  for (const shelf of await readdir(folder).catch(() => [])) {
    for (const name of await readdir(join(folder, shelf)).catch(() => [])) {
      if (stopped()) return files;
      const path = join(folder, shelf, name);
      const facts = await stat(path).catch(() => null);
      if (facts?.isFile() === true) {
        files.push({ sha256: shelf + name, path, bytes: roomOf(facts.size), usedAtMs: facts.mtimeMs });
      }
    }
  }
  return files;
}

/** Not what somebody has used since it was listed. */
async function removed({ path, usedAtMs }: Kept): Promise<boolean> {
  try {
    if ((await stat(path)).mtimeMs !== usedAtMs) return false;
    await rm(path);
    return true;
  } catch {
    return false;
  }
}
