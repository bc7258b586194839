import { type FileId, type FileRef, mint } from "../contract/ids.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

/** How an id says where its content is; made by `fileId` and read by `readFileId` alone. */
export type FileOrigin =
  /** A network's own, through a session of the account with this key. */
  | { readonly is: "remote"; readonly account: string; readonly ref: FileRef }
  /** Anybody's web server. `account`: the key of the account whose message links to it; its proxy is taken. */
  | { readonly is: "url"; readonly url: string; readonly account?: string }
  /** Content that came with a message and is in the store already, by its SHA-256. */
  | { readonly is: "stored"; readonly sha256: string };

export function fileId(origin: FileOrigin): FileId {
  return mint("FileId", JSON.stringify(origin));
}

/** Such an id as it was written down. */
export const fileIdAgain = (text: string): FileId => mint("FileId", text);

/** Throws on what `fileId` has not made. */
export function readFileId(id: FileId): FileOrigin {
  return parseAs(id, isOrigin);
}

const isOrigin = (value: unknown): value is FileOrigin => isObject(value) && typeof value["is"] === "string";
