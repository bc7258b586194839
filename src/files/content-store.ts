import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rm, stat, statfs, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { passed } from "../lib/garbage.ts";
import { makeDurableFolder } from "../lib/make-folder.ts";
import { DurableFolders, moveInto } from "./disk.ts";
import { HEAD_BYTES } from "./media-type.ts";
import { codeOf, notNow, type FileRefusal, tooLarge } from "./refusal.ts";

export interface WrittenContent {
  readonly ok: true;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The first HEAD_BYTES. */
  readonly head: Uint8Array;
}

interface ContentOptions {
  readonly folder: string;
  /** Unix ms. */
  readonly nowMs: () => number;
  /** Bytes that a program other than ours may still write to the disk; found out by the system unless a test says. */
  readonly freeBytes?: () => Promise<number>;
}

/** Room that is left on the disk whatever comes: the log needs it more. */
const DISK_FLOOR_BYTES = 64 * 1024 * 1024;
/** How much is written before the disk is asked again. */
const DISK_CHECK_BYTES = 16 * 1024 * 1024;
/** How exactly the last use is kept, so that using a file does not write each time. */
const USE_STEP_MS = 3_600_000;

/**
 * Contents by their SHA-256, `content/ab/cdef…`: each once, whole, and never changed. A content is written under a
 * temporary name while it comes, and gets its own once it is on the disk. The time of a file is that of its last use.
 */
export class ContentStore {
  readonly #options: ContentOptions;

  readonly #folders = new DurableFolders();

  private constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Makes the folders, and removes what a crash left half-written. Rejects with an error of the system. */
  static async open(options: ContentOptions): Promise<ContentStore> {
    const temporary = join(options.folder, "tmp");
    await rm(temporary, { recursive: true, force: true });
    for (const folder of [temporary, join(options.folder, "content")]) makeDurableFolder(folder, 0o700);
    return new ContentStore(options);
  }

  /** A new name on the disk of the store. */
  temporary(): string {
    return join(this.#options.folder, "tmp", randomUUID());
  }

  /**
   * Takes a content in as it comes. What `chunks` throws comes out of here as it is; trouble of the disk is a refusal.
   */
  async write(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    limit: number,
  ): Promise<WrittenContent | FileRefusal> {
    const temporary = this.temporary();
    let file: FileHandle;
    try {
      file = await open(temporary, "wx", 0o600);
    } catch (error) {
      return diskTrouble(error);
    }
    try {
      const written = await this.#pour(chunks, file, limit);
      if (!written.ok) return written;
      return await this.#settle(file, temporary, written);
    } finally {
      await file.close().catch(() => undefined);
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async #pour(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    file: FileHandle,
    limit: number,
  ): Promise<WrittenContent | FileRefusal> {
    const hash = createHash("sha256");
    const head: Uint8Array[] = [];
    let bytes = 0;
    let checkedAt = -Infinity;
    for await (const chunk of chunks) {
      if (bytes + chunk.length > limit) return tooLarge(limit);
      if (bytes - checkedAt >= DISK_CHECK_BYTES) {
        if ((await this.#free()) < DISK_FLOOR_BYTES + DISK_CHECK_BYTES) return DISK_FULL;
        checkedAt = bytes;
      }
      if (bytes < HEAD_BYTES) head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - bytes)));
      hash.update(chunk);
      try {
        await file.appendFile(chunk);
      } catch (error) {
        return diskTrouble(error);
      }
      bytes += chunk.length;
      passed(chunk.length);
    }
    return { ok: true, sha256: hash.digest("hex"), bytes, head: Buffer.concat(head) };
  }

  async #settle(file: FileHandle, temporary: string, written: WrittenContent): Promise<WrittenContent | FileRefusal> {
    try {
      // One of another size is what a broken disk left of it.
      if ((await this.use(written.sha256)) === written.bytes) return written;
      await file.sync();
      const path = this.path(written.sha256);
      await this.#folders.make(dirname(path));
      await moveInto(path, temporary);
      const now = this.#options.nowMs() / 1000;
      await utimes(path, now, now);
      return written;
    } catch (error) {
      return diskTrouble(error);
    }
  }

  async #free(): Promise<number> {
    if (this.#options.freeBytes !== undefined) return await this.#options.freeBytes();
    const { bavail, bsize } = await statfs(this.#options.folder);
    return bavail * bsize;
  }

  path(sha256: string): string {
    return join(this.#options.folder, "content", sha256.slice(0, 2), sha256.slice(2));
  }

  /** Its size, when it is here; it counts as used now. */
  async use(sha256: string): Promise<number | null> {
    const path = this.path(sha256);
    try {
      const { size, mtimeMs } = await stat(path);
      const nowMs = this.#options.nowMs();
      if (nowMs - mtimeMs > USE_STEP_MS) await utimes(path, nowMs / 1000, nowMs / 1000);
      return size;
    } catch {
      return null;
    }
  }

  /** Rejects with an error of the system, ENOENT when it is not here. */
  async open(sha256: string): Promise<FileHandle> {
    return await open(this.path(sha256), "r");
  }

  /** The whole name of the content that begins so (at least two digits); null when none does. */
  async find(beginning: string): Promise<string | null> {
    const shelf = beginning.slice(0, 2);
    try {
      const names = await readdir(join(this.#options.folder, "content", shelf));
      const name = names.find((other) => other.startsWith(beginning.slice(2)));
      return name === undefined ? null : shelf + name;
    } catch {
      return null;
    }
  }
}

const DISK_FULL = notNow("config", "the disk of DataPath is nearly full");

function diskTrouble(error: unknown): FileRefusal {
  return notNow("config", `the media store under DataPath cannot be written (${codeOf(error)})`);
}
