import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { passed } from "../lib/garbage.ts";

/** Puts a small file in place, whole or not at all, safe from a power cut. `temporary` is on the same disk. */
export async function writeWhole(path: string, temporary: string, content: string | Uint8Array): Promise<void> {
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await moveInto(path, temporary);
}

/** Gives a finished file its name for good. */
export async function moveInto(path: string, temporary: string): Promise<void> {
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Makes folders whose names survive a power cut. */
export class DurableFolders {
  /** Synced in the life of this program: another file may be on its way into a folder that is not yet. */
  readonly #synced = new Set<string>();

  async make(path: string): Promise<void> {
    if (this.#synced.has(path)) return;
    const first = (await mkdir(path, { recursive: true, mode: 0o700 })) ?? path;
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder));
    this.#synced.add(path);
  }
}

/** The names in it survive a power cut from now on. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Small, because what has been handed out stays in memory until the collector comes by, and that counts objects rather
 * than bytes.
 */
const CHUNK_BYTES = 16 * 1024;

/**
 * The bytes of a file from `first` to `last`, both included, as they are asked for. The file is open from the first
 * that is asked for until the end, or until nobody wants more.
 */
export async function* readSlice(path: string, first: number, last: number): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, "r");
  try {
    for (let at = first; at <= last;) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, last - at + 1));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw new Error("the file is shorter than it was");
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
      passed(bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The first bytes of a file, at most `length`. */
export async function readHead(file: FileHandle, length: number): Promise<Uint8Array> {
  const head = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(head, at, length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return head.subarray(0, at);
}
