import type { SharedFile } from "../../contract/content.ts";
import type { DiscordAttachment, DiscordMessage } from "./model.ts";
import { fileName, nameKey } from "./uploads.ts";

/** Which of the files some messages have already, to the ids of their attachments. */
export function attachedAmong(
  files: readonly SharedFile[],
  messages: readonly Pick<DiscordMessage, "attachments">[],
): ReadonlyMap<SharedFile, string> {
  const left = messages.flatMap(({ attachments }) => attachments);
  const found = new Map<SharedFile, string>();
  const take = (isIt: (file: SharedFile, there: DiscordAttachment) => boolean): void => {
    for (const file of files) {
      const at = file.id === null || found.has(file) ? -1 : left.findIndex((there) => isIt(file, there));
      const [there] = at === -1 ? [] : left.splice(at, 1);
      if (there !== undefined) found.set(file, there.id);
    }
  };
  take((file, there) => isNamed(file, there) && there.bytes === file.bytes);
  take((file, there) => isNamed(file, there) && (there.bytes === null || file.bytes === null));
  return found;
}

/** The network writes names anew, without the signs that it does not like, and keeps them as titles. */
export function isNamed(file: Pick<SharedFile, "name">, { name, title }: DiscordAttachment): boolean {
  const key = nameKey(fileName(file));
  return [name, title].some((one) => nameKey(one) === key);
}
