import type { SharedFile } from "../../contract/content.ts";
import type { Host } from "../../contract/host.ts";
import type { Json } from "../kit/json.ts";
import { openOutgoing, outgoingName } from "../kit/outgoing-files.ts";
import type { DiscordUpload } from "./api.ts";
import { SPOILER } from "./model.ts";

/** Units of UTF-16 of an alt text. */
const DESCRIPTION_MAX = 1_024;

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
    const opened = await openOutgoing(file, host, signal);
    if (typeof opened !== "string") {
      uploads.push({ ...opened, name: uploadName(file) });
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

/** `attachments` of a body: the nth new file is `files[n]` of the form. `alt`: what is said of them is an alt text. */
export function attachmentsOf(files: readonly SharedFile[], alt: boolean): readonly Json[] {
  return files.map((file, id) => {
    const isOpen = file.spoiler === undefined;
    const description = alt && isOpen ? file.comment.trim().slice(0, DESCRIPTION_MAX).toWellFormed() : "";
    const hidden = !isOpen && { is_spoiler: true };
    return { id, filename: uploadName(file), ...(description !== "" && { description }), ...hidden };
  });
}

/** Clients that do not know the flag hide a file by its name. */
const uploadName = (file: SharedFile): string =>
  file.spoiler === undefined ? outgoingName(file) : SPOILER + outgoingName(file);

/** What the network leaves of a name: it writes others where it does not like signs. */
export const nameKey = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]+/g, "");

/** The server does not say which of several files is too large. */
export function largestOf(files: readonly SharedFile[]): SharedFile | undefined {
  return files.toSorted((one, other) => (other.bytes ?? Infinity) - (one.bytes ?? Infinity))[0];
}

export const TOO_LARGE = "it is larger than the server takes";
