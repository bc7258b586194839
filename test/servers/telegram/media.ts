import type { PhotoSize } from "@grammyjs/types";
import type { FileRow, Files } from "./files.ts";
import type { Content } from "./wire.ts";

export interface Extra {
  readonly duration?: number;
  readonly title?: string;
  readonly performer?: string;
  readonly emoji?: string;
}

/** One grey point, as every picture is shown small. */
const THUMB = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOsr6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

/** What a message holds of a file. What a bot sends as one kind and is of another comes out as that. */
export function mediaOf(files: Files, file: FileRow, extra: Extra = {}): Content {
  const base = { file_id: file.id, file_unique_id: file.unique, file_size: file.size };
  const named = { ...base, file_name: file.name, mime_type: file.mime };
  const { duration = 1, title, performer, emoji } = extra;
  const size = { width: file.width, height: file.height };
  switch (file.kind) {
    case "photo":
      return { photo: [small(files), { ...base, ...size }] } satisfies Content;
    case "document":
      return { document: named } satisfies Content;
    case "video":
      return { video: { ...named, ...size, duration, thumbnail: small(files) } } satisfies Content;
    case "animation": {
      const animation = { ...named, ...size, duration, thumbnail: small(files) };
      return { animation, document: { ...named, thumbnail: small(files) } } satisfies Content;
    }
    case "audio": {
      const tags = { ...(title !== undefined && { title }), ...(performer !== undefined && { performer }) };
      return { audio: { ...named, duration, ...tags } } satisfies Content;
    }
    case "voice":
      return { voice: { ...base, mime_type: "audio/ogg", duration } } satisfies Content;
    case "video_note":
      return { video_note: { ...base, length: 240, duration } } satisfies Content;
    case "sticker":
      return stickerOf(files, file, emoji);
  }
}

function stickerOf(files: Files, file: FileRow, emoji?: string): Content {
  const sticker = {
    file_id: file.id,
    file_unique_id: file.unique,
    file_size: file.size,
    type: "regular" as const,
    width: 512,
    height: 512,
    is_animated: file.mime === "application/x-tgsticker",
    is_video: file.mime === "video/webm",
    thumbnail: small(files),
    ...(emoji !== undefined && { emoji, set_name: "Gulls" }),
  };
  return { sticker } satisfies Content;
}

const small = (files: Files): PhotoSize => {
  const { id, unique, size } = files.store("photo", { name: "thumb.png", content: THUMB });
  return { file_id: id, file_unique_id: unique, file_size: size, width: 90, height: 90 };
};
