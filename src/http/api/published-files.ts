import { createHash } from "node:crypto";
import type { FileId } from "../../contract/ids.ts";
import type { FileItem, Message } from "../../contract/message.ts";
import type { FileDraft } from "./file-drafts.ts";

/** The address of a kept file that does not end; null: there is none. */
export type AddressOf = (id: FileId, name: string) => Promise<string | null>;

/**
 * The message with what a media server adds to the files that came with it, as in the reference: `URL`, and in `SHA`
 * the first 8 hex digits of the SHA-1. What its client has said of a file stays. `ids`: of those that were kept.
 */
export async function withPublished(
  message: Message,
  given: readonly FileDraft[],
  ids: readonly (FileId | null)[],
  addressOf: AddressOf,
): Promise<Message> {
  if (message.Extra === null) return message;
  const file: FileItem[] = [];
  for (const [at, item] of message.Extra.file.entries()) {
    const [id = null, content = null] = [ids[at], given[at]?.content];
    if (id === null || content === null) {
      file.push(item);
      continue;
    }
    const URL = item.URL || ((await addressOf(id, item.Name)) ?? "");
    file.push({ ...item, URL, SHA: item.SHA || createHash("sha1").update(content).digest("hex").slice(0, 8) });
  }
  return { ...message, Extra: { file } };
}
