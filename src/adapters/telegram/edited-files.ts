import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import { earlierFiles, standingFiles } from "../kit/outgoing-files.ts";
import { albumOf } from "./kinds.ts";
import type { TelegramKnownMessages } from "./known-messages.ts";
import type { TelegramLessons, TelegramUploads } from "./uploads.ts";
import type { TelegramPartFile, TelegramRenderedFile } from "./render.ts";

/** What becomes of the files of a post that is edited. */
export interface EditedFiles {
  /** Those of the draft, in its order. */
  readonly all: readonly TelegramRenderedFile[];
  /** Whether it is known which of them stand. */
  readonly isKnown: boolean;
  /** Those that have come with the edit. */
  readonly added: SharedFile[];
  /** Messages whose files have gone with it. */
  readonly removed: ReadonlySet<MessageRef>;
  /** … and those that get another file in place of theirs. */
  readonly replaced: ReadonlyMap<MessageRef, TelegramPartFile>;
}

/**
 * Where it is not known what the messages hold, all files are taken for those that stand there. An edit that names none
 * may come from where nobody says again which there are: they stay.
 */
export function editedFiles(
  op: EditOp,
  targets: readonly MessageRef[],
  { known, uploads }: { readonly known: TelegramKnownMessages; readonly uploads: TelegramUploads },
  lessons: TelegramLessons,
): EditedFiles {
  const { channel, body, changed } = op;
  const all = body.files.map((file) => uploads.wayOf(file, lessons));
  const messages = targets.map((ref) => ({ ref, known: known.of(channel, ref) }));
  const isAllKnown = messages.every(
    ({ known }) => known?.is === "text" || (known?.is === "media" && known.file !== null),
  );
  const isListed = body.files.length > 0 || changed !== undefined;
  if (!isAllKnown || !isListed) return { all, isKnown: false, added: [], removed: new Set(), replaced: new Map() };
  const media = messages.flatMap(({ ref, known }) =>
    known?.is === "media" && known.file !== null ? [{ ref, ...known.file }] : [],
  );
  const standing = standingFiles(earlierFiles(op), media, [
    (file, one) => file.id === one.file.id,
    (file, one) => file.name === one.file.name && file.bytes === one.file.bytes,
    (file, one) => file.name === one.file.name && (file.bytes === null || one.file.bytes === null),
  ]);
  const stays = new Set([...standing.values()].map(({ ref }) => ref));
  const gone = media.filter(({ ref }) => !stays.has(ref));
  const added: SharedFile[] = [];
  const replaced = new Map<MessageRef, TelegramPartFile>();
  for (const [at, { file, goes }] of all.entries()) {
    const original = body.files[at];
    if (goes === "in the text" || original === undefined || standing.has(original)) continue;
    const place = gone.findIndex(({ kind }) => albumOf(kind) !== null && albumOf(kind) === albumOf(goes));
    const [other] = place === -1 ? [] : gone.splice(place, 1);
    if (other === undefined) added.push(file);
    else replaced.set(other.ref, { file, kind: goes, at });
  }
  return { all, isKnown: true, added, removed: new Set(gone.map(({ ref }) => ref)), replaced };
}

/** Of these files alone; what they say is in the text. */
export function addedDraft(op: EditOp, files: readonly SharedFile[]): EditOp {
  const body = { ...op.body, blocks: [], files: files.map((file) => ({ ...file, comment: "" })) };
  return { ...op, body };
}
