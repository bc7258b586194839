import type { SharedFile } from "../../contract/content.ts";
import type { Host } from "../../contract/host.ts";
import type { Json } from "../kit/json.ts";
import type { DiscordUpload } from "./api.ts";

/** Units of UTF-16 of an alt text. */
const DESCRIPTION_MAX = 1_024;
const NAME_MAX = 200;

export type OpenedFiles =
  | { readonly ok: true; readonly uploads: readonly DiscordUpload[] }
  /** One of them is not to be had; nothing of the others stays open. */
  | { readonly ok: false; readonly file: SharedFile; readonly missing: string };

/** The contents of the files of one message, as streams. */
export async function openFiles(
  files: readonly SharedFile[],
  host: Pick<Host, "openFile">,
  signal: AbortSignal,
): Promise<OpenedFiles> {
  const uploads: DiscordUpload[] = [];
  for (const file of files) {
    const opened = await openOne(file, host, signal);
    if (typeof opened !== "string") {
      uploads.push(opened);
      continue;
    }
    await closeAll(uploads);
    return { ok: false, file, missing: opened };
  }
  return { ok: true, uploads };
}

/** What is not sent is given back. */
export async function closeAll(uploads: readonly DiscordUpload[]): Promise<void> {
  await Promise.allSettled(uploads.map(async ({ stream }) => await stream.cancel()));
}

async function openOne(
  file: SharedFile,
  host: Pick<Host, "openFile">,
  signal: AbortSignal,
): Promise<DiscordUpload | string> {
  if (file.id === null) return file.missing ?? "it is not there";
  const opened = await host.openFile(file.id, signal);
  if (!opened.ok) return opened.why.message;
  const bytes = opened.bytes ?? file.bytes;
  if (bytes === null || bytes === 0) {
    await opened.stream.cancel().catch(() => undefined);
    return bytes === null ? "its size is unknown" : "it is empty";
  }
  const mime = file.mime ?? opened.mime ?? "application/octet-stream";
  return { name: fileName(file), mime, bytes, stream: opened.stream };
}

/** `attachments` of a body: the nth new file is `files[n]` of the form. `alt`: what is said of them is an alt text. */
export function attachmentsOf(files: readonly SharedFile[], alt: boolean): readonly Json[] {
  return files.map((file, id) => {
    const description = alt ? file.comment.trim().slice(0, DESCRIPTION_MAX).toWellFormed() : "";
    return { id, filename: fileName(file), ...(description !== "" && { description }) };
  });
}

/** A name without a path. */
export function fileName({ name }: Pick<SharedFile, "name">): string {
  const bare = name.replaceAll(/[\p{Cc}/\\]+/gu, "_").trim();
  return bare.slice(-NAME_MAX).toWellFormed() || "file";
}

/** What the network leaves of a name: it writes others where it does not like signs. */
export const nameKey = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]+/g, "");

/** The server does not say which of several files is too large. */
export function largestOf(files: readonly SharedFile[]): SharedFile | undefined {
  return files.toSorted((one, other) => (other.bytes ?? Infinity) - (one.bytes ?? Infinity))[0];
}

export const TOO_LARGE = "it is larger than the server takes";
