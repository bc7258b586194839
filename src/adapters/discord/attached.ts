import type { SharedFile } from "../../contract/content.ts";
import { outgoingName, standingFiles } from "../kit/outgoing-files.ts";
import type { DiscordAttachment, DiscordMessage } from "./model.ts";
import { nameKey } from "./uploads.ts";

/** Which of the files some messages have already, to the ids of their attachments. */
export function attachedAmong(
  files: readonly SharedFile[],
  messages: readonly Pick<DiscordMessage, "attachments">[],
): ReadonlyMap<SharedFile, string> {
  const there = messages.flatMap(({ attachments }) => attachments);
  const found = standingFiles(files, there, [
    (file, one) => isNamed(file, one) && one.bytes === file.bytes,
    (file, one) => isNamed(file, one) && (one.bytes === null || file.bytes === null),
  ]);
  return new Map(Array.from(found, ([file, { id }]) => [file, id]));
}

/** The network writes names anew, without the signs that it does not like, and keeps them as titles. */
export function isNamed(file: Pick<SharedFile, "name">, { name, title }: DiscordAttachment): boolean {
  const key = nameKey(outgoingName(file));
  return [name, title].some((one) => nameKey(one) === key);
}
