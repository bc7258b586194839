import type { FileId } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { Stored } from "./codec.ts";

/** A public address of a file, whether or not anybody has fetched it yet; null when there is no way to make one. */
export type LinkFor = (id: FileId, name: string) => string | null;

/**
 * The message of an entry, with an address for each file that has none and can have one. Of a hidden file
 * there is the address alone.
 */
export function withLinks({ message, files }: Pick<Stored, "message" | "files">, linkFor: LinkFor): Message {
  const items = message.Extra?.file.map((item, index) => {
    const id = files[index] ?? null;
    if (item.Spoiler !== undefined) {
      return { ...item, Data: "", Comment: "", URL: item.URL || ((id && linkFor(id, item.Name)) ?? "") };
    }
    return id === null || item.URL !== "" ? item : { ...item, URL: linkFor(id, item.Name) ?? "" };
  });
  return { ...message, Extra: items === undefined ? message.Extra : { file: items } };
}

/** The message of an entry, with an address for the sender's picture where it has none. */
export function withPicture({ message, avatar }: Stored, linkFor: LinkFor): Message {
  const picture = message.avatar === "" && avatar !== null ? linkFor(avatar, "avatar") : null;
  return picture === null ? message : { ...message, avatar: picture };
}
