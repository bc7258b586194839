import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, readdirSync, unlinkSync } from "node:fs";
import { open, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { OpenedFile } from "../../contract/session.ts";
import { makeDurableFolder } from "../../lib/make-folder.ts";
import { errorCode } from "../../lib/network-error.ts";
import type { WebSettings } from "./settings.ts";
import type { ChatRecords } from "./store/records.ts";
import type { StoredUpload } from "./store/rows.ts";
import type { ChatStore } from "./store/store.ts";

/** An upload that no message takes goes after so long. */
const UNUSED_MS = 60 * 60_000;
/** What a guest may have uploaded without saying anything with it. */
export const UNUSED_MAX = 20;

export type KeptUpload =
  | { readonly ok: true; readonly bytes: number; readonly mime: string }
  | { readonly ok: false; readonly why: "too_large" | "failed" };

type UploadSettings = Pick<WebSettings, "MaxFileSize" | "MaxFiles" | "Retention">;

/** Contents of files, in a folder beside the store; what they are is in the store. */
export class Uploads {
  readonly #store: ChatStore;
  readonly #records: ChatRecords;
  readonly #settings: UploadSettings;
  readonly #folder: string;

  /** Throws what the file system throws. */
  constructor(store: ChatStore, records: ChatRecords, settings: UploadSettings) {
    this.#store = store;
    this.#records = records;
    this.#settings = settings;
    this.#folder = join(store.folder, "files");
    makeDurableFolder(this.#folder, 0o700);
    // What a crash has left behind.
    for (const name of readdirSync(this.#folder)) if (records.file(name) === null) unlinkSync(join(this.#folder, name));
  }

  static newId(): string {
    return randomBytes(16).toString("base64url");
  }

  /** Writes the content down. What is too long, or breaks off, leaves nothing. */
  async keep(
    id: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<KeptUpload> {
    const { MaxFileSize } = this.#settings;
    const path = join(this.#folder, id);
    let bytes = 0;
    let head: Buffer = Buffer.alloc(0);
    let isTooLarge = false as boolean;
    const count = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        if (head.length < 16) head = Buffer.concat([head, chunk.subarray(0, 16)]);
        isTooLarge = bytes > MaxFileSize;
        if (isTooLarge) done(new Error("too large"));
        else done(null, chunk);
      },
    });
    try {
      await pipeline(Readable.from(source), count, createWriteStream(path, { mode: 0o600, flush: true }), { signal });
      return { ok: true, bytes, mime: pictureType(head) };
    } catch {
      await unlink(path).catch(() => undefined);
      return { ok: false, why: isTooLarge ? "too_large" : "failed" };
    }
  }

  async has(id: string): Promise<boolean> {
    return await stat(join(this.#folder, id)).then(
      () => true,
      () => false,
    );
  }

  /** Never rejects. */
  async open(id: string): Promise<OpenedFile> {
    const file = /^[\w-]{1,64}$/u.test(id) ? this.#records.file(id) : null;
    const gone = { ok: false, why: { code: "not_found", message: "the file is not kept any more" } } as const;
    if (file === null) return gone;
    try {
      const handle = await open(join(this.#folder, id), "r");
      const { size } = await handle.stat();
      const stream = Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array>;
      return { ok: true, bytes: size, mime: file.mime, stream };
    } catch (error) {
      if (errorCode(error) === "ENOENT") return gone;
      return { ok: false, why: { code: "remote_error", message: "the file cannot be read" } };
    }
  }

  /** For answers: from its beginning. */
  read(id: string): Readable {
    return createReadStream(join(this.#folder, id));
  }

  /** Its content is kept; what is too much now goes at once, and not only with the next sweep. */
  async add(file: StoredUpload, signal: AbortSignal): Promise<void> {
    try {
      await this.#store.write(() => this.#records.addFile(file), signal);
    } catch (error) {
      // Nobody would know of its content, and no limit would count it.
      await unlink(join(this.#folder, file.id)).catch(() => undefined);
      throw error;
    }
    if (this.#records.bytes > this.#settings.MaxFiles) await this.sweep(file.atMs);
  }

  /** What is too old, or too much, or belongs to nothing. */
  async sweep(nowMs: number): Promise<void> {
    const { Retention, MaxFiles } = this.#settings;
    await this.#drop(this.#records.filesToGo(nowMs - Retention, nowMs - UNUSED_MS, MaxFiles));
  }

  /** Removes an upload, unless a message has taken it by now. Rejects with what the store says. */
  async discard(file: StoredUpload): Promise<void> {
    await this.#store.write(() => {
      if (this.#records.file(file.id)?.message === "") this.#records.removeFile(file.id);
    });
    if (this.#records.file(file.id) === null) await this.unlink([file]);
  }

  async #drop(files: readonly StoredUpload[]): Promise<void> {
    if (files.length === 0) return;
    await this.#store.write(() => {
      for (const { id } of files) this.#records.removeFile(id);
    });
    await this.unlink(files);
  }

  /** The contents of what is not in the store any more. */
  async unlink(files: readonly StoredUpload[]): Promise<void> {
    await Promise.all(files.map(async ({ id }) => await unlink(join(this.#folder, id)).catch(() => undefined)));
  }
}

/** The first bytes; `.` stands for any one. */
const PICTURES: readonly (readonly [string, RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/u],
  ["image/jpeg", /^ffd8ff/u],
  ["image/gif", /^474946383[79]61/u],
  ["image/webp", /^52494646.{8}57454250/u],
];

/** The type of a picture that browsers show, by its first bytes; of all else: bytes. */
function pictureType(head: Buffer): string {
  const text = head.toString("hex");
  return PICTURES.find(([, pattern]) => pattern.test(text))?.[0] ?? "application/octet-stream";
}
