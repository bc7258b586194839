import { createHash } from "node:crypto";
import { type FSWatcher, readFileSync, realpathSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Watching {
  /** The content of the file has changed, and nobody has written to it for a while. */
  readonly changed: () => void;
  /** It is no longer watched, or only in part. */
  readonly failed: (why: string) => void;
  /** How long nothing must have happened, in ms; absent: 500. */
  readonly quietMs?: number;
}

export interface FileWatch {
  readonly end: () => void;
  /** The file has this content now (SHA-256, base64): whoever wrote it is not told of it. */
  readonly expect: (digest: string) => void;
}

const QUIET_MS = 500;
/** A file that is written to all the time is read this often. */
const LIMIT_MS = 10_000;

/**
 * Calls back when the content of a file has changed: written in place, replaced under its name as editors do, or
 * reached by another link. It watches the folders, because a file that is replaced is another one. A file that is not
 * there, or cannot be read, is no change; nothing is said about what it held when this was called.
 */
export function watchFile(path: string, { changed, failed, quietMs = QUIET_MS }: Watching): FileWatch {
  const watchers = new Map<string, FSWatcher>();
  let known = digest(path);
  let timer: NodeJS.Timeout | undefined;
  let firstMs: number | null = null;
  let isLinked = false;
  const look = (): void => {
    firstMs = null;
    follow();
    const found = digest(path);
    if (found === null || found === known) return;
    known = found;
    changed();
  };
  const stir = (): void => {
    const now = performance.now();
    firstMs ??= now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(0, Math.min(quietMs, firstMs + LIMIT_MS - now)));
  };
  // With a link, any change may concern the path to the file.
  const concerns = (name: string | null): boolean => name === null || isLinked || name === basename(path);
  const follow = (): void => {
    const folders = foldersOf(path);
    isLinked = linkOf(path) !== path;
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) if (!watchers.has(folder)) begin(folder);
  };
  const begin = (folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (concerns(name)) stir();
      });
      watcher.on("error", (error) => {
        watcher.close();
        watchers.delete(folder);
        failed(error.message);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
    }
  };
  follow();
  return {
    end: () => {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
    expect: (now) => {
      known = now;
    },
  };
}

/** The folder it is in, and the one its link leads to. */
const foldersOf = (path: string): ReadonlySet<string> => new Set([dirname(path), dirname(linkOf(path))]);

function linkOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there now; when it is back, its folder has changed.
    return path;
  }
}

function digest(path: string): string | null {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("base64");
  } catch {
    return null;
  }
}
