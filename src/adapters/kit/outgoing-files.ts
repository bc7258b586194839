import type { SharedFile } from "../../contract/content.ts";
import type { Host } from "../../contract/host.ts";
import type { EditOp } from "../../contract/ops.ts";

const NAME_MAX = 200;

/** A file of an op, opened. */
export interface OutgoingFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly stream: ReadableStream<Uint8Array>;
}

/** The content of a file of an op; a text: why there is none, for people. */
export async function openOutgoing(
  file: SharedFile,
  host: Pick<Host, "openFile">,
  signal: AbortSignal,
): Promise<OutgoingFile | string> {
  if (file.id === null) return file.missing ?? "it is not there";
  const opened = await host.openFile(file.id, signal);
  if (!opened.ok) return opened.why.message;
  const bytes = opened.bytes ?? file.bytes;
  if (bytes === null || bytes === 0) {
    await opened.stream.cancel().catch(() => undefined);
    return bytes === null ? "its size is unknown" : "it is empty";
  }
  const mime = file.mime ?? opened.mime ?? "application/octet-stream";
  return { name: outgoingName(file), mime, bytes, stream: opened.stream };
}

/** A name without a path, as servers demand. */
export function outgoingName({ name }: Pick<SharedFile, "name">): string {
  const bare = name.replaceAll(/[\p{Cc}/\\]+/gu, "_").trim();
  return bare.slice(-NAME_MAX).toWellFormed() || "file";
}

/**
 * Which of the files of a message are among those that stand there, each of which is one of them at most. The first
 * question counts before the second, and so on.
 */
export function standingFiles<T>(
  files: readonly SharedFile[],
  there: readonly T[],
  questions: readonly ((file: SharedFile, there: T) => boolean)[],
): ReadonlyMap<SharedFile, T> {
  const left = [...there];
  const found = new Map<SharedFile, T>();
  for (const isIt of questions) {
    for (const file of files) {
      const at = file.id === null || found.has(file) ? -1 : left.findIndex((one) => isIt(file, one));
      if (at === -1) continue;
      for (const one of left.splice(at, 1)) found.set(file, one);
    }
  }
  return found;
}

/** The files of an edit that are not new. A new file may have the name and the size of one that it replaces. */
export function earlierFiles({ body, changed }: Pick<EditOp, "body" | "changed">): readonly SharedFile[] {
  return body.files.filter((_, at) => changed?.added.includes(at) !== true);
}

/**
 * Which of the files that stand in the messages an edit removes. A file of the edit whose content Rialto does not have
 * any more may be one that stands.
 */
export function removedFiles<T>(
  { changed, body }: EditOp,
  there: readonly T[],
  standing: ReadonlyMap<SharedFile, T>,
  isNamed: (file: SharedFile, there: T) => boolean,
): ReadonlySet<T> {
  if (changed === undefined || changed.removed.length === 0) return new Set();
  const stays = new Set(standing.values());
  const lost = body.files.filter(({ id }) => id === null);
  return new Set(there.filter((one) => !stays.has(one) && !lost.some((file) => isNamed(file, one))));
}
