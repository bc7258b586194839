import { decodeStored } from "./codec.ts";
import { fileMarks, type KnownWithFiles } from "./file-changes.ts";
import type { Known, Seq, StoredEntry } from "../log/log.ts";

/** Where the files of a message are looked up; a log without it knows none. */
export interface FileArchive {
  entry(seq: Seq): Promise<StoredEntry | null>;
  /** `revised`: the entry of its newest edit; null: it reads as it was said. */
  standing(seqs: readonly Seq[]): Promise<readonly { readonly revised: Seq | null }[]>;
}

/**
 * A message with its files as they are before an edit. An edit that names none leaves those of the message, unless it
 * says that there are none. Rejects with a LogError.
 */
export async function withFiles(known: Known, archive: FileArchive): Promise<KnownWithFiles> {
  const [standing] = await archive.standing([known.seq]);
  for (const seq of [standing?.revised ?? null, known.seq]) {
    const entry = seq === null ? null : await archive.entry(seq);
    const stored = entry === null ? null : decodeStored(entry.payload);
    if (stored === null) continue;
    const hasFiles = stored.message.Extra !== null || stored.about?.hasAllFiles === true;
    if (hasFiles || seq === known.seq) return { ...known, files: fileMarks(stored) };
  }
  return known;
}
