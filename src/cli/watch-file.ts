import { createHash } from "node:crypto";
import { type FSWatcher, realpathSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { CONFIG_BYTES_MAX } from "../config/load.ts";
import { readBounded } from "../config/read-file.ts";

export interface Watching {
  /** The file has another content or cannot be read any more, and nothing has written to it for a while. */
  readonly changed: () => void;
  /** It is no longer watched, or only in part. */
  readonly failed: (why: string) => void;
  /** How long nothing must have happened, in ms; absent: 500. */
  readonly quietMs?: number;
  /** After how many ms a file that cannot be read is looked for again; absent: 2000. */
  readonly againMs?: number;
}

export interface FileWatch {
  readonly end: () => void;
  /** The file has this content now (SHA-256, base64): whoever wrote it is not told of it. */
  readonly expect: (digest: string) => void;
}

const QUIET_MS = 500;
/** A file that is written to all the time is read this often. */
const LIMIT_MS = 10_000;
const AGAIN_MS = 2_000;

/**
 * Calls back when the content of a file has changed: written in place, replaced under its name as editors do, reached
 * by another link, removed, made unreadable, or readable again. The content that the file has now is no change.
 */
export function watchFile(path: string, watching: Watching): FileWatch {
  const { changed, failed, quietMs = QUIET_MS, againMs = AGAIN_MS } = watching;
  // The caller could read the file. If it cannot be read by now, that is a change.
  let known: string | null = digest(path) ?? "";
  let timer: NodeJS.Timeout | undefined;
  let firstMs: number | null = null;
  const look = (): void => {
    firstMs = null;
    folders.open();
    const found = digest(path);
    // The folder may be gone as well. Then no event reports that the file is back.
    if (found === null) timer = setTimeout(look, againMs).unref();
    if (found === known) return;
    known = found;
    changed();
  };
  const stir = (): void => {
    const now = performance.now();
    firstMs ??= now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(0, Math.min(quietMs, firstMs + LIMIT_MS - now)));
  };
  const folders = watchFolders(path, { stir, failed });
  folders.open();
  if (known === "") stir();
  return {
    end: () => {
      clearTimeout(timer);
      folders.close();
    },
    expect: (now) => {
      known = now;
    },
  };
}

interface Folders {
  /** Watches the folders that have these names now. */
  readonly open: () => void;
  readonly close: () => void;
}

/** Watches the folders of a file and not the file, because a file that is replaced is another one. */
function watchFolders(
  path: string,
  { stir, failed }: Pick<Watching, "failed"> & { readonly stir: () => void },
): Folders {
  const watchers = new Set<FSWatcher>();
  /** Folders that cannot be watched, so that each is reported once. */
  const unwatched = new Set<string>();
  const report = (folder: string, error: unknown): void => {
    if (unwatched.has(folder)) return;
    unwatched.add(folder);
    failed(error instanceof Error ? error.message : String(error));
  };
  const begin = (folder: string, isLinked: boolean): void => {
    // With a link, any change may concern the path to the file. A change of the folder itself has the folder's name.
    const concerns = (name: string | null): boolean =>
      name === null || isLinked || name === basename(path) || name === basename(folder);
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (concerns(name)) stir();
      });
      watcher.on("error", (error) => {
        watcher.close();
        report(folder, error);
      });
      watchers.add(watcher);
      unwatched.delete(folder);
    } catch (error) {
      report(folder, error);
    }
  };
  const close = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers.clear();
  };
  const open = (): void => {
    // Another folder may have taken the name of one that is watched.
    close();
    const isLinked = linkOf(path) !== path;
    for (const folder of foldersOf(path)) begin(folder, isLinked);
  };
  return { open, close };
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

/** Null: the file cannot be read. */
function digest(path: string): string | null {
  const read = readBounded(path, CONFIG_BYTES_MAX);
  return "error" in read ? null : createHash("sha256").update(read.bytes).digest("base64");
}
