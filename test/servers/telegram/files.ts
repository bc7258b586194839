import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "../site/answer.ts";
import type { Args } from "./requests.ts";
import { newSecret } from "./clock.ts";
import { kindOf, lookAt } from "./pictures.ts";
import type { Answered, MediaKind, Upload } from "./wire.ts";
import { bad, Refusal } from "./wire.ts";
import type { World } from "./world.ts";

const MEGA = 1024 * 1024;
/** How long an address of a file is good. */
const LINK_MS = 3600 * 1000;

export interface FileRow {
  readonly id: string;
  readonly unique: string;
  readonly kind: MediaKind;
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
  readonly size: number;
  readonly width: number;
  readonly height: number;
}

const FOLDERS: Readonly<Record<MediaKind, string>> = {
  photo: "photos",
  document: "documents",
  video: "videos",
  animation: "animations",
  audio: "music",
  voice: "voice",
  video_note: "video_notes",
  sticker: "stickers",
};

const PREFIXES: Readonly<Record<MediaKind, string>> = {
  photo: "AgACAgIAAxk",
  document: "BQACAgIAAxk",
  video: "BAACAgIAAxk",
  animation: "CgACAgIAAxk",
  audio: "CQACAgIAAxk",
  voice: "AwACAgIAAxk",
  video_note: "DQACAgIAAxk",
  sticker: "CAACAgIAAxk",
};

/** Files, which bots name by ids and fetch from addresses that end. */
export class Files {
  readonly #world: World;
  readonly #rows = new Map<string, FileRow>();
  readonly #links = new Map<string, { readonly file: FileRow; readonly until: number }>();
  readonly isLocal: boolean;
  #folder: string | null = null;
  #count = 0;
  /** Bytes of one file, by what a bot does with it. */
  maxUpload: number;
  maxPhoto = 10 * MEGA;
  maxDownload: number;

  constructor(world: World, isLocal: boolean) {
    this.#world = world;
    this.isLocal = isLocal;
    this.maxUpload = isLocal ? 2000 * MEGA : 50 * MEGA;
    this.maxDownload = isLocal ? Infinity : 20 * MEGA;
  }

  store(kind: MediaKind, { name, content, mime, size = content.length }: Upload): FileRow {
    const { width, height } = lookAt(content) ?? { width: 320, height: 240 };
    const row = {
      id: `${PREFIXES[kind]}${newSecret(36)}`,
      unique: `AgAD${newSecret(9)}`,
      kind,
      name,
      mime: mimeFor({ name, mime: mime ?? "" }),
      content,
      size,
      width,
      height,
    };
    this.#rows.set(row.id, row);
    return row;
  }

  get(id: string): FileRow | undefined {
    return this.#rows.get(id);
  }

  /** A file that a bot sends: new, or by its id. */
  given(kind: MediaKind, args: Args, field: string): FileRow {
    const name = args.text(field);
    const part = name.startsWith("attach://") ? name.slice(9) : field;
    const upload = args.file(part) ?? this.#local(name);
    if (upload !== undefined) return this.#taken(kind, upload);
    const isItem = field === "media";
    if (isItem && (name === "" || name.startsWith("attach://"))) throw bad("can't parse InputMedia: media not found");
    if (name === "") throw bad(`there is no ${kind.replace("_", " ")} in the request`);
    if (name.startsWith("attach://")) throw bad("wrong file identifier/HTTP URL specified");
    if (/^https?:\/\//.test(name)) throw bad("failed to get HTTP URL content");
    const known = this.#rows.get(name);
    if (known === undefined) throw bad("wrong file identifier/HTTP URL specified");
    if (known.kind !== kind && !(kind === "document" && known.kind === "animation"))
      throw bad(`can't use file of type ${titled(known.kind)} as ${titled(kind)}`);
    return known;
  }

  /** The path at which a file can be fetched, or where it lies. */
  async link(id: string): Promise<Answered<"getFile">> {
    const file = this.#rows.get(id);
    if (id === "") throw bad("file_id not specified");
    if (file === undefined) throw bad("invalid file_id");
    if (file.size > this.maxDownload) throw bad("file is too big");
    this.#count += 1;
    const at = `${FOLDERS[file.kind]}/file_${this.#count}${endingOf(file)}`;
    this.#links.set(at, { file, until: this.#world.clock.now() + LINK_MS });
    const base = { file_id: file.id, file_unique_id: file.unique, file_size: file.size };
    if (!this.isLocal) return { ...base, file_path: at };
    this.#folder ??= await mkdtemp(path.join(tmpdir(), "telegram-files-"));
    const where = path.join(this.#folder, at);
    await mkdir(path.dirname(where), { recursive: true });
    await writeFile(where, file.content);
    return { ...base, file_path: where };
  }

  download(at: string): Answer | null {
    const link = this.#links.get(at);
    if (link === undefined || this.isLocal || link.until < this.#world.clock.now()) return null;
    return { bytes: link.file.content, headers: { "content-type": "application/octet-stream" } };
  }

  async clear(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  #taken(kind: MediaKind, upload: Upload): FileRow {
    const size = upload.content.length;
    if (size === 0) throw bad("file must be non-empty");
    if (size > this.maxUpload) throw this.#tooLarge(size);
    if (kind !== "photo") return this.store(kindOf(kind, mimeFor(upload), upload.name), upload);
    if (size > this.maxPhoto) {
      throw bad(`file of size ${size} bytes is too big for a photo; the maximum size is ${this.maxPhoto} bytes`);
    }
    const shape = lookAt(upload.content);
    if (shape === null) throw bad("IMAGE_PROCESS_FAILED");
    const { width, height } = shape;
    const isOdd = width + height > 10_000 || width > 20 * height || height > 20 * width;
    if (isOdd) throw bad("PHOTO_INVALID_DIMENSIONS");
    return this.store(kind, upload);
  }

  /** The public server refuses the request, one that somebody runs the file. */
  #tooLarge(size: number): Refusal {
    if (!this.isLocal) return new Refusal(413, "Request Entity Too Large");
    return bad(`file of size ${size} bytes is too big; the maximum size is ${this.maxUpload} bytes`);
  }

  /** Only a server on the same machine takes files from its disk. */
  #local(name: string): Upload | undefined {
    if (!this.isLocal || !name.startsWith("file://")) return undefined;
    const at = fileURLToPath(name);
    return { name: path.basename(at), content: readFileSync(at) };
  }
}

/** As refusals name kinds. */
const titled = (kind: MediaKind): string =>
  kind
    .split("_")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");

const endingOf = ({ kind, name, mime }: FileRow): string => {
  if (kind === "photo") return ".jpg";
  if (kind === "voice") return ".oga";
  if (kind === "sticker" && mime === "application/x-tgsticker") return ".tgs";
  return path.extname(name);
};

const MIMES: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".webm": "video/webm",
  ".mp4": "video/mp4",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".ogg": "audio/ogg",
  ".oga": "audio/ogg",
  ".txt": "text/plain",
  ".pdf": "application/pdf",
  ".tgs": "application/x-tgsticker",
};

/** By the name where whoever sends a file does not say what it is. */
function mimeFor({ name, mime = "" }: Pick<Upload, "name" | "mime">): string {
  const byName = MIMES[path.extname(name).toLowerCase()];
  return mime === "" || mime === "application/octet-stream" ? (byName ?? "application/octet-stream") : mime;
}
