import type { FileId } from "../contract/ids.ts";
import type { FileItem } from "../contract/message.ts";
import { readFileId } from "../files/file-id.ts";
import type { Seq } from "../log/log.ts";

/** A file by its place: the entry that says the message, and which of its files it is, counted from 0. */
export interface FilePlace {
  readonly seq: Seq;
  readonly at: number;
}

/**
 * How a file of an event is called: what a client uploaded by its SHA-256, all others by their place, as nobody may
 * have their content yet. Empty: only its address is known.
 */
export function eventFileId({ seq, at }: FilePlace, { Data }: Pick<FileItem, "Data">, id: FileId | null): string {
  const origin = id === null || Data !== "" ? null : readFileId(id);
  if (origin?.is === "stored") return `s256_${Buffer.from(origin.sha256, "hex").toString("base64url")}`;
  return id === null && Data === "" ? "" : `at_${seq}_${at}`;
}

/** Null: it is not the id of a place, or not the one way to write it. */
export function placeOfFile(id: string): FilePlace | null {
  const [, seq, at] = /^at_([1-9]\d{0,14})_(0|[1-9]\d{0,3})$/u.exec(id) ?? [];
  return seq === undefined || at === undefined ? null : { seq: Number(seq), at: Number(at) };
}
