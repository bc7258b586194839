import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDurableFolder } from "../lib/make-folder.ts";
import { ContentStore } from "./content-store.ts";
import { writeWhole } from "./disk.ts";
import { Entries } from "./entries.ts";
import { Eviction } from "./eviction.ts";
import type { FileStore } from "./files.ts";
import { MediaFiles } from "./media-files.ts";
import { type FilesOptions, keepMsOf } from "./options.ts";
import type { Sharing, SharingOptions } from "./sharing.ts";

/**
 * Opens the store, and makes it when it is missing. Rejects with an error of the system when the folder cannot be used.
 */
export async function openFiles(options: FilesOptions): Promise<FileStore> {
  const { clock, shared, media, log, test = {} } = options;
  const folder = join(options.dataPath, "files");
  makeDurableFolder(folder, 0o700);
  const content = await ContentStore.open({
    folder,
    nowMs: () => clock.nowMs(),
    ...(test.freeBytes !== undefined && { freeBytes: test.freeBytes }),
  });
  const temporary = (): string => content.temporary();
  const entries = new Entries(folder, temporary);
  const ownSecret = async (): Promise<Uint8Array> => await secretOf(join(folder, "secret"), temporary());
  const secret = media.endpoint === null ? null : await (shared?.secret() ?? ownSecret());
  const limit = Math.min(media.downloadSize, media.storeBytes);
  const kept = { keepMs: keepMsOf(options), bytesMax: media.storeBytes, eviction: new Eviction(options.uploads) };
  const sharing = shared === undefined ? null : await openSharing({ shared, content, clock, log, limit, ...kept });
  return new MediaFiles(options, { folder, content, entries, secret, sharing });
}

async function openSharing(options: SharingOptions): Promise<Sharing> {
  const { Sharing } = await import("./sharing.ts");
  return new Sharing(options);
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
