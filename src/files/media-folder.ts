import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, constants, copyFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { codeOf } from "./refusal.ts";
import { finished } from "node:stream/promises";

/** A folder that a web server shows at `url`. */
export interface MediaFolder {
  readonly path: string;
  readonly url: string;
}

/** The first 8 hex digits of the SHA-1 of a file: the reference's name for a content in its media folder. */
export async function shortSha1(path: string): Promise<string> {
  return (await hashOf("sha1", path)).slice(0, 8);
}

interface Content {
  readonly path: string;
  /** As `shortSha1` makes it. */
  readonly sha1: string;
  readonly sha256: string;
}

/**
 * Copies a content to `<folder>/<sha1>/<name>` unless it is there, readable for the web server, and resolves to its
 * address. It is a copy: the web server's user may read it, and nothing that happens in that folder changes the store.
 * Rejects with an error for people.
 */
export async function putInFolder(folder: MediaFolder, content: Content, name: string): Promise<string> {
  try {
    // Eight digits can be met on purpose: a second content of the same name must neither replace the first nor be taken
    // for it.
    const shelf = (await isOther(join(folder.path, content.sha1, name), content)) ? content.sha256 : content.sha1;
    await copyOnce(content.path, join(folder.path, shelf), name);
    return `${folder.url.replace(/\/+$/u, "")}/${shelf}/${encodeURIComponent(name)}`;
  } catch (error) {
    throw new Error(`MediaDownloadPath cannot be written (${codeOf(error)})`, { cause: error });
  }
}

/** Whether something else is there. */
async function isOther(target: string, { path, sha256 }: Content): Promise<boolean> {
  const [have, want] = await Promise.all([stat(target).catch(() => null), stat(path)]);
  if (have === null) return false;
  return have.size !== want.size || (await hashOf("sha256", target)) !== sha256;
}

async function copyOnce(content: string, shelf: string, name: string): Promise<void> {
  const target = join(shelf, name);
  const temporary = join(shelf, `.rialto-${randomUUID()}`);
  const [have, want] = await Promise.all([stat(target).catch(() => null), stat(content)]);
  if (have?.size === want.size) return;
  // A strict umask would hide it from the web server.
  if (makeFolder(shelf, 0o755)) await chmod(shelf, 0o755);
  try {
    await copyFile(content, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o644);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function hashOf(algorithm: "sha1" | "sha256", path: string): Promise<string> {
  const hash = createHash(algorithm);
  const stream = createReadStream(path);
  stream.on("data", (chunk) => hash.update(chunk));
  await finished(stream);
  return hash.digest("hex");
}
