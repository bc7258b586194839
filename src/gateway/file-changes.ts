import type { FileChanges } from "../contract/ops.ts";
import type { FileId } from "../contract/ids.ts";
import type { Known } from "../log/log.ts";
import { readFileId } from "../files/file-id.ts";
import { namesOf } from "./caption.ts";
import type { About, Stored } from "./codec.ts";
import { sizeOf } from "./file-contents.ts";

/** A file of a message, as far as it tells one from another. */
export interface FileMark {
  readonly id: FileId | null;
  readonly name: string;
  readonly bytes: number | null;
  /** As people are shown it. */
  readonly shown: string;
}

/** A message with the files that it has; absent: nobody knows. */
export type KnownWithFiles = Known & { readonly files?: readonly FileMark[] };

export function fileMarks({ message, files }: Pick<Stored, "message" | "files">): readonly FileMark[] {
  return (message.Extra?.file ?? []).map((item, at) => {
    const { Name: name, Spoiler } = item;
    const shown = namesOf([{ name, comment: "", ...(Spoiler !== undefined && { spoiler: Spoiler }) }]);
    return { id: files[at] ?? null, name, bytes: sizeOf(item), shown };
  });
}

/**
 * What the entry of an edit says of files. An edit that names no file removes files only where it names all that the
 * message has (`hasAll`).
 */
export function aboutFiles(
  before: readonly FileMark[] | undefined,
  now: readonly FileMark[],
  hasAll: boolean,
): Pick<About, "changed" | "hasAllFiles"> {
  const isListed = hasAll || now.length > 0;
  const changed = isListed ? fileChanges(before, now) : undefined;
  return { ...(changed !== undefined && { changed }), ...(hasAll && now.length === 0 && { hasAllFiles: true }) };
}

/** Undefined: nothing changes, or the earlier files are not known. Networks call the same file by several ids. */
function fileChanges(before: readonly FileMark[] | undefined, now: readonly FileMark[]): FileChanges | undefined {
  if (before === undefined) return undefined;
  const left = before.map((mark, at) => ({ mark, at }));
  const added: number[] = [];
  for (const [at, file] of now.entries()) {
    const same = left.findIndex(({ mark }) => isSame(mark, file));
    if (same === -1) added.push(at);
    else left.splice(same, 1);
  }
  if (added.length === 0 && left.length === 0) return undefined;
  return { before: before.length, added, removed: left.map(({ mark, at }) => ({ at, name: mark.shown })) };
}

function isSame(one: FileMark, other: FileMark): boolean {
  if (one.id !== null && one.id === other.id) return true;
  const isNamed = one.name === other.name && (one.bytes === other.bytes || one.bytes === null || other.bytes === null);
  return isNamed && !(isStored(one) && isStored(other));
}

/** Its id names its content, so that another id is another file. */
const isStored = ({ id }: FileMark): boolean => id !== null && readFileId(id).is === "stored";
