import { decodeStored } from "../gateway/codec.ts";
import { fileMarks, type KnownWithFiles } from "../gateway/file-changes.ts";
import type { Known } from "../log/log.ts";
import type { LogSearch } from "../log/search.ts";

/** Where the files of a message are looked up; a log without it knows none. */
export type FileArchive = Pick<LogSearch, "entry" | "standing">;

/**
 * A message with its files as they are before an edit. An edit that names none leaves those of the message. Rejects with
 * a LogError.
 */
export async function withFiles(known: Known, archive: FileArchive): Promise<KnownWithFiles> {
  const [standing] = await archive.standing([known.seq]);
  for (const seq of [standing?.revised ?? null, known.seq]) {
    const entry = seq === null ? null : await archive.entry(seq);
    const stored = entry === null ? null : decodeStored(entry.payload);
    if (stored !== null && (stored.message.Extra !== null || seq === known.seq))
      return { ...known, files: fileMarks(stored) };
  }
  return known;
}
