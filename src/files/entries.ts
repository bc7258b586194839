import { createHash } from "node:crypto";
import { readFile, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileId } from "../contract/ids.ts";
import { DurableFolders, writeWhole } from "./disk.ts";
import type { Sniffed } from "./media-type.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

/** What is known of a file whose content was had once. */
export interface FileEntry {
  readonly sha256: string;
  readonly bytes: number;
  readonly sniffed: Sniffed;
  /** As its sender named it first. */
  readonly name: string;
  readonly claimed: string | null;
  /** End of the newest link, Unix seconds; 0: there is none. */
  readonly linkUntilS: number;
  /** First 8 hex digits of the content's SHA-1, for the media folder; null: nobody needed it yet. */
  readonly sha1: string | null;
}

const CACHED_MAX = 2000;
const SHA256 = /^[0-9a-f]{64}$/u;

const isEntry = (value: unknown): value is FileEntry =>
  isObject(value) && typeof value["sha256"] === "string" && SHA256.test(value["sha256"]);

/**
 * Which content a file id stands for, on disk: `index/ab/cdef….json` by the SHA-256 of the id. Losing one costs a
 * fetch.
 */
export class Entries {
  readonly #folder: string;
  readonly #temporary: () => string;
  readonly #folders = new DurableFolders();
  /** The newest used last. */
  readonly #cached = new Map<FileId, FileEntry>();

  constructor(folder: string, temporary: () => string) {
    this.#folder = join(folder, "index");
    this.#temporary = temporary;
  }

  async get(id: FileId): Promise<FileEntry | null> {
    const cached = this.#cached.get(id);
    if (cached !== undefined) {
      this.#remember(id, cached);
      return cached;
    }
    try {
      const path = this.#path(id);
      const entry = parseAs(await readFile(path, "utf8"), isEntry);
      const now = new Date();
      await utimes(path, now, now);
      this.#remember(id, entry);
      return entry;
    } catch {
      // It is not here, or a crash of the machine left it torn: either way the file is fetched again.
      return null;
    }
  }

  /** Rejects with an error of the system; the entry holds until the end of the program all the same. */
  async put(id: FileId, entry: FileEntry): Promise<void> {
    this.#remember(id, entry);
    const path = this.#path(id);
    await this.#folders.make(dirname(path));
    await writeWhole(path, this.#temporary(), JSON.stringify(entry));
  }

  async forget(id: FileId): Promise<void> {
    this.#cached.delete(id);
    await rm(this.#path(id), { force: true }).catch(() => undefined);
  }

  #remember(id: FileId, entry: FileEntry): void {
    this.#cached.delete(id);
    this.#cached.set(id, entry);
    if (this.#cached.size > CACHED_MAX) this.#cached.delete(this.#cached.keys().next().value ?? id);
  }

  #path(id: FileId): string {
    const name = createHash("sha256").update(id).digest("hex");
    return join(this.#folder, name.slice(0, 2), `${name.slice(2)}.json`);
  }
}
