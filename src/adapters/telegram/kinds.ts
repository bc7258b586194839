import type { SharedFile } from "../../contract/content.ts";
import type { TelegramFileKind } from "./api.ts";

/** Of a picture that is shown as one; a larger one goes as a document. */
export const PHOTO_MAX = 10 * 1024 * 1024;

const KINDS: ReadonlyMap<string, TelegramFileKind> = new Map([
  ["image/jpeg", "photo"],
  ["image/png", "photo"],
  ["image/webp", "photo"],
  ["image/gif", "animation"],
  ["video/mp4", "video"],
  ["audio/mpeg", "audio"],
  ["audio/mp3", "audio"],
  ["audio/mp4", "audio"],
  ["audio/m4a", "audio"],
  ["audio/x-m4a", "audio"],
  ["audio/ogg", "voice"],
  ["audio/opus", "voice"],
]);

/** By the name, where nobody has said what it is. */
const ENDINGS: ReadonlyMap<string, TelegramFileKind> = new Map([
  ["jpg", "photo"],
  ["jpeg", "photo"],
  ["png", "photo"],
  ["webp", "photo"],
  ["gif", "animation"],
  ["mp4", "video"],
  ["mp3", "audio"],
  ["m4a", "audio"],
  ["oga", "voice"],
  ["ogg", "voice"],
  ["opus", "voice"],
]);

/**
 * As what a file is sent. People look at pictures and films and listen to the rest where they stand, and servers make
 * pictures and moving pictures smaller for that; a document is passed on as it is.
 */
export function kindOf({ mime, name, bytes }: Pick<SharedFile, "mime" | "name" | "bytes">): TelegramFileKind {
  const type = (mime ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isKnown = type !== "" && type !== "application/octet-stream";
  const kind = isKnown ? KINDS.get(type) : ENDINGS.get(/\.(\w+)$/u.exec(name)?.[1]?.toLowerCase() ?? "");
  return kind === "photo" && (bytes ?? 0) > PHOTO_MAX ? "document" : (kind ?? "document");
}

/** What may stand in one album; null: in none. */
export function albumOf(kind: TelegramFileKind): "seen" | "document" | "audio" | null {
  if (kind === "photo" || kind === "video") return "seen";
  return kind === "document" || kind === "audio" ? kind : null;
}
