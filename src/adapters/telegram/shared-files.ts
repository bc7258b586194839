import type { RemoteFile } from "../../contract/content.ts";
import { cleanName } from "../kit/clean-name.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { fileRef } from "./ids.ts";
import { innerMedia } from "./inner-media.ts";
import { objectsIn } from "./model.ts";
import { STICKER_MAX } from "./stickers.ts";

interface Kind {
  /** Of files that have no name of their own. */
  readonly name: string;
  readonly end: string;
  readonly mime: string;
}

/** Fields of a message that are files, the more telling one first: `animation` comes with another. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["animation", { name: "animation", end: "mp4", mime: "video/mp4" }],
  ["video", { name: "video", end: "mp4", mime: "video/mp4" }],
  ["video_note", { name: "video", end: "mp4", mime: "video/mp4" }],
  ["voice", { name: "voice", end: "ogg", mime: "audio/ogg" }],
  ["audio", { name: "audio", end: "mp3", mime: "audio/mpeg" }],
  ["document", { name: "file", end: "bin", mime: "" }],
]);

const PHOTO: Kind = { name: "photo", end: "jpg", mime: "image/jpeg" };
const LIVE_PHOTO: Kind = { name: "live-photo", end: "mp4", mime: "video/mp4" };

/**
 * All files of a message, also those within its blocks and its poll. `asPng`: see `filesOf`; `asStill`: stickers that
 * move are made a still picture when they are opened.
 */
export function allFilesOf(raw: Json, id: number, asPng: boolean, asStill = false): readonly RemoteFile[] {
  const inner = innerMedia(raw).map((medium, at): readonly [Json, string] => [medium, `${id}-${at + 1}`]);
  return [[raw, String(id)] as const, ...inner].flatMap(([one, suffix]) => {
    const still = asStill ? stillOf(one, suffix) : null;
    return still === null ? filesOf(one, suffix, asPng) : [still];
  });
}

/** A sticker that moves, as a picture. */
function stillOf(raw: Json, suffix: string): RemoteFile | null {
  const sticker = objectIn(raw, "sticker");
  const id = textIn(sticker, "file_id") ?? "";
  if (!isMoving(sticker) || id === "") return null;
  const [name, mime] = [`sticker-${suffix}.png`, "image/png"];
  const ref = fileRef({ id, name, bytes: sizeOf(sticker), mime, to: "still" });
  return { name, comment: "", mime, bytes: null, url: null, ref };
}

/**
 * The files that a message is. `id`: of the message, after which files without a name are called. `asPng`: stickers
 * that stand still are made PNG when they are opened.
 */
export function filesOf(raw: Json, id: number | string, asPng: boolean): readonly RemoteFile[] {
  const files = openFilesOf(raw, id, asPng);
  return raw["has_media_spoiler"] === true ? files.map((file) => ({ ...file, spoiler: true })) : files;
}

function openFilesOf(raw: Json, id: number | string, asPng: boolean): readonly RemoteFile[] {
  if (asPng && isObject(raw["sticker"])) {
    const sticker = pngOf(raw["sticker"], id);
    if (sticker !== null) return [sticker];
  }
  const paid = objectsIn(objectIn(raw, "paid_media"), "paid_media");
  return [raw, ...paid].flatMap((one, at) => {
    const suffix = at === 0 ? String(id) : `${id}-${at}`;
    return [fileIn(one, suffix), filmIn(one, suffix)].filter((file) => file !== null);
  });
}

/** Of a photo that moves, the film. */
function filmIn(raw: Json, suffix: string): RemoteFile | null {
  return isObject(raw["live_photo"]) ? remote(raw["live_photo"], LIVE_PHOTO, suffix) : null;
}

function fileIn(raw: Json, suffix: string): RemoteFile | null {
  const photo = largest(raw);
  if (photo !== null) return remote(photo, PHOTO, suffix);
  if (isObject(raw["sticker"])) return isMoving(raw["sticker"]) ? null : stickerIn(raw["sticker"], suffix);
  for (const [key, kind] of KINDS) {
    const value = raw[key];
    if (isObject(value)) return remote(value, kind, suffix);
  }
  return null;
}

/** Of the sizes that a photo comes in. */
function largest(raw: Json): Json | null {
  const sizes = [...objectsIn(raw, "photo"), ...objectsIn(objectIn(raw, "live_photo"), "photo")];
  const areaOf = (size: Json): number => (numberIn(size, "width") ?? 0) * (numberIn(size, "height") ?? 0);
  let best: Json | null = null;
  for (const size of sizes) if (best === null || areaOf(size) >= areaOf(best)) best = size;
  return best;
}

/** A drawing that moves (`.tgs`), which no program but Telegram's opens: words stand for it. */
const isMoving = (sticker: Json): boolean => sticker["is_animated"] === true;

const WEBP: Kind = { name: "sticker", end: "webp", mime: "image/webp" };
const FILM: Kind = { name: "sticker", end: "webm", mime: "video/webm" };

const stickerIn = (sticker: Json, suffix: string): RemoteFile | null =>
  remote(sticker, sticker["is_video"] === true ? FILM : WEBP, suffix);

/** A sticker that can be made PNG; null: it goes on as it is. How large it will be then, nobody knows. */
function pngOf(sticker: Json, message: number | string): RemoteFile | null {
  const [id, bytes] = [textIn(sticker, "file_id") ?? "", sizeOf(sticker)];
  const isWebP = !isMoving(sticker) && sticker["is_video"] !== true;
  if (!isWebP || id === "" || bytes === null || bytes > STICKER_MAX) return null;
  const [name, mime] = [`sticker-${message}.png`, "image/png"];
  return { name, comment: "", mime, bytes: null, url: null, ref: fileRef({ id, name, bytes, mime, to: "png" }) };
}

function sizeOf(file: Json): number | null {
  const size = numberIn(file, "file_size");
  return size !== null && Number.isSafeInteger(size) && size > 0 ? size : null;
}

function remote(file: Json, kind: Kind, suffix: string): RemoteFile | null {
  const id = textIn(file, "file_id") ?? "";
  if (id === "") return null;
  const bytes = sizeOf(file);
  const mime = textIn(file, "mime_type") || kind.mime || null;
  const name = cleanName(textIn(file, "file_name") ?? "") || `${kind.name}-${suffix}.${kind.end}`;
  return { name, comment: "", mime, bytes, url: null, ref: fileRef({ id, name, bytes, mime }) };
}

/** What tells one file from another, also after an edit: ids of the same file differ. */
export const fileMarks = (raw: Json): readonly string[] =>
  [raw, ...innerMedia(raw)].flatMap((one) => MARKED.flatMap((key) => marksIn(one, key)));

const MARKED = ["photo", "live_photo", "sticker", ...KINDS.keys()];

function marksIn(raw: Json, key: string): readonly string[] {
  const value = raw[key];
  const all = isObject(value) ? [value] : listIn(raw, key).filter((one) => isObject(one));
  return all.map((one) => textIn(one, "file_unique_id") ?? "");
}
