import type { FileChanges } from "../contract/ops.ts";
import type { FileId } from "../contract/ids.ts";
import type { Known } from "../log/log.ts";
import { namesOf } from "./caption.ts";
import type { Stored } from "./codec.ts";
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
 * What an edit changes of the files; undefined: nothing, or nobody knows. Networks call the same file by several ids.
 * An edit that names no file may come from where nobody says again which there are.
 */
export function fileChanges(
  before: readonly FileMark[] | undefined,
  now: readonly FileMark[],
): FileChanges | undefined {
  if (before === undefined || now.length === 0) return undefined;
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

const isSame = (one: FileMark, other: FileMark): boolean =>
  (one.id !== null && one.id === other.id) ||
  (one.name === other.name && (one.bytes === other.bytes || one.bytes === null || other.bytes === null));
