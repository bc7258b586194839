import { randomBytes } from "node:crypto";
import { accessSync, constants, linkSync, readFileSync, realpathSync, renameSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A larger configuration is edited with another program, not over the network. */
export const BYTES_MAX = 1024 * 1024;
/** The mark of the byte order, which a file may begin with. */
export const BOM = "\uFEFF";

/** What came of writing the configuration. */
export type FileWritten =
  | { readonly is: "written" }
  /** Somebody else has written it meanwhile. */
  | { readonly is: "changed" }
  /** `why`: a sentence for people. */
  | { readonly is: "refused"; readonly why: string };

const WRITABLE = 0o222;

/** Why a file cannot be replaced by us, for people; null: it can, as far as can be seen. */
export function whyNotOurs(path: string): string | null {
  try {
    const file = realpathSync(path);
    const folder = dirname(file);
    const { mode, uid } = statSync(file);
    const us = process.geteuid?.();
    if (us !== undefined && us !== 0 && uid !== us) return `${file} belongs to another user (${uid})`;
    // Root may write it all the same, and has been told not to.
    if ((mode & WRITABLE) === 0) return `${file} is read-only`;
    if ((statSync(folder).mode & WRITABLE) === 0) return `the folder ${folder} is read-only`;
    accessSync(file, constants.W_OK);
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${reasonOf(error)}`;
  }
}

/**
 * Replaces the content of a file by one that is whole on the disk before it has the name; mode and owner stay, and what
 * a link leads to is what is replaced. Nothing is changed unless it still holds `old`. `written` is called in the turn
 * in which it has the name. Never rejects.
 */
export async function replaceFile(
  path: string,
  bytes: Buffer,
  { old, written }: { readonly old: Buffer; readonly written: () => void },
): Promise<FileWritten> {
  const why = whyNotOurs(path);
  if (why !== null) return { is: "refused", why };
  let beside: string | null = null;
  try {
    const file = realpathSync(path);
    const folder = dirname(file);
    beside = join(folder, `.${basename(file)}.${randomBytes(6).toString("hex")}`);
    await writeWhole(beside, bytes, statSync(file));
    if (!readFileSync(file).equals(old)) return { is: "changed" };
    renameSync(beside, file);
    beside = null;
    written();
    await flush(folder);
    return { is: "written" };
  } catch (error) {
    return { is: "refused", why: `${path} cannot be replaced: ${reasonOf(error)}` };
  } finally {
    if (beside !== null) await rm(beside, { force: true }).catch(() => undefined);
  }
}

/**
 * Creates a file that only its owner can read. The file is whole on the disk before it gets its name, and an existing
 * file is never overwritten. `written` as for `replaceFile`. Never rejects. Resolves with the reason of a failure, for
 * people, or null.
 */
export async function createFile(path: string, bytes: Buffer, written: () => void): Promise<string | null> {
  const folder = dirname(path);
  const beside = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    await writeWhole(beside, bytes, null);
    // Unlike a rename, it fails where there is a file of this name.
    linkSync(beside, path);
    written();
    await flush(folder);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${reasonOf(error)}`;
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

interface Likeness {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** `like`: null for a file of this process alone. */
async function writeWhole(path: string, bytes: Buffer, like: Likeness | null): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    if (like !== null) {
      const { mode, uid, gid } = like;
      const made = await handle.stat();
      if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid);
      await handle.chmod(mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Not every file system lets a folder be synced. */
async function flush(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The name is there; it may be the old one again after a power cut.
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return REASONS[code] ?? code;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "its owner or mode cannot be kept",
  EROFS: "the file system is read-only",
  EBUSY: "the file is mounted by itself; mount its folder instead",
  ENOSPC: "the disk is full",
  ENOENT: "it is not there",
  EEXIST: "there is a file of that name already",
};
