import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A configuration that was replaced. */
export interface ConfigVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly bytes: number;
}

const VERSIONS_MAX = 10;
const NAME = /^(?<at>\d{13})-[0-9a-f]{8}$/u;
const KEY = "key";
const KEY_BYTES = 32;

/** The last configurations, in a folder that only our user may read: they hold the secrets. */
export class ConfigVersions {
  readonly #folder: string;
  #key: Promise<Buffer> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest first. */
  async list(): Promise<readonly ConfigVersion[]> {
    const versions = (await this.#names()).map(async (id): Promise<ConfigVersion | null> => {
      const found = await stat(join(this.#folder, id)).catch(() => null);
      return found === null ? null : { id, atMs: Number(NAME.exec(id)?.groups?.["at"]), bytes: found.size };
    });
    return (await Promise.all(versions)).filter((version) => version !== null);
  }

  /** Null: there is no such one. */
  async read(id: string): Promise<Buffer | null> {
    if (!NAME.test(id)) return null;
    return await readFile(join(this.#folder, id)).catch(() => null);
  }

  /** Rejects with an error of the file system. */
  async keep(bytes: Buffer, atMs: number): Promise<void> {
    await this.#open();
    const id = `${String(atMs).padStart(13, "0")}-${randomBytes(4).toString("hex")}`;
    await writeFile(join(this.#folder, id), bytes, { flag: "wx", mode: 0o600, flush: true });
    const old = (await this.#names()).slice(VERSIONS_MAX);
    await Promise.all(old.map(async (name) => await rm(join(this.#folder, name), { force: true })));
  }

  /** What masks are made with, the same after a restart; one of this run where it cannot be kept. Never rejects. */
  async key(): Promise<Buffer> {
    return await (this.#key ??= this.#readKey());
  }

  async #readKey(): Promise<Buffer> {
    const path = join(this.#folder, KEY);
    const known = await readFile(path).catch(() => null);
    if (known?.length === KEY_BYTES) return known;
    const key = randomBytes(KEY_BYTES);
    try {
      await this.#open();
      await writeFile(path, key, { mode: 0o600, flush: true });
    } catch {
      // The masks are others after a restart then, and who edits meanwhile is told so.
    }
    return key;
  }

  async #open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
  }

  /** The newest first. */
  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => NAME.test(name)).sort((a, b) => (a < b ? 1 : -1));
  }
}
