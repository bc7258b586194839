import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AdapterLog, Clock } from "../contract/host.ts";
import type { FileRef } from "../contract/ids.ts";
import type { OpenedFile } from "../contract/session.ts";
import { ContentStore } from "./content-store.ts";
import { writeWhole } from "./disk.ts";
import { Entries } from "./entries.ts";
import type { Resolve } from "./fetch-url.ts";
import type { FileStore } from "./files.ts";
import type { FlightLimits } from "./flights.ts";
import { MediaFiles } from "./media-files.ts";
import type { MediaFolder } from "./media-folder.ts";

export interface FilesOptions {
  /** Absolute; the store is in its folder `files`. */
  readonly dataPath: string;
  readonly retentionDays: number;
  readonly media: MediaOptions;
  /** Of a name: whether MediaDownloadBlackList excludes it. */
  readonly blacklisted: (name: string) => boolean;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** For tests: in place of the system's resolver, the free space of the disk, and the usual limits. */
  readonly test?: {
    readonly resolve?: Resolve;
    readonly freeBytes?: () => Promise<number>;
    readonly flights?: Partial<FlightLimits>;
  };
}

/** As the configuration has it (`MediaSettings`). */
export interface MediaOptions {
  /** Bytes of one file. */
  readonly downloadSize: number;
  /** Bytes of the store. */
  readonly storeBytes: number;
  readonly allowPrivate: boolean;
  /** Where the media endpoint is to be reached, without a slash at the end, and how long its links hold. */
  readonly endpoint: { readonly url: string; readonly expiryMs: number } | null;
  readonly folder: MediaFolder | null;
}

/** The networks' own files, each through a session of its account. */
interface Sources {
  /** Never rejects. */
  open(account: string, ref: FileRef, signal: AbortSignal): Promise<OpenedFile>;
}

/** Opens the store, and makes it when it is missing. Rejects with an error of the system when the folder cannot be used. */
export async function openFiles(options: FilesOptions): Promise<FileStore> {
  const { clock, test = {} } = options;
  const folder = join(options.dataPath, "files");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const content = await ContentStore.open({
    folder,
    nowMs: () => clock.nowMs(),
    ...(test.freeBytes !== undefined && { freeBytes: test.freeBytes }),
  });
  const temporary = (): string => content.temporary();
  const entries = new Entries(folder, temporary);
  const secret = options.media.endpoint === null ? null : await secretOf(join(folder, "secret"), temporary());
  return new MediaFiles(options, { folder, content, entries, secret });
}

const SECRET_BYTES = 32;

/** What links are signed with; without it the links that are out there end. */
async function secretOf(path: string, temporary: string): Promise<Uint8Array> {
  const kept = await readFile(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (kept?.length === SECRET_BYTES) return kept;
  const made = randomBytes(SECRET_BYTES);
  await writeWhole(path, temporary, made);
  return made;
}
