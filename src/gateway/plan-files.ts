import type { Capabilities } from "../contract/capabilities.ts";
import type { Block, SharedFile } from "../contract/content.ts";
import type { FileId } from "../contract/ids.ts";
import type { FileItem, Message } from "../contract/message.ts";
import type { Loss } from "../contract/outcome.ts";
import { fileId } from "../files/file-id.ts";
import type { WantedFile } from "../files/files.ts";
import type { Stored } from "./codec.ts";
import { withoutEcho } from "./caption.ts";
import { sizeOf } from "./file-contents.ts";
import type { Here, Narrowing } from "./planned.ts";
import { tooLarge } from "./room-limits.ts";
import type { View } from "./view.ts";

/**
 * What a destination needs of the files of a message: their content, an address where it takes no content, nothing
 * where it has no files.
 */
export function wantedFiles(
  { message, files }: Stored,
  { limits }: Narrowing,
  capabilities: Capabilities,
): readonly (WantedFile | null)[] {
  const { fileOut } = capabilities;
  const items = message.Extra?.file;
  if (items === undefined || fileOut === "none") return NONE;
  const wanted = items.map((item, index) => {
    // Where a link is all that is shown, the origin's own does.
    const isLink = fileOut === "emulated" || isLinked(item, capabilities) || tooLarge(sizeOf(item), limits) !== null;
    if (isLink && item.URL !== "") return null;
    const id = files[index] ?? (item.URL === "" ? null : linked(item.URL, message));
    return id === null ? null : { id, name: item.Name, mime: null, bytes: sizeOf(item) };
  });
  return wanted.some((file) => file !== null) ? wanted : NONE;
}

const NONE: readonly (WantedFile | null)[] = [];

const linked = (url: string, { account }: Message): FileId =>
  fileId({ is: "url", url, account: account.toLowerCase() });
/** A hidden file where the network cannot hide it: only a link to it is shown. */
const isLinked = ({ Spoiler }: FileItem, { hiddenFiles }: Capabilities): boolean =>
  Spoiler !== undefined && hiddenFiles === undefined;

export function sharedFiles(
  message: Message,
  { files, limits }: Here,
  capabilities: Capabilities,
): readonly SharedFile[] {
  const { fileOut } = capabilities;
  const missing = fileOut === "none" ? "there are no files here" : "its content is not known";
  return (withoutEcho(message).Extra?.file ?? []).map((item, index) => {
    const found = files[index] ?? null;
    const bytes = found?.bytes ?? sizeOf(item);
    const large = fileOut === "native" ? tooLarge(bytes, limits) : null;
    const refused = isLinked(item, capabilities) ? (found?.missing ?? CANNOT_HIDE) : large;
    const file: SharedFile = {
      name: found?.name || item.Name,
      // The caption of a hidden file may describe it: see `hiddenCaptions`.
      comment: item.Spoiler === undefined ? item.Comment : "",
      mime: found?.mime ?? null,
      bytes,
      url: found?.url ?? (item.URL === "" ? null : item.URL),
      id: refused === null ? (found?.id ?? null) : null,
      missing: refused ?? (found === null ? missing : found.missing),
    };
    return item.Spoiler === undefined ? file : Object.assign(file, { spoiler: item.Spoiler });
  });
}

const CANNOT_HIDE = "it is hidden, and files cannot be hidden here";

/** The captions of hidden files, hidden like them. */
export function hiddenCaptions(message: Message, { hiddenFiles }: Capabilities): readonly Block[] {
  if (hiddenFiles !== "with captions") return [];
  return (withoutEcho(message).Extra?.file ?? []).flatMap(({ Spoiler, Comment }): readonly Block[] => {
    const text = Comment.trim();
    if (Spoiler === undefined || text === "") return [];
    return [{ t: "para", of: [{ t: "spoiler", of: [{ t: "text", text }] }] }];
  });
}

/** One for each file of which neither the content nor, where that is all there can be, an address arrives. */
export function fileLosses(files: readonly SharedFile[], { fileOut }: Capabilities): readonly Loss[] {
  return files
    .filter(({ id, url }) => id === null && (fileOut === "native" || url === null))
    .map(({ missing }) => ({ what: "file", note: missing ?? "it could not be fetched" }));
}

/** The picture of a sender, where senders have pictures. */
export function pictureWanted(stored: Stored, capabilities: Capabilities, view: View): WantedFile | null {
  if (!hasPictures(capabilities)) return null;
  // No picture depends on the gateway.
  const url = view.show(stored.message, "").avatar;
  const id = stored.avatar ?? (url === "" ? null : linked(url, stored.message));
  return id === null ? null : { id, name: "avatar", mime: null, bytes: null };
}

/** `url`: the sender's as the destination shows it, or empty. */
export function sharedPicture(url: string, { avatar }: Here, capabilities: Capabilities): SharedFile | null {
  if (!hasPictures(capabilities)) return null;
  if (avatar !== null) return { ...avatar, url: avatar.url ?? (url === "" ? null : url) };
  if (url === "") return null;
  return { name: "avatar", comment: "", mime: null, bytes: null, url, id: null, missing: "only its address is known" };
}

function hasPictures({ identity }: Capabilities): boolean {
  return identity.includes("puppet") || identity.includes("per-message");
}
